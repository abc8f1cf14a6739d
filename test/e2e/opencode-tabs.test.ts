/** One real session of OpenCode opens, steers and closes another, through the tools a model has. */
import { mkdir, readdir, symlink } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'vitest'
import { z } from 'zod'
import type { Step } from './lab/conversation.ts'
import type { ModelRequest } from './lab/dialect.ts'
import { labPath } from './lab/ground.ts'
import { identityIn, proof } from './lab/heard.ts'
import { conversationOf, isFirstAfterPrompt, lastPromptOf, modelOf, promptsOf, systemOf } from './lab/heard-opencode.ts'
import type { Host } from './lab/host.ts'
import { hostTest, installed, tabTest } from './lab/installed.ts'
import { opencode, withPlugin } from './lab/opencode.ts'
import { openSession } from './lab/opencode-session.ts'
import { openPeer } from './lab/peer.ts'
import { inPlace, type Place } from './lab/place.ts'
import { proves } from './lab/proves.ts'
import { until } from './lab/until.ts'

const OPENED = 'opened this session through session-mcp and asks:'
const PROMPT = `- say 'hello' to "project";\n$(touch PWNED1) \`touch PWNED2\``

const Answer = z.looseObject({
  sessionId: z.string().optional(),
  name: z.string().optional(),
  action: z.looseObject({ state: z.string(), evidence: z.string(), byHand: z.string().optional() }),
})
type Answer = z.infer<typeof Answer>

const isOpened = (request: ModelRequest) => promptsOf(request)[0]?.includes(OPENED) === true
const isWoken = (request: ModelRequest) => lastPromptOf(request).includes('session-mcp wake')

const call = (tool: string, args: object, after?: () => Promise<unknown>): Step => ({
  tool: new RegExp(`${tool}$`),
  args: args as Record<string, unknown>,
  ...(after !== undefined && { after }),
})
const manage = (operation: string, more: object = {}, after?: () => Promise<unknown>) =>
  call('manage_session', { session: 'helper', operation, ...more }, after)

/** What the session that steers was answered, step by step. */
function answers(host: Host, steps: readonly Step[], requests: () => readonly ModelRequest[]) {
  return async (turn: number): Promise<Answer> => {
    const request = await until(`the answer to step ${turn}`, () => requests().find((each) => each.turn === turn + 1))
    const { tool = '', args, result = '' } = request.exchanges.at(-1) ?? {}
    const answer = Answer.parse(JSON.parse(result))
    const { state, evidence, byHand } = answer.action
    const asked = JSON.stringify(args).slice(0, 110)
    proof(host, `${tool} ${asked} -> ${state}: ${evidence}${byHand === undefined ? '' : ` | by hand: ${byHand}`}`)
    expect(steps[turn]).toHaveProperty('tool')
    return answer
  }
}

async function stateOf(place: Place, id: string): Promise<string> {
  return String((await place.files('activity'))[`${id}.json`]?.['state'])
}

async function recordOf(place: Place, name: string) {
  return Object.values(await place.files('sessions')).find((each) => each['name'] === name)
}

const hostOf = (record: Record<string, unknown> | undefined) =>
  z.looseObject({ hostKey: z.string(), executor: z.looseObject({ id: z.string() }) }).parse(record?.['host'])

const hello = call('send_message', { to: 'project', content: 'hello, lead' })

