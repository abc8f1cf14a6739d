/** Sessions of Codex are opened, renamed, cancelled and closed: by its background server, and in windows that show it. */
import { mkdir, readFile, symlink } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'vitest'
import { z } from 'zod'
import { claudeCodeNewest, withPlugin } from './lab/claude-code.ts'
import { codex, wired } from './lab/codex.ts'
import { type CodexHome, endDaemon, wiredHome } from './lab/codex-home.ts'
import type { Step } from './lab/conversation.ts'
import type { ModelRequest } from './lab/dialect.ts'
import { labPath } from './lab/ground.ts'
import { conversationOf, identityIn, newIn, proof } from './lab/heard.ts'
import type { Host } from './lab/host.ts'
import { installed, tabTest } from './lab/installed.ts'
import { openPeer, type Peer } from './lab/peer.ts'
import { inPlace, type Place } from './lab/place.ts'
import { proves } from './lab/proves.ts'
import type { Tab } from './lab/tab.ts'
import { until } from './lab/until.ts'

const Answer = z.looseObject({
  sessionId: z.string().optional(),
  name: z.string().optional(),
  action: z.looseObject({ state: z.string(), evidence: z.string(), byHand: z.string().optional() }),
})

const PROMPT = `- say 'hello';\n$(touch PWNED1) \`touch PWNED2\``
const OPENED = 'opened this session through session-mcp and asks:'
const LIMITS = /<permissions instructions>[\s\S]*?<\/permissions instructions>/
const THREAD = '[0-9a-f-]{36}'

const modelOf = ({ body }: ModelRequest) => (body as { model: string }).model
const isOpened = (request: ModelRequest) => conversationOf(request).includes(OPENED)

const activityOf = async (place: Place, id: string) => (await place.files('activity'))[`${id}.json`]?.['state']

const isNow = (state: string, place: Place, id: string) =>
  until(`${id} is ${state}`, async () => (await activityOf(place, id)) === state)

async function tell(what: string, answer: unknown) {
  const { action, ...rest } = Answer.parse(answer)
  const byHand = action.byHand === undefined ? '' : ` | by hand: ${action.byHand}`
  proof(codex, `${what} -> ${action.state}: ${action.evidence}${byHand}`)
  return { ...rest, action }
}

async function pathWithCodex(place: Place): Promise<string> {
  const found = installed(codex)
  if ('missing' in found) throw new Error(found.missing)
  const bin = path.join(place.root, 'bin')
  await mkdir(bin)
  await symlink(found.executable, path.join(bin, 'codex'))
  return labPath(bin)
}

function manages(peer: Peer, session: string) {
  return async (operation: string, more: object = {}) => {
    const answer = await peer.call('manage_session', { session, operation, ...more })
    return (await tell(`${operation} ${JSON.stringify(more)}`, answer)).action
  }
}

/** A turn that lasts until it is released. */
function slowly() {
  let release: () => void = () => {}
  const slow = new Promise<void>((resolve) => {
    release = resolve
  })
  const play = (request: ModelRequest): Step =>
    newIn(request).includes('slowly') ? { text: 'slow', after: slow } : { text: 'quick' }
  return { release: () => release(), play }
}

/** A terminal of a person, which starts the background server. */
async function worker(place: Place, me: CodexHome): Promise<{ tab: Tab; id: string; first: ModelRequest }> {
  const { requests } = place.model.conversation('worker')
  const tab = await place.tab(wired('tab'), 'worker', '')
  await tab.shows(/\? for shortcuts/)
  await tab.say('Begin.')
  const first = await until('a first turn', () => requests[0])
  const id = identityIn(conversationOf(first))?.id ?? ''
  await isNow('idle', place, id)
  const { [`${id}.json`]: session } = await place.files('sessions')
  expect(session).toMatchObject({ host: { folder: path.dirname(me.config) } })
  return { tab, id, first }
}

