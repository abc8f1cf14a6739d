/** Claude Code with the plugin: who it is, and what is said to it in the middle of a turn, at a prompt and at the end. */
import { expect } from 'vitest'
import { claudeCode, claudeCodeNewest, withPlugin } from './lab/claude-code.ts'
import { conversationOf, identityIn, newIn, proof, reminders, times } from './lab/heard.ts'
import type { Host } from './lab/host.ts'
import { hostTest } from './lab/installed.ts'
import { inPlace, type Place } from './lab/place.ts'
import { proves } from './lab/proves.ts'
import { tools } from './lab/results.ts'
import { receipt, send } from './lab/shell.ts'

const bash = (command: string) => ({ tool: /^Bash$/, args: { command, description: 'works' } })

async function activity(place: Place): Promise<unknown> {
  const [only] = Object.values(await place.files('activity'))
  return only?.['state']
}

/** The identity line is in the first request; our server is there, and a call of it counts as the same session. */
async function knowsItself(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const self = place.model.conversation('self')
    self.play([
      { tool: /update_session$/, args: { task: 'find out who I am', projectPath: place.project } },
      { tool: /query_session$/, args: { session: 'project' } },
      { text: 'known' },
    ])
    const run = await place.run(withPlugin(host, 'print'), 'self', 'Say who you are.')
    expect(run).toMatchObject({ exitCode: 0, leftBehind: [] })
    const [first, ...rest] = self.requests
    if (first === undefined) throw new Error('the model was never asked')
    const who = identityIn(newIn(first))
    proof(host, `the first request says ${JSON.stringify(who)}`)
    expect(who?.name).toBe('project')
    expect(newIn(first)).toContain('It has not said yet what it works on')
    const ours = first.tools.flatMap((name) => /^mcp__plugin_session-mcp_session-mcp__(\w+)$/.exec(name)?.[1] ?? [])
    expect(ours.sort()).toEqual(tools)
    const registered = JSON.parse(self.result('update_session'))
    expect(registered).toMatchObject({ id: who?.id, registered: false })
    expect(JSON.parse(self.result('query_session'))).toMatchObject({ id: who?.id, activity: 'working' })
    // Once at the start, and not again where there is no news.
    expect(reminders(conversationOf(rest.at(-1) ?? first))).toHaveLength(1)
    expect(Object.keys(await place.files('sessions'))).toEqual([`${who?.id}.json`])
    expect(await activity(place)).toBe('ended')
    proof(host, `its server answers as ${registered.id}; working in the turn, ended at its end`)
    proves(host, 'identity')
    proves(host, 'activity')
  })
}

/** Sent while a turn runs: told after the next tool call. Sent between turns: told at the next prompt. Told once. */
async function isTold(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const worker = place.model.conversation('worker')
    worker.play((request) => {
      if (request.turn === 0)
        return { ...bash('echo one'), after: () => send(place, 'project', 'in the middle', '--activate', 'never') }
      if (request.turn === 1) return bash('echo two')
      return { text: `end ${request.turn}` }
    })
    const session = await place.stream(withPlugin(host, 'stream'), 'worker')
    await session.say('Work.')
    const [, afterFirst, afterSecond] = worker.requests
    if (afterFirst === undefined || afterSecond === undefined) throw new Error('the turn ended early')
    expect(newIn(afterFirst)).toMatch(/PostToolBatch hook additional context: session-mcp: this is session "project"/)
    expect(newIn(afterFirst)).toMatch(
      /1 unread message in the inbox of this session:\n- from the person .*"in the middle"/,
    )
    expect(reminders(newIn(afterSecond))).toEqual([])
    proof(host, 'told after the next tool call, and not again after the one after that')

    await send(place, 'project', 'between two turns', '--activate', 'never')
    await session.say('Go on.')
    const atPrompt = worker.requests.at(-1)
    if (atPrompt === undefined) throw new Error('no second turn')
    expect(newIn(atPrompt)).toMatch(/UserPromptSubmit hook additional context: session-mcp: this is session "project"/)
    expect(newIn(atPrompt)).toContain('2 unread messages in the inbox of this session, 1 of them new:')
    expect(newIn(atPrompt)).toContain('"between two turns"')
    expect(newIn(atPrompt)).not.toContain('in the middle')
    proof(host, 'told at the next prompt, with the number of all that is unread')

    await session.say('And again.')
    const last = worker.requests.at(-1) ?? atPrompt
    expect(newIn(last)).toMatch(/2 unread messages in the inbox of this session, the oldest \d+ s old\./)
    expect(times(conversationOf(last), 'in the middle')).toBe(1)
    expect(times(conversationOf(last), 'between two turns')).toBe(1)
    proof(host, 'afterwards only counted: each was quoted once')
    proves(host, 'mid-turn')
    proves(host, 'inject')
    expect(await session.end()).toMatchObject({ exitCode: 0, leftBehind: [] })
  })
}