async function onServer(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const elsewhere = path.join(place.root, 'another project')
    await mkdir(elsewhere)
    const all = place.model.conversation('all')
    const lead = () => all.requests.filter((request) => !isOpened(request))
    const child = () => all.requests.filter((request) => isOpened(request) && conversationOf(request).includes('hello'))
    const never = new Promise<never>(() => undefined)
    let id = ''
    const childIs = (state: string) => () =>
      until(`the helper is ${state}`, async () => (await stateOf(place, id)) === state)
    const steps: readonly Step[] = [
      call('create_session', { name: 'helper', task: 'say hello', prompt: PROMPT }),
      call('wait_for_sessions', { sessions: ['helper'], orMessage: true }),
      call('read_inbox', {}),
      manage('rename', { name: 'second helper' }, () => childIs('idle')()),
      manage('set_model', { model: 'lab/other' }),
      manage('set_model', { model: 'lab/none' }),
      call('send_message', { to: 'second helper', content: 'take your time' }),
      manage('cancel', {}, () => until('the slow turn', () => child().some(isWoken))),
      manage('switch'),
      manage('set_input', { text: 'a line' }),
      manage('pin'),
      call('query_session', { session: 'helper' }),
      manage('close'),
      call('create_session', { name: 'far', prompt: 'Work there.', projectPath: elsewhere }),
      call('create_session', { name: 'none', prompt: 'Nothing.', model: 'lab/none' }),
      { text: 'all done' },
    ]
    all.play((request) => {
      if (!isOpened(request)) return steps[request.turn] ?? { text: 'end' }
      if (isWoken(request)) return { text: 'so slow', after: never }
      return conversationOf(request).includes('hello') && request.exchanges.length === 0 ? hello : { text: 'done' }
    })
    const server = await place.server(withPlugin('serve'), 'all')
    const first = await openSession(server)
    await first.ask('Begin.')
    const said = answers(host, steps, lead)

    const created = await said(0)
    id = created.sessionId ?? ''
    expect(created).toMatchObject({ name: 'helper', action: { state: 'done' } })
    const request = await until('the first request of the helper', () => child()[0])
    expect(promptsOf(request)).toEqual([`Session "project" ${OPENED}\n\n${PROMPT}`])
    expect(identityIn(systemOf(request))).toEqual({ name: 'helper', id })
    const helper = hostOf(await recordOf(place, 'helper'))
    expect(await server.call('GET', `/session/${helper.hostKey}`)).toMatchObject({ title: 'helper' })
    proof(host, `the new session ${helper.hostKey} knows itself as helper (${id}); no token in its prompt`)
    const inbox = await until('the inbox', () => lead().find(({ turn }) => turn === 3))
    expect(inbox.exchanges.at(-1)?.result).toContain('hello, lead')
    proof(host, 'it did its task: its answer is in the inbox of the session that opened it')

    expect((await said(3)).action).toMatchObject({ state: 'done' })
    expect(await server.call('GET', `/session/${helper.hostKey}`)).toMatchObject({ title: 'second helper' })
    expect((await said(4)).action).toMatchObject({ state: 'done' })
    expect(await recordOf(place, 'second helper')).toMatchObject({ model: 'lab/other' })
    expect((await said(5)).action).toMatchObject({ state: 'failed' })
    expect((await said(7)).action).toMatchObject({ state: 'done', evidence: 'Its turn was aborted.' })
    await until('the bus sees it', async () => (await stateOf(place, id)) === 'idle')
    const slow = child().find(isWoken)
    proof(host, `a turn after set_model runs with ${slow && modelOf(slow)}`)
    for (const turn of [8, 9, 10]) expect((await said(turn)).action).toMatchObject({ state: 'unsupported' })
    const view = await until(
      'the query',
      () =>
        lead()
          .find(({ turn }) => turn === 12)
          ?.exchanges.at(-1)?.result,
    )
    expect(JSON.parse(view)).toMatchObject({ name: 'second helper', aliases: ['helper'], opened: { state: 'done' } })
    expect((await said(12)).action).toMatchObject({ state: 'done', evidence: expect.stringMatching(/^Archived/) })
    await until('the bus sees it', async () => (await stateOf(place, id)) === 'ended')

    const far = await said(13)
    const there = await until('a request from there', () =>
      all.requests.find((each) => conversationOf(each).includes('Work there.')),
    )
    expect(identityIn(systemOf(there))).toEqual({ name: 'far', id: far.sessionId })
    expect(systemOf(there)).toContain(elsewhere)
    const record = await recordOf(place, 'far')
    expect(record).toMatchObject({ projectPath: elsewhere })
    expect(hostOf(record).executor.id).not.toBe(helper.executor.id)
    proof(host, 'in another folder: bound as well, by the plugin that OpenCode loaded there, which performs for it')
    expect((await said(14)).action).toMatchObject({ state: 'failed' })
    expect((await place.names()).sort()).toEqual(['far', 'project', 'second helper'])
    expect((await readdir(place.project)).filter((name) => name.startsWith('PWNED'))).toEqual([])
    for (const done of ['create', 'rename', 'set_model', 'cancel', 'close'] as const) proves(host, done, 'plugin')
  })
}

