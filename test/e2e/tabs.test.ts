/** One real session opens, steers and closes another: in tmux, and in the background where there is no tmux. */
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { z } from 'zod'
import { idle } from './lab/begin.ts'
import { answered, claudeCode, claudeCodeNewest, pluginDir, withPlugin } from './lab/claude-code.ts'
import type { Step } from './lab/conversation.ts'
import type { ModelRequest } from './lab/dialect.ts'
import { labPath } from './lab/ground.ts'
import { conversationOf, identityIn, newIn, proof } from './lab/heard.ts'
import type { Host } from './lab/host.ts'
import { hostTest, installed, tabTest } from './lab/installed.ts'
import { openPeer } from './lab/peer.ts'
import { person } from './lab/person.ts'
import { expectCleanEnd, inPlace, type Place } from './lab/place.ts'
import { endAllNaming } from './lab/processes.ts'
import { proves } from './lab/proves.ts'
import { shell } from './lab/shell.ts'
import type { Tab } from './lab/tab.ts'
import { until } from './lab/until.ts'

const PROMPT = `- say 'hello' to "lead";\n$(touch PWNED1) \`touch PWNED2\` #(touch PWNED3)`
const OPENED = 'opened this session through session-mcp and asks:'

const Answer = z.looseObject({
  sessionId: z.string().optional(),
  name: z.string().optional(),
  action: z.looseObject({ state: z.string(), evidence: z.string(), byHand: z.string().optional() }),
})

/** A HOME in which a person has installed the plugin, allowed its tools, and trusted the project. */
async function settledHome(place: Place, host: Host): Promise<Record<string, string>> {
  const me = await person(place, 'lead')
  const found = installed(host)
  if ('missing' in found) throw new Error(found.missing)
  await writeFile(path.join(me.home, '.claude.json'), JSON.stringify(answered(place)))
  await mkdir(path.join(me.home, '.claude'), { recursive: true })
  const settings = { permissions: { allow: ['mcp__plugin_session-mcp_session-mcp', 'Bash(sleep:*)'] } }
  await writeFile(path.join(me.home, '.claude', 'settings.json'), JSON.stringify(settings))
  await me.host(host, 'plugin', 'marketplace', 'add', path.dirname(pluginDir))
  await me.host(host, 'plugin', 'install', 'session-mcp@session-mcp')
  const bin = path.join(place.root, 'bin')
  await mkdir(bin)
  await symlink(found.executable, path.join(bin, 'claude'))
  return { PATH: labPath(bin) }
}

/** What a tool has answered last, as the model saw it. */
function lastOf(requests: readonly ModelRequest[], tool: string) {
  const all = requests.flatMap(({ exchanges }) => exchanges)
  const result = all.findLast((each) => each.tool.endsWith(tool) && each.result !== undefined)?.result
  if (result === undefined) throw new Error(`no result of ${tool}`)
  return Answer.parse(JSON.parse(result))
}

const LATER: Step = { tool: /^Bash$/, args: { command: 'sleep 0.3', description: 'wait' } }

const isChild = (request: ModelRequest) => conversationOf(request).includes(OPENED)

async function activityOf(place: Place, id: string): Promise<string> {
  const view = z.looseObject({ activity: z.string() }).parse(await shell(place, 'show', id))
  return view.activity
}