tabTest('a session that the background server holds is renamed, cancelled and closed by it', [codex], async () => {
  await inPlace(async (place) => {
    const me = await wiredHome(place, 'worker')
    const { play, release } = slowly()
    const { requests } = place.model.conversation('worker')
    place.model.conversation('worker').play(play)
    const { tab, id } = await worker(place, me)
    const settings = await readFile(me.config, 'utf8')
    const peer = await openPeer(place, 'lead')
    const manage = manages(peer, id)

    expect(await manage('rename', { name: 'second name' })).toMatchObject({
      state: 'done',
      evidence: expect.stringContaining('app server of Codex: its name is "second name" now'),
    })
    await tab.shows(/second name/)
    expect(await manage('set_model', { model: 'other' })).toMatchObject({ state: 'done' })
    const byHand = `In a terminal: codex resume ${id}`
    for (const operation of ['switch', 'pin', 'unpin']) {
      expect(await manage(operation)).toMatchObject({ state: 'unsupported', byHand })
    }
    expect(await manage('set_input', { text: 'typed' })).toMatchObject({ state: 'unsupported', byHand })
    expect(await manage('set_scene', { scene: 'any' })).toMatchObject({ state: 'unsupported' })
    expect(await manage('cancel')).toMatchObject({ state: 'failed', evidence: expect.stringContaining('no turn') })

    await tab.say('Now slowly.')
    const request = await until('the slow turn', () => requests.find((each) => newIn(each).includes('slowly')))
    expect(modelOf(request)).toBe('other')
    await isNow('working', place, id)
    expect(await manage('cancel')).toMatchObject({
      state: 'done',
      evidence: expect.stringMatching(/ is interrupted; until/),
    })
    await tab.shows(/Conversation interrupted/)
    await isNow('idle', place, id)

    expect(await manage('close')).toMatchObject({
      state: 'done',
      byHand: expect.stringContaining(`codex resume ${id}`),
    })
    await isNow('ended', place, id)
    expect(await readFile(me.config, 'utf8')).toBe(settings)
    // The terminal stays open: what its person says next goes on with the same conversation.
    const before = requests.length
    release()
    await tab.say('Are you there?')
    const again = await until('a turn after the close', () => requests[before])
    expect(conversationOf(again)).toContain('Begin.')
    await isNow('idle', place, id)
    for (const done of ['rename', 'set_model', 'cancel', 'close'] as const) proves(codex, done, 'app-server')
    proof(codex, 'closed and gone on with in its terminal: the conversation was kept; config.toml is as it was')
    for (const done of ['rename', 'set_model', 'cancel', 'close'] as const) proves(codex, done, 'app-server')
    await peer.end()
    await tab.end()
    await endDaemon(me)
  })
})

tabTest('without tmux the background server opens a session, with its person’s limits', [codex], async () => {
  await inPlace(async (place) => {
    const me = await wiredHome(place, 'worker')
    const { play, release } = slowly()
    const conversation = place.model.conversation('worker')
    conversation.play(play)
    const peer = await openPeer(place, 'lead', 'opens sessions', { HOME: me.home, PATH: '/usr/bin:/bin' })
    const create = (more: object = {}) =>
      peer.call('create_session', { host: 'codex', name: 'helper', prompt: PROMPT, ...more })
    expect((await tell('create, before any terminal', await create())).action).toMatchObject({ state: 'unsupported' })

    const { tab, first } = await worker(place, me)
    const settings = await readFile(me.config, 'utf8')
    const { sessionId: id = '', action } = await tell('create', await create())
    expect(action).toMatchObject({
      state: 'done',
      evidence: expect.stringMatching(
        new RegExp(`^app server of Codex: thread ${THREAD} in ${place.project}, (?:active|idle);`),
      ),
    })
    const opened = await until('its first turn', () => conversation.requests.find(isOpened))
    expect(conversationOf(opened)).toContain(PROMPT)
    expect(identityIn(conversationOf(opened))).toEqual({ name: 'helper', id })
    expect(LIMITS.exec(JSON.stringify(opened.body))?.[0]).toBe(LIMITS.exec(JSON.stringify(first.body))?.[0])
    expect(LIMITS.exec(JSON.stringify(first.body))).not.toBeNull()
    await isNow('idle', place, id)
    expect((await place.names()).sort()).toEqual(['helper', 'lead', 'project'])
    proof(
      codex,
      'bound by its first prompt, under its name, no third session; the same limits as its person’s terminal',
    )
    proves(codex, 'create', 'app-server')

    proves(codex, 'create', 'app-server')
    const manage = manages(peer, 'helper')
    await peer.call('send_message', { to: 'helper', content: 'take it slowly', intent: 'request' })
    // What wakes it is ours, so the slow turn is the one that is told of the message.
    await until('the slow turn', () =>
      conversation.requests.find((each) => isOpened(each) && newIn(each).includes('slowly')),
    )
    expect(await manage('cancel')).toMatchObject({ state: 'done' })
    expect(await manage('close')).toMatchObject({ state: 'done' })
    await isNow('ended', place, id)
    release()
    expect(await readFile(me.config, 'utf8')).toBe(settings)
    await peer.end()
    await tab.end()
    await endDaemon(me)
  })
})