async function inTerminal(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const bin = path.join(place.root, 'bin')
    const found = installed(host)
    if ('missing' in found) throw new Error(found.missing)
    await mkdir(bin)
    await symlink(found.executable, path.join(bin, 'opencode'))
    const env = { PATH: labPath(bin) }
    const all = place.model.conversation('tab')
    const lead = () => all.requests.filter((request) => !isOpened(request))
    let helper = ''
    const steps: readonly Step[] = [
      call('create_session', { name: 'helper', task: 'say hello', prompt: PROMPT }),
      call('wait_for_sessions', { sessions: ['helper'], orMessage: true }),
      manage('switch', {}, () => until('the helper is idle', async () => (await stateOf(place, helper)) === 'idle')),
      manage('set_input', { text: 'two\nlines' }),
      manage('set_input', { text: 'look at $(touch PWNED3)' }),
      manage('set_model', { model: 'lab/other' }),
      manage('close'),
      { text: 'all done' },
    ]
    all.play((request) => {
      if (!isOpened(request)) return steps[request.turn] ?? { text: 'end' }
      if (conversationOf(request).includes('In a window of your own.')) return { text: 'I have a window' }
      return request.exchanges.length === 0 && isFirstAfterPrompt(request) ? hello : { text: 'I have said it' }
    })
    const tab = await place.tab(withPlugin('tab'), 'tab', '', { env })
    await tab.shows(/Ask anything/)
    await tab.say('Begin.')
    const said = answers(host, steps, lead)
    const created = await said(0)
    helper = created.sessionId ?? ''
    expect(created).toMatchObject({ name: 'helper', action: { state: 'done' } })
    expect((await said(2)).action).toMatchObject({
      state: 'done',
      evidence: expect.stringMatching(/^The terminal was asked to show ses_\w+; .*; tmux select-window: pane %\d+/),
    })
    await tab.shows(/I have said it/)
    expect((await said(3)).action).toMatchObject({ state: 'failed' })
    expect((await said(4)).action).toMatchObject({ state: 'done' })
    await tab.shows(/\[from session project\] look at \$\(touch PWNED3\)/)
    expect((await said(5)).action).toMatchObject({
      state: 'unsupported',
      evidence: expect.stringContaining('/models'),
    })
    expect((await said(6)).action).toMatchObject({ state: 'done' })
    await until('the bus sees it', async () => (await stateOf(place, helper)) === 'ended')

    const peer = await openPeer(place, 'asker', 'opens a session', { ...env, ...(await tab.beside()) })
    const opened = Answer.parse(
      await peer.call('create_session', { host: 'opencode', name: 'window', prompt: 'In a window of your own.' }),
    )
    expect(opened.action).toMatchObject({ state: 'done' })
    const pane = /pane (%\d+)/.exec(opened.action.evidence)?.[1] ?? ''
    await tab.shows(/I have a window/, pane)
    const request = all.requests.find((each) => conversationOf(each).includes('In a window of your own.'))
    expect(request && identityIn(systemOf(request))).toEqual({ name: 'window', id: opened.sessionId })
    const query = await peer.call('query_session', { session: 'window' })
    expect(query['opened']).toMatchObject({ state: 'done' })
    expect((await place.names()).sort()).toEqual(['asker', 'helper', 'project', 'window'])
    proof(host, `opened by a session of another host: ${opened.action.evidence}; it knows itself as window`)
    const front = Answer.parse(await peer.call('manage_session', { session: 'window', operation: 'switch' }))
    expect(front.action).toMatchObject({ state: 'done', evidence: expect.stringContaining(`pane ${pane} of tmux`) })
    proof(host, `switch -> ${front.action.evidence}`)

    const { pid } = z
      .looseObject({ pid: z.number() })
      .parse(z.looseObject({ client: z.unknown() }).parse((await recordOf(place, 'window'))?.['host']).client)
    const { executor } = hostOf(await recordOf(place, 'window'))
    const claimed = path.join(place.busHome, 'actions', executor.id, 'claimed')
    const isAtIt = async () => (await readdir(claimed).catch(() => [])).length === 1
    const midway = async (): Promise<Promise<Record<string, unknown>>[]> => {
      let isOver = false
      const asking = peer.call('manage_session', { session: 'window', operation: 'set_input', text: 'too late' })
      const over = () => {
        isOver = true
      }
      asking.then(over, over)
      await until('the plugin is at it', async () => (await isAtIt()) || isOver)
      return isOver ? midway() : [asking]
    }
    // It waits for its terminal for a moment; a test that looks too late asks again.
    const [asking] = await midway()
    process.kill(pid, 'SIGKILL')
    const killed = Answer.parse(await asking)
    expect(killed.action).toMatchObject({
      state: 'unknown',
      evidence: 'its executor ended before it said how it went',
    })
    expect(await readdir(claimed)).toEqual([])
    proof(host, `killed in the middle of set_input -> ${killed.action.state}: ${killed.action.evidence}`)
    expect((await readdir(place.project)).filter((name) => name.startsWith('PWNED'))).toEqual([])
    await peer.end()
    for (const done of ['create', 'switch', 'set_input', 'close'] as const) proves(host, done, 'plugin')
    proves(host, 'create', 'tmux')
  })
}

hostTest('a session opens, steers and closes another one of its process', [opencode], onServer)
tabTest('a session opens, shows, fills and closes another one; one opens in a window', [opencode], inTerminal)