async function steers(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const env = await settledHome(place, host)
    const both = place.model.conversation('lead')
    const lead = () => both.requests.filter((request) => !isChild(request))
    const child = () => both.requests.filter(isChild)
    const childId = () => lastOf(lead(), 'create_session').sessionId ?? ''
    const childIs = (state: string) => () =>
      until(`the helper is ${state}`, async () => (await activityOf(place, childId())) === state)
    const manage = (operation: string, more: object = {}, after?: () => Promise<unknown>): Step => ({
      tool: /manage_session$/,
      args: { session: 'helper', operation, ...more },
      ...(after !== undefined && { after }),
    })
    let release: () => void = () => {}
    const slow = new Promise<void>((resolve) => {
      release = resolve
    })
    const steps: readonly Step[] = [
      { tool: /create_session$/, args: { name: 'helper', task: 'say hello', prompt: PROMPT } },
      { tool: /wait_for_sessions$/, args: { sessions: ['helper'], orMessage: true } },
      { tool: /read_inbox$/, args: {} },
      manage('rename', { name: 'second helper' }, childIs('idle')),
      manage('set_input', { text: `a line; with $(touch PWNED4) and #(touch PWNED5)` }),
      manage('set_model', { model: 'claude-haiku-4-5' }),
      { tool: /send_message$/, args: { to: 'second helper', content: 'take your time' } },
      manage('cancel', {}, () => until('the slow turn', () => child().some(isWoken))),
      manage('pin'),
      manage('unpin'),
      manage('switch'),
      { tool: /query_session$/, args: { session: 'helper' } },
      manage('close'),
      { text: 'all done' },
    ]
    const isWoken = (request: ModelRequest) => newIn(request).includes('session-mcp wake')
    both.play((request) => {
      if (!isChild(request)) return steps[request.exchanges.length] ?? { text: 'end' }
      if (isWoken(request)) return { text: 'so slow', after: slow }
      if (request.exchanges.some(({ tool }) => tool.endsWith('send_message'))) return { text: 'done' }
      // The host begins with its prompt before our server is connected.
      if (!request.tools.some((name) => name.endsWith('send_message'))) return LATER
      return { tool: /send_message$/, args: { to: 'project', content: 'hello, lead' } }
    })
    /** The answer to a step: it stands in the first request after it. */
    const after = (step: number) => lead().find(({ exchanges }) => exchanges.length === step + 1)
    const said = async (step: number, tool: string) => {
      const request = await until(`step ${step}`, () => after(step))
      const answer = lastOf([request], tool)
      proof(
        host,
        `${JSON.stringify(steps[step] && 'args' in steps[step] ? steps[step].args : '').slice(0, 110)} -> ${answer.action.state}: ${answer.action.evidence}${answer.action.byHand ? ` | by hand: ${answer.action.byHand}` : ''}`,
      )
      return answer
    }

    const tab = await place.tab(withPlugin(host, 'tab', 'installed'), 'lead', '', { env })
    await idle(place)
    await until('our tools are offered', async () => {
      const before = lead().length
      if (
        lead()
          .at(-1)
          ?.tools.some((name) => name.endsWith('create_session'))
      )
        return true
      await tab.say('Begin.')
      await until('a request', () => lead()[before])
      return lead()
        .at(-1)
        ?.tools.some((name) => name.endsWith('create_session'))
    })

    const created = await said(0, 'create_session')
    expect(created.action).toMatchObject({
      state: 'done',
      evidence: expect.stringMatching(/^tmux new-window: pane %\d+/),
    })
    await until('the helper’s first request', () => child()[0])
    const first = child()[0]
    if (first === undefined) throw new Error('no request')
    expect(conversationOf(first)).toContain(`Session "project" ${OPENED}\n\n${PROMPT}\n`)
    expect(identityIn(conversationOf(first))).toEqual({ name: 'helper', id: childId() })
    proof(host, `the new session knows itself as helper (${childId()}); its prompt arrived unchanged`)
    const read = await until('the lead has read the answer', () => after(2))
    expect(read.exchanges.at(-1)?.result).toContain('hello, lead')
    proof(host, 'it did its task: its answer is in the inbox of the session that opened it')

    const renamed = await said(3, 'manage_session')
    expect(renamed).toMatchObject({ name: 'second helper', action: { state: 'done' } })
    expect(renamed.action.evidence).toMatch(
      /keystrokes: \/rename second helper, and its screen says so; tmux rename-window/,
    )
    const typed = await said(4, 'manage_session')
    expect(typed.action).toMatchObject({
      state: 'done',
      evidence: expect.stringMatching(/^keystrokes: typed .* not sent/),
    })
    expect((await said(5, 'manage_session')).action).toMatchObject({
      state: 'unsupported',
      byHand: expect.stringContaining('/model'),
    })
    const cancelled = await said(7, 'manage_session')
    expect(cancelled.action).toMatchObject({ state: 'done', evidence: expect.stringMatching(/^keystrokes: Escape/) })
    await childIs('idle')()
    for (const step of [8, 9, 10]) expect((await said(step, 'manage_session')).action.state).toBe('done')
    const asked = await until('the query', () => after(11))
    const view = JSON.parse(asked.exchanges.at(-1)?.result ?? '{}')
    expect(view).toMatchObject({
      name: 'second helper',
      aliases: ['helper'],
      spawnedBy: expect.any(String),
      opened: { state: 'done' },
    })
    const closed = await said(12, 'manage_session')
    expect(closed.action).toMatchObject({
      state: 'done',
      evidence: expect.stringMatching(/^tmux kill-pane %\d+; its process \d+ has ended/),
    })
    await childIs('ended')()
    release()
    expect((await readdir(place.project)).filter((name) => name.startsWith('PWNED'))).toEqual([])
    expect(Object.keys(await place.files('sessions'))).toHaveLength(2)
    proof(host, 'nothing in the prompt or the typed line ran; two sessions were on the bus, no third')
    for (const done of ['create', 'rename', 'set_input', 'cancel', 'pin', 'switch', 'close'] as const)
      proves(host, done, 'tmux')
  })
}