async function fromClaudeCode(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const me = await wiredHome(place, 'lead')
    const PATH = await pathWithCodex(place)
    const { play, release } = slowly()
    const helper = place.model.conversation('helper')
    helper.play(play)
    const idOf = async () => {
      const all = Object.values(await place.files('sessions'))
      return String(all.find(({ host: each }) => (each as { kind: string }).kind === 'codex')?.['id'])
    }
    const manage = (operation: string, more: object = {}, after?: () => Promise<unknown>): Step => ({
      tool: /manage_session$/,
      args: { session: 'helper', operation, ...more },
      ...(after !== undefined && { after }),
    })
    const isIdle = async () => {
      await until('its first turn', () => helper.requests[0])
      await isNow('idle', place, await idOf())
    }
    const isSlow = () => until('the slow turn', () => helper.requests.find((each) => newIn(each).includes('slowly')))
    const steps: readonly Step[] = [
      { tool: /create_session$/, args: { host: 'codex', name: 'helper', prompt: PROMPT } },
      manage('rename', { name: 'second helper' }, isIdle),
      manage('switch'),
      manage('pin'),
      manage('set_input', { text: 'typed' }),
      { tool: /send_message$/, args: { to: 'second helper', content: 'take it slowly', intent: 'request' } },
      manage('cancel', {}, isSlow),
      manage('close'),
      { text: 'all done' },
    ]
    const lead = place.model.conversation('lead')
    lead.play((request) => {
      if (!request.tools.some((name) => name.endsWith('create_session'))) return { text: 'not connected' }
      return steps[request.exchanges.length] ?? { text: 'end' }
    })
    const tab = await place.tab(withPlugin(host, 'tab'), 'lead', '', { env: { PATH, LAB_KEY: 'helper' } })
    await until('the lead is idle', async () => Object.values(await place.files('activity'))[0]?.['state'] === 'idle')
    await until('our tools are offered', async () => {
      const before = lead.requests.length
      await tab.say('Begin.')
      const request = await until('a request', () => lead.requests[before])
      return request.tools.some((name) => name.endsWith('create_session'))
    })
    const said = async (step: number) => {
      const ask = steps[step]
      const result = await until(
        `step ${step}`,
        () => lead.requests.find(({ exchanges }) => exchanges.length > step)?.exchanges[step]?.result,
      )
      return tell(JSON.stringify(ask && 'args' in ask ? ask.args : '').slice(0, 90), JSON.parse(result))
    }

    const created = await said(0)
    expect(created.action).toMatchObject({
      state: 'done',
      evidence: expect.stringMatching(/^tmux new-window: pane %\d+/),
    })
    const pane = /pane (%\d+)/.exec(created.action.evidence)?.[1] ?? ''
    const first = await until('its first turn', () => helper.requests[0])
    expect(conversationOf(first)).toContain(`Session "project" ${OPENED}`)
    expect(identityIn(conversationOf(first))).toEqual({ name: 'helper', id: created.sessionId })
    expect((await said(1)).action).toMatchObject({
      state: 'done',
      evidence: expect.stringMatching(/app server of Codex: its name is "second helper" now; tmux rename-window/),
    })
    await tab.shows(/second helper/, pane)
    for (const step of [2, 3]) expect((await said(step)).action).toMatchObject({ state: 'done' })
    expect((await said(4)).action).toMatchObject({ state: 'unsupported' })
    expect((await said(6)).action).toMatchObject({
      state: 'done',
      evidence: expect.stringMatching(/ is interrupted; until/),
    })
    expect((await said(7)).action).toMatchObject({
      state: 'done',
      evidence: `app server of Codex: the conversation is ended, and kept; tmux kill-pane ${pane}`,
    })
    await isNow('ended', place, created.sessionId ?? '')
    expect((await place.names()).sort()).toEqual(['project', 'second helper'])
    for (const done of ['create', 'switch', 'pin'] as const) proves(codex, done, 'tmux')
    proof(codex, 'opened by Claude Code in a window, bound by its first prompt; two sessions on the bus, no third')
    for (const done of ['create', 'switch', 'pin'] as const) proves(codex, done, 'tmux')
    release()
    await tab.end()
    await endDaemon(me)
  })
}