/** A request that came too late for a tool call keeps the turn from ending: once. Another kind of mail does not. */
async function isHeldAtTheEnd(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const worker = place.model.conversation('worker')
    let asked = ''
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
      return { text: 'Yes.' }
    })
    const session = await place.stream(withPlugin(host, 'stream'), 'worker')
    await session.say('Finish.')
    expect(session.turns()).toBe(1)
    const [, held, ...rest] = worker.requests
    if (held === undefined) throw new Error('the turn was not held')
    expect(newIn(held)).toMatch(/Stop hook feedback:\n.*session-mcp: this is session "project"/)
    expect(newIn(held)).toContain('- from the person at this machine, through the shell, request,')
    expect(newIn(held)).toContain('"are you sure"')
    expect(newIn(held)).not.toContain('no hurry')
    expect(rest).toHaveLength(1)
    expect(JSON.parse(worker.result('read_inbox')).messages).toHaveLength(2)
    expect(await receipt(place, asked)).toMatchObject({ place: 'read', readAt: expect.any(String) })
    expect(await activity(place)).toBe('idle')
    proof(host, 'Stop handed the request over once, the inbox was read in the same turn, then the turn ended')
    proves(host, 'continue')
    expect(await session.end()).toMatchObject({ exitCode: 0, leftBehind: [] })
  })
}

/** What a sender is told of a working session is true of a turn without tools, too: it hears of it before the turn ends. */
async function hearsAtTheEnd(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const worker = place.model.conversation('worker')
    let outcome: unknown
    worker.play((request) => ({
      text: `end ${request.turn}`,
      async after() {
        if (request.turn === 0) outcome = (await send(place, 'project', 'just so you know')).wake
      },
    }))
    const session = await place.stream(withPlugin(host, 'stream'), 'worker')
    await session.say('Talk.')
    expect(outcome).toMatchObject({ outcome: 'deferred', evidence: expect.stringContaining('told within its turn') })
    const [, held, ...rest] = worker.requests
    if (held === undefined) throw new Error('the turn ended in silence')
    expect(newIn(held)).toContain('"just so you know"')
    expect(rest).toHaveLength(0)
    proof(host, 'deferred mail was told at the end of a turn that called no tool, once')
    expect(await session.end()).toMatchObject({ exitCode: 0, leftBehind: [] })
  })
}

/** Unread at the moment of sending, read before the moment of telling: not announced. */
async function isSparedOldNews(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const worker = place.model.conversation('worker')
    worker.play((request) => {
      if (request.turn === 0)
        return {
          tool: /read_inbox$/,
          args: {},
          after: () => send(place, 'project', 'read before it is told', '--activate', 'never'),
        }
      if (request.turn === 1) return bash('echo two')
      return { text: `end ${request.turn}` }
    })
    const session = await place.stream(withPlugin(host, 'stream'), 'worker')
    await session.say('Read your mail.')
    expect(JSON.parse(worker.result('read_inbox')).messages).toMatchObject([{ content: 'read before it is told' }])
    await session.say('Go on.')
    const last = worker.requests.at(-1)
    if (last === undefined) throw new Error('no turn')
    expect(reminders(conversationOf(last))).toEqual([expect.stringContaining('SessionStart hook additional context')])
    proof(host, 'mail that was read meanwhile is not announced')
    expect(await session.end()).toMatchObject({ exitCode: 0, leftBehind: [] })
  })
}

for (const host of [claudeCodeNewest, claudeCode]) {
  hostTest('knows who it is from the first request, and its server agrees', [host], knowsItself)
  hostTest('is told of mail in the middle of a turn, and at the next prompt, once', [host], isTold)
  hostTest('is handed a request before its turn ends, once', [host], isHeldAtTheEnd)
  hostTest('hears within its turn of mail that did not wake it', [host], hearsAtTheEnd)
  hostTest('C034: is not told of mail that it read meanwhile', [host], isSparedOldNews)
}