/** What the pane shows of the question, once all of it is there. */
function drawn(tab: Tab, pane: string): Promise<string> {
  return until('the question is drawn', async () => {
    const [one, other] = [await tab.shows(/trust this folder/, pane), await tab.shows(/./, pane)]
    return one === other && /Yes, I trust/.test(one) ? one : undefined
  })
}

/** The host asks its person about a folder before anything of ours runs in it. */
async function waitsForTrust(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const env = await settledHome(place, host)
    place.model.conversation('lead').play(() => ({ text: 'done' }))
    const tab = await place.tab(withPlugin(host, 'tab', 'installed'), 'lead', '', { env })
    await idle(place)
    const beside = await tab.beside()
    const peer = await openPeer(place, 'asker', 'opens a session', { ...env, ...beside })
    const projectPath = path.join(place.root, 'new folder')
    await mkdir(projectPath)
    const created = await peer.call('create_session', {
      host: 'claude-code',
      name: 'helper',
      prompt: 'Begin.',
      projectPath,
    })
    const { place: _, ...action } = created['action'] as { state: string; evidence: string; place?: string }
    expect(action).toMatchObject({ state: 'done' })
    const pane = /pane (%\d+)/.exec(action.evidence)?.[1] ?? ''
    const dialog = await drawn(tab, pane)
    console.log(dialog.trim().split('\n').slice(0, 12).join('\n'))
    const opened = async () =>
      (await peer.call('query_session', { session: 'helper' }))['opened'] as { state: string; evidence: string }
    expect(await opened()).toMatchObject({ state: 'requested', evidence: expect.stringMatching(/not registered yet$/) })
    for (const operation of ['set_input', 'cancel', 'close'] as const) {
      const { action } = await peer.call('manage_session', {
        session: 'helper',
        operation,
        ...(operation === 'set_input' && { text: '1' }),
      })
      expect(action).toMatchObject({
        state: 'failed',
        evidence: expect.stringMatching(/which process it runs in is not known/),
      })
    }
    expect(await drawn(tab, pane)).toBe(dialog)
    await until('the choice is made', async () => {
      const before = await tab.shows(/./, pane)
      if (/❯ Yes, I trust/.test(before)) return true
      await tab.pressIn(pane, 'Down')
      // A dialog that has just appeared takes no keys; a slow one may take them late, so each is waited for.
      const moves = async () => (await tab.shows(/./, pane)) !== before
      await until('the choice moves', moves, 10_000).catch(() => undefined)
      return false
    })
    // A burst of keys is answered with the choice that stood there before.
    await delay(500)
    await tab.pressIn(pane, 'Enter')
    await until('it has registered', async () => (await opened()).state === 'done')
    proof(
      host,
      `a folder nobody trusts: ${action.evidence}; it waits in the dialog, untouched, and registers once a person has answered`,
    )
    await peer.end()
  })
}