tabTest(
  'a session of Claude Code opens one of Codex in a window, and steers it',
  [claudeCodeNewest, codex],
  fromClaudeCode,
)

tabTest(
  'a session that its terminal runs alone is typed to, cancelled, renamed and closed by tmux',
  [codex],
  async () => {
    await inPlace(async (place) => {
      await wiredHome(place, 'worker')
      const { play, release } = slowly()
      const { requests } = place.model.conversation('worker')
      place.model.conversation('worker').play(play)
      const tab = await place.tab(wired('tab'), 'worker', '', { flags: ['--no-daemon'] })
      await tab.shows(/\? for shortcuts/)
      await tab.say('Begin.')
      const first = await until('a first turn', () => requests[0])
      const id = identityIn(conversationOf(first))?.id ?? ''
      await isNow('idle', place, id)
      const peer = await openPeer(place, 'lead')
      const manage = manages(peer, id)
      expect(await manage('rename', { name: 'second name' })).toMatchObject({
        state: 'done',
        evidence: expect.stringMatching(/keystrokes: \/rename second name, and its screen says so; tmux rename-window/),
      })
      expect(await manage('set_model', { model: 'other' })).toMatchObject({ state: 'unsupported' })
      expect(await manage('set_input', { text: 'typed' })).toMatchObject({ state: 'done' })
      await tab.press('C-u')
      await tab.say('Now slowly.')
      await until('the slow turn', () => requests.find((each) => newIn(each).includes('slowly')))
      await isNow('working', place, id)
      expect(await manage('cancel')).toMatchObject({
        state: 'done',
        evidence: expect.stringMatching(/^keystrokes: Escape/),
      })
      release()
      expect(await manage('close')).toMatchObject({ state: 'done', evidence: expect.stringMatching(/^tmux kill-pane/) })
      for (const done of ['rename', 'set_input', 'cancel', 'close'] as const) proves(codex, done, 'tmux')
      await peer.end()
      for (const done of ['rename', 'set_input', 'cancel', 'close'] as const) proves(codex, done, 'tmux')
    })
  },
)

tabTest('a window that its person has gone on in is left alone', [codex], async () => {
  await inPlace(async (place) => {
    const me = await wiredHome(place, 'worker')
    const conversation = place.model.conversation('worker')
    conversation.play(() => ({ text: 'quick' }))
    const { tab, id: first } = await worker(place, me)
    const PATH = await pathWithCodex(place)
    const peer = await openPeer(place, 'lead', 'opens', { HOME: me.home, PATH, ...(await tab.beside()) })
    const opened = await peer.call('create_session', { host: 'codex', name: 'helper', prompt: PROMPT })
    const { sessionId: id = '', action } = await tell('create', opened)
    const pane = /pane (%\d+)/.exec(action.evidence)?.[1] ?? ''
    await until('its first turn', () => conversation.requests.find(isOpened))
    await isNow('idle', place, id)
    await tab.pressIn(pane, '-l', '--', `/resume ${first}`)
    await tab.shows(new RegExp(`› /resume ${first}`), pane)
    await tab.pressIn(pane, 'Enter')
    await tab.shows(/^› Begin\.$/m, pane)
    const closed = await manages(peer, 'helper')('close')
    expect(closed).toMatchObject({
      state: 'done',
      evidence: expect.stringMatching(/^app server of Codex: the conversation is ended, and kept; its window .* stays/),
    })
    await isNow('ended', place, id)
    await isNow('idle', place, first)
    await tab.shows(/^› Begin\.$/m, pane)
    await peer.end()
    await tab.end()
    await endDaemon(me)
  })
})
