/** Codex, wired: what is said to it in the middle of a turn, at a prompt, at the end, and while a person is asked. */
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { codex, wired } from './lab/codex.ts'
import { wiredHome } from './lab/codex-home.ts'
import { conversationOf, newIn, proof, reminders, times } from './lab/heard.ts'
import { tabTest } from './lab/installed.ts'
import { inPlace, type Place } from './lab/place.ts'
import { proves } from './lab/proves.ts'
import { receipt, send } from './lab/shell.ts'
import { until } from './lab/until.ts'

const shell = (cmd: string) => ({ tool: /exec_command$/, args: { cmd } })

async function activity(place: Place): Promise<unknown> {
  const [only] = Object.values(await place.files('activity'))
  return only?.['state']
}

const isIdle = (place: Place) => until('the session is idle', async () => (await activity(place)) === 'idle')

tabTest('is told of mail in the middle of a turn, and at the next prompt, once', [codex], async () => {
  await inPlace(async (place) => {
    await wiredHome(place, 'worker')
    const worker = place.model.conversation('worker')
    worker.play((request) => {
      if (request.turn === 0)
        return { ...shell('echo one'), after: () => send(place, 'project', 'in the middle', '--activate', 'never') }
      if (request.turn === 1) return shell('echo two')
      return { text: `end ${request.turn}` }
    })
    const tab = await place.tab(wired('tab'), 'worker', '', { flags: ['--no-daemon'] })
    await tab.shows(/\? for shortcuts/)
    await tab.say('Work.')
    const afterSecond = await until('three requests', () => worker.requests[2])
    const afterFirst = worker.requests[1]
    if (afterFirst === undefined) throw new Error('the turn ended early')
    expect(newIn(afterFirst)).toMatch(
      /session-mcp: this is session "project".*\n1 unread message in the inbox of this session:\n- from the person .*"in the middle"/,
    )
    expect(reminders(newIn(afterSecond))).toEqual([])
    proof(codex, 'told after the next tool call, and not again after the one after that')

    await isIdle(place)
    await send(place, 'project', 'between two turns', '--activate', 'never')
    await tab.say('Go on.')
    const atPrompt = await until('a second turn', () => worker.requests[3])
    expect(newIn(atPrompt)).toContain('2 unread messages in the inbox of this session, 1 of them new:')
    expect(newIn(atPrompt)).toContain('"between two turns"')
    expect(newIn(atPrompt)).not.toContain('in the middle')
    proof(codex, 'told at the next prompt, with the number of all that is unread')

    await isIdle(place)
    await tab.say('And again.')
    const last = await until('a third turn', () => worker.requests[4])
    expect(newIn(last)).toMatch(/2 unread messages in the inbox of this session, the oldest \d+ s old\./)
    expect(times(conversationOf(last), 'in the middle')).toBe(1)
    expect(times(conversationOf(last), 'between two turns')).toBe(1)
    proof(codex, 'afterwards only counted: each was quoted once')
    await isIdle(place)
    proves(codex, 'mid-turn')
    proves(codex, 'inject')
  })
})

tabTest('is handed a request before its turn ends, once; other mail that did not wake it, too', [codex], async () => {
  await inPlace(async (place) => {
    await wiredHome(place, 'worker')
    const worker = place.model.conversation('worker')
    let asked = ''
    let outcome: unknown
    worker.play((request) => {
      if (request.turn === 0)
        return {
          text: 'I am done.',
          async after() {
            await send(place, 'project', 'no hurry', '--activate', 'never')
            asked = (await send(place, 'project', 'are you sure', '--intent', 'request', '--activate', 'never')).id
          },
        }
      if (request.turn === 1) return { tool: /read_inbox$/, args: {} }
      if (request.turn === 3)
        return {
          text: 'Talked.',
          async after() {
            outcome = (await send(place, 'project', 'just so you know')).wake
          },
        }
      return { text: `end ${request.turn}` }
    })
    const run = await place.run(wired('exec'), 'worker', 'Finish.')
    expect(run).toMatchObject({ exitCode: 0, leftBehind: [] })
    const [, held, ...rest] = worker.requests
    if (held === undefined) throw new Error('the turn was not held')
    expect(newIn(held)).toMatch(/session-mcp: this is session "project"/)
    expect(newIn(held)).toContain('- from the person at this machine, through the shell, request,')
    expect(newIn(held)).toContain('"are you sure"')
    expect(newIn(held)).not.toContain('no hurry')
    expect(rest).toHaveLength(1)
    expect(JSON.parse(worker.result('read_inbox')).messages).toHaveLength(2)
    expect(await receipt(place, asked)).toMatchObject({ place: 'read', readAt: expect.any(String) })
    expect(await activity(place)).toBe('ended')
    proof(codex, 'Stop handed the request over once, the inbox was read in the same turn, then the turn ended')
    proves(codex, 'continue')

    const [id] = Object.keys(await place.files('sessions')).map((name) => name.replace('.json', ''))
    await place.run(wired('exec'), 'worker', 'Talk.', { flags: ['resume', id ?? ''] })
    expect(outcome).toMatchObject({ outcome: 'deferred', evidence: expect.stringContaining('told within its turn') })
    expect(worker.requests).toHaveLength(5)
    expect(newIn(worker.requests[4] ?? held)).toContain('"just so you know"')
    expect(Object.keys(await place.files('sessions'))).toEqual([`${id}.json`])
    proof(
      codex,
      'resumed it is the same session; deferred mail was told at the end of a turn that called no tool, once',
    )
  })
})