/** `claude --bg`: what asks has no tmux. */
async function inBackground(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const env = await settledHome(place, host)
    const both = place.model.conversation('lead')
    const lead = () => both.requests.filter((request) => !isChild(request))
    const child = () => both.requests.filter(isChild)
    const childId = () => lastOf(lead(), 'create_session').sessionId ?? ''
    const steps: readonly Step[] = [
      { tool: /create_session$/, args: { name: 'helper', task: 'say hello', prompt: PROMPT } },
      { tool: /wait_for_sessions$/, args: { sessions: ['helper'], orMessage: true } },
      { tool: /manage_session$/, args: { session: 'helper', operation: 'cancel' } },
      {
        tool: /manage_session$/,
        args: { session: 'helper', operation: 'close' },
        after: () => until('the helper is idle', async () => (await activityOf(place, childId())) === 'idle'),
      },
    ]
    both.play((request) => {
      if (!isChild(request)) return steps[request.exchanges.length] ?? { text: 'end' }
      if (request.exchanges.some(({ tool }) => tool.endsWith('send_message'))) return { text: 'done' }
      if (!request.tools.some((name) => name.endsWith('send_message'))) return LATER
      return { tool: /send_message$/, args: { to: 'project', content: 'hello, lead' } }
    })
    try {
      expectCleanEnd(await place.run(withPlugin(host, 'print', 'installed'), 'lead', 'Begin.', { env }))
      const { exchanges = [] } = lead().at(-1) ?? {}
      const [created, , cancelled, closed] = exchanges.map(({ result }) => JSON.parse(result ?? '{}'))
      for (const { action } of [created, cancelled, closed]) {
        proof(host, `${action.kind} -> ${action.state}: ${action.evidence} | by hand: ${action.byHand}`)
      }
      expect(created.action).toMatchObject({
        state: 'done',
        evidence: expect.stringMatching(/^claude --bg: job [0-9a-f]+/),
      })
      expect(cancelled.action).toMatchObject({ state: 'unsupported', byHand: expect.stringContaining('claude attach') })
      expect(closed.action).toMatchObject({
        state: 'done',
        evidence: expect.stringMatching(/^claude stop [0-9a-f]+: stopped/),
      })
      const [first] = child()
      if (first === undefined) throw new Error('no request')
      expect(conversationOf(first)).toContain(`Session "project" ${OPENED}\n\n${PROMPT}\n`)
      expect(identityIn(conversationOf(first))).toEqual({ name: 'helper', id: childId() })
      const sessions = Object.values(await place.files('sessions'))
      expect(sessions.map(({ name }) => name).sort()).toEqual(['helper', 'project'])
      expect(await activityOf(place, childId())).toBe('ended')
      expect((await readdir(place.project)).filter((name) => name.startsWith('PWNED'))).toEqual([])
      proof(host, 'bound by its first prompt: two sessions on the bus, no third; nothing in the prompt ran')
      proves(host, 'create', 'background')
      proves(host, 'close', 'background')
    } finally {
      await (await person(place, 'lead')).host(host, 'daemon', 'stop', '--any').catch(() => undefined)
      // The host's background service keeps a spare session for a while.
      await endAllNaming(place.root)
    }
  })
}

for (const host of [claudeCodeNewest, claudeCode]) {
  tabTest(
    'a session opens another, which registers, answers, is renamed, typed to, cancelled, pinned and closed',
    [host],
    steers,
  )
}
hostTest('without tmux a session is opened in the background, and stopped', [claudeCodeNewest], inBackground)
tabTest('a session in a folder nobody trusts waits for a person, and registers then', [claudeCodeNewest], waitsForTrust)