tabTest('C034: is not told of mail that it read meanwhile', [codex], async () => {
  await inPlace(async (place) => {
    await wiredHome(place, 'worker')
    const worker = place.model.conversation('worker')
    worker.play([
      { tool: /read_inbox$/, args: {}, after: () => send(place, 'project', 'read before it is told') },
      shell('echo two'),
      { text: 'end' },
    ])
    await place.run(wired('exec'), 'worker', 'Read your mail.')
    expect(JSON.parse(worker.result('read_inbox')).messages).toMatchObject([{ content: 'read before it is told' }])
    const last = worker.requests.at(-1)
    if (last === undefined) throw new Error('no turn')
    expect(reminders(conversationOf(last))).toEqual([expect.stringMatching(/^session-mcp: this is session "project"/)])
    proof(codex, 'mail that was read meanwhile is not announced')
  })
})

/** The person is asked, says yes, and later ends the turn in the middle of a command. */
async function waitsForThePerson(): Promise<void> {
  await inPlace(async (place) => {
    await wiredHome(place, 'worker')
    const worker = place.model.conversation('worker')
    const file = path.join(place.root, 'allowed')
    worker.play((request) =>
      request.exchanges.length === 0
        ? {
            tool: /exec_command$/,
            args: { cmd: `touch ${file}`, sandbox_permissions: 'require_escalated', justification: 'May I' },
          }
        : { tool: /exec_command$/, args: { cmd: 'until [ -e over ]; do sleep 0.1; done', yield_time_ms: 30_000 } },
    )
    const tab = await place.tab(wired('tab'), 'worker', '', { flags: ['--no-daemon'] })
    await tab.shows(/\? for shortcuts/)
    await tab.say('Ask.')
    await tab.shows(/Would you like to run the following command/)
    await until('the bus shows it', async () => (await activity(place)) === 'needs_permission')
    await tab.press('Enter')
    await until('the bus shows that work goes on', async () => (await activity(place)) === 'working')
    expect(existsSync(file)).toBe(true)
    proof(codex, 'needs_permission while the person is asked, working after the answer')
    await until('the next command is asked for', () => worker.requests[1])
    await tab.shows(/esc to interrupt/)
    await tab.press('Escape')
    await until('the bus shows the end', async () => (await activity(place)) === 'idle')
    const [only] = Object.values(await place.files('activity'))
    expect(only).toMatchObject({ evidence: 'the turn was broken off' })
    proof(codex, 'idle after the person ended a turn in the middle of a command')
    proves(codex, 'activity')
    const { wake } = await send(place, 'project', 'after that', '--intent', 'request')
    expect(wake).toMatchObject({ outcome: 'unavailable', evidence: expect.stringContaining('until the next prompt') })
    worker.play(() => ({ text: 'heard' }))
    const before = worker.requests.length
    await tab.say('Go on.')
    expect(newIn(await until('a turn', () => worker.requests[before]))).toContain('"after that"')
    proof(codex, `${wake?.evidence}; told at that prompt`)
    // Codex may leave a command running that its person broke off.
    writeFileSync(path.join(place.project, 'over'), '')
  })
}

tabTest('waits for the person while it asks, and is idle when the person ends the turn', [codex], waitsForThePerson)
