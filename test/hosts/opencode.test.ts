/** The adapter on what OpenCode really says: test/hosts/payloads/opencode, recorded by test/e2e/opencode-payloads.test.ts. */
import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SessionMcp } from '../../plugins/opencode/index.ts'
import { checkHookLog } from '../../src/cli/doctor/hook-log.ts'
import { HUMAN } from '../../src/core/caller.ts'
import { cleanId } from '../../src/core/ids.ts'
import { failingOpen } from '../../src/hosts/opencode/fail-open.ts'
import { until } from '../e2e/lab/until.ts'
import { CHILD, MAIN, openPlace, PAYLOAD_NAMES, type Place, payload } from './opencode-place.ts'

let place: Place
beforeEach(async () => {
  place = await openPlace()
})
afterEach(() => place.close())

const activity = async (id = MAIN) => (await place.bus.store.sessions.read(id))?.activity
const ids = async () => (await place.bus.store.sessions.list()).entries.map(({ session }) => session.id)
const system = async (id?: string) =>
  (await place.play('experimental.chat.system.transform', id))['system'] as readonly string[]
/** A prompt, and the turn it starts. */
const prompt = async () => {
  await place.play('chat.message')
  await place.play('event.session.status')
}
const told = async (id?: string) => (await system(id)).slice(1).join('\n')
const send = (content: string, more = {}) => place.bus.bus.send(HUMAN, { to: [MAIN], content, ...more })

describe('a session of OpenCode', () => {
  it('is on the bus from its creation, with the process of OpenCode as its client and a way to be woken', async () => {
    await place.play('event.session.created')
    const session = (await place.bus.store.sessions.read(MAIN))?.session
    expect(session).toMatchObject({
      projectPath: '/lab/project',
      name: 'project',
      host: { kind: 'opencode', version: '1.18.33', hostKey: MAIN, doors: ['prompt-async'] },
    })
    expect(session?.host.client).toEqual(place.bus.processes.self)
  })

  it('works, waits for the person, works on, and is idle, as its events say', async () => {
    const states: unknown[] = []
    for (const name of [
      'event.session.created',
      'chat.message',
      'event.session.status',
      'event.permission.asked',
      'event.permission.replied',
      'event.question.asked',
      'event.question.replied',
      'event.session.idle',
      'event.session.status',
      'event.session.error',
      'event.session.idle',
      'event.session.deleted',
    ]) {
      await place.play(name)
      states.push((await activity())?.state)
    }
    expect(states).toEqual([
      ...['idle', 'idle', 'working', 'needs_permission', 'working', 'needs_input', 'working', 'idle', 'working'],
      ...['working', 'idle', 'ended'],
    ])
  })

  it('that is archived has ended, and a prompt brings it back', async () => {
    await place.play('event.session.created')
    await place.play('event.session.updated')
    expect((await activity())?.state).toBe('idle')
    await place.play('event.session.updated.archived')
    expect(await activity()).toMatchObject({ state: 'ended', evidence: 'session end (archived)' })
    await prompt()
    await place.play('event.session.updated.archived')
    expect((await activity())?.state).toBe('working')
    // A client takes it back, and archives it again.
    await place.play('event.session.updated')
    await place.play('event.session.updated.archived')
    expect((await activity())?.state).toBe('ended')
  })

  it('that was there before the plugin is found by its first prompt', async () => {
    place.sessions.set(MAIN, info('event.session.updated'))
    await place.play('chat.message')
    expect(await ids()).toEqual([MAIN])
    expect(await told()).toContain(`(id ${MAIN})`)
  })

  it('is told who it is in every request, and of unread mail until it is read', async () => {
    await place.play('event.session.created')
    await prompt()
    for (const text of [await told(), await told()]) expect(text.split('\n')).toHaveLength(1)
    await send('hello', { activate: 'never' })
    for (const text of [await told(), await told()]) expect(text).toContain('"hello"')
  })

  it('is told once in a request, however often the plugin was loaded', async () => {
    await place.play('event.session.created')
    const output = payload('experimental.chat.system.transform').output
    for (const _ of ['one', 'two']) await place.call('experimental.chat.system.transform', { sessionID: MAIN }, output)
    expect(output['system']).toHaveLength(2)
  })

  it('C167: a request for a title, or for no session, stays as it is', async () => {
    await place.play('event.session.created')
    expect((await place.play('experimental.chat.system.transform.title'))['system']).toEqual(
      payload('experimental.chat.system.transform.title').output['system'],
    )
    const output = payload('experimental.chat.system.transform').output
    await place.call('experimental.chat.system.transform', {}, output)
    expect(output['system']).toHaveLength(1)
  })
})

describe('a call of a tool', () => {
  const args = async (change: (input: Record<string, unknown>, args: Record<string, unknown>) => void, id?: string) =>
    (
      await place.play('tool.execute.before', id, ({ input, output }) =>
        change(input, output['args'] as Record<string, unknown>),
      )
    )['args']

  it('of ours says which session calls, whatever the model wrote there', async () => {
    await place.play('event.session.created')
    expect(await args(() => undefined)).toEqual({ _session: MAIN })
    expect(await args((_, given) => Object.assign(given, { _session: 'another', _agent: 'x', to: 'b' }))).toEqual({
      _session: MAIN,
      to: 'b',
    })
  })

  it('of others is left alone', async () => {
    await place.play('event.session.created')
    for (const tool of ['bash', 'other_send_message', 'session-mcpx_list', 'read_inbox'])
      expect(await args((input) => Object.assign(input, { tool }))).toEqual({})
  })

  it('is known under any name a person gave our server', async () => {
    await place.play('event.session.created')
    await place.play('config', MAIN, ({ input }) => {
      const { 'session-mcp': ours } = input['mcp'] as Record<string, unknown>
      const other = { type: 'local', command: ['node', '/x/index.js'] }
      input['mcp'] = { 'my bus.1': ours, my_bus_1_two: other, other, remote: {} }
    })
    expect(await args((input) => Object.assign(input, { tool: 'my_bus_1_read_inbox' }))).toEqual({ _session: MAIN })
    for (const tool of ['other_read_inbox', 'remote_read_inbox', 'my_bus_1_two_read_inbox'])
      expect(await args((input) => Object.assign(input, { tool }))).toEqual({})
  })

  it('out of a session the bus does not know names nobody', async () => {
    expect(await args((_, given) => Object.assign(given, { _session: 'another' }))).toEqual({})
  })
})

describe('C049: a subagent', () => {
  beforeEach(async () => {
    await place.play('event.session.created')
    await place.play('event.session.created.child', CHILD)
  })

  it('has no session of its own; its calls count for its parent, as a subagent’s', async () => {
    expect(await ids()).toEqual([MAIN])
    const { args } = await place.play('tool.execute.before', CHILD)
    expect(args).toEqual({ _session: MAIN, _agent: CHILD })
  })

  it('is told nothing, and its prompts and ends are not its parent’s', async () => {
    await prompt()
    await send('for the parent', { activate: 'never' })
    await place.play('chat.message', CHILD)
    expect(await told(CHILD)).toBe('')
    await place.play('event.session.idle', CHILD)
    await place.play('event.session.deleted', CHILD)
    expect((await activity())?.state).toBe('working')
    expect(await told()).toContain('"for the parent"')
  })

  it('that waits for the person keeps its parent waiting', async () => {
    await prompt()
    await place.play('event.permission.asked', CHILD)
    expect((await activity())?.state).toBe('needs_permission')
  })
})

describe('a wake', () => {
  it('starts a turn with our text alone, with the agent and model of the last prompt, and is proven by its prompt', async () => {
    await place.play('event.session.created')
    await prompt()
    await place.play('event.session.idle')
    place.sessions.set(MAIN, { ...info('event.session.updated'), agent: 'plan' })
    const { messageId } = await send('the words of a peer', { activationMessage: 'look' })
    const turn = await until('a turn', () => place.turns[0])
    const text = expect.stringMatching(/^session-mcp wake [0-9a-z]+: 1 unread message\. Use read_inbox\.$/)
    expect(turn).toEqual({
      id: MAIN,
      body: {
        parts: [{ type: 'text', text }],
        agent: 'plan',
        model: { providerID: 'lab', modelID: 'scripted' },
      },
    })
    await place.play('chat.message', MAIN, ({ output }) => Object.assign(output, { parts: turn.body['parts'] }))
    expect(await told()).toContain(
      'This turn was started by a message from the person at this machine, through the shell: "look"',
    )
    const [row] = (await place.bus.bus.receipt(HUMAN, messageId)).recipients
    expect(row).toMatchObject({ turnStartedAt: expect.any(String) })
  })

  it('never leaves the agent of the last prompt, even where OpenCode does not say which one that was', async () => {
    await place.play('event.session.created')
    await place.play('chat.message', MAIN, ({ output }) =>
      Object.assign(output['message'] as object, { agent: 'plan' }),
    )
    await place.play('event.session.idle')
    await send('hello')
    expect((await until('a turn', () => place.turns[0])).body).toMatchObject({ agent: 'plan' })
  })

  it('comes also after a message that was noted down without a turn', async () => {
    await place.play('event.session.created')
    await place.play('chat.message')
    expect((await activity())?.state).toBe('idle')
    await send('hello')
    await until('a turn', () => place.turns[0])
  })

  it('C103: comes after the turn for mail that must not wait, once, however often OpenCode says that it is idle', async () => {
    await place.play('event.session.created')
    await prompt()
    await told()
    await send('please', { intent: 'request' })
    expect(place.turns).toEqual([])
    for (const _ of ['one', 'two', 'three']) await place.play('event.session.idle')
    await until('a turn', () => place.turns[0])
    await place.play('event.session.idle')
    expect(place.turns).toHaveLength(1)
  })

  it('does not come after a turn that was broken off', async () => {
    await place.play('event.session.created')
    await prompt()
    await send('please', { intent: 'request' })
    await place.play('event.session.error')
    for (const _ of ['one', 'two']) await place.play('event.session.idle')
    expect((await activity())?.evidence).toBe('the turn was broken off')
    await send('now')
    const turn = await until('a turn', () => place.turns[0])
    expect(JSON.stringify(turn.body)).toContain('2 unread messages')
    expect(place.turns).toHaveLength(1)
  })
})

describe('an OpenCode that is newer than we know', () => {
  const GARBAGE = [undefined, null, [], 'text', 7, {}, { event: null }, { event: { type: 'x' } }, { sessionID: 7 }]

  it('C173: no hook ever throws, whatever it is given, and no session is made up', async () => {
    for (const name of PAYLOAD_NAMES) {
      const hook = name.startsWith('event.') ? 'event' : name.replace(/\.title$/, '')
      for (const input of GARBAGE) for (const output of GARBAGE) await place.call(hook, input, output)
    }
    expect(await ids()).toEqual([])
  })

  it('any field may be missing: each hook resolves, and what is not understood is said once, for doctor to show', async () => {
    for (const name of PAYLOAD_NAMES) {
      for (const leaf of paths(payload(name).input)) {
        await place.play(name, MAIN, ({ input }) => remove(input, leaf))
        await place.play(name, CHILD, ({ output }) => remove(output, leaf))
      }
    }
    const strange = place.log().filter(({ event }) => event === 'strange')
    const what = strange.map((line) => line['what'])
    expect(what).toContain('session.created without a session')
    expect(what).toContain('chat.message without a sessionID')
    expect(new Set(what).size).toBe(what.length)
    const [line] = checkHookLog(place.home)
    expect(line?.text).toContain('without disturbing their sessions')
  })

  it('that does not ask for the system prompt any more is told of', async () => {
    await place.play('event.session.created')
    await prompt()
    await place.play('event.session.idle')
    expect(place.log().filter(({ event }) => event === 'strange')).toMatchObject([
      {
        level: 'warn',
        event: 'strange',
        host: 'opencode',
        version: '1.18.33',
        what: expect.stringContaining('system.transform'),
      },
    ])
  })

  it('whose client has other calls costs the wake, and nothing else', async () => {
    await place.close()
    place = await openPlace({ client: { session: { get: async () => ({}) } } })
    await place.play('event.session.created')
    await send('hello')
    await until('a line in the log', () =>
      place.log().find(({ fault }) => String(JSON.stringify(fault)).includes('no session.promptAsync')),
    )
    expect(await told()).toContain('"hello"')
  })
})

it('a hook that never ends holds OpenCode up for a limited time, and is told of', async () => {
  const never = () => new Promise<void>(() => {})
  const told: unknown[] = []
  expect(await failingOpen('event', never, (...fault) => told.push(fault), 1)({}, {})).toBeUndefined()
  expect(told).toEqual([['event', new Error('no answer within 1 ms')]])
})

describe('a bus that cannot be reached', () => {
  it('costs nothing but what it would have said', async () => {
    await place.play('event.session.created')
    fs.rmSync(place.home, { recursive: true })
    fs.writeFileSync(place.home, 'a file in its place')
    for (const name of PAYLOAD_NAMES) await place.play(name)
    expect(await told()).toBe('')
    const { args } = await place.play('tool.execute.before')
    expect(args).toEqual({})
  })

  it('from the start leaves OpenCode without our hooks', async () => {
    const client = { session: {} }
    expect(
      await SessionMcp({ client, directory: place.home }, { home: path.join(place.home, 'format.json', 'bus') }),
    ).toEqual({})
    const hooks = await SessionMcp({ client, directory: place.home }, { home: place.home })
    expect(Object.keys(hooks)).toContain('experimental.chat.system.transform')
    await (hooks as Record<string, () => Promise<void>>)['dispose']?.()
  })
})

it('an id of OpenCode is one of ours as it is', () => {
  expect(cleanId(MAIN)).toBe(MAIN)
})

function info(name: string): Record<string, unknown> {
  const { properties } = payload(name).input['event'] as { properties: { info: Record<string, unknown> } }
  return properties.info
}

function paths(value: unknown, at: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) => [[...at, key], ...paths(each, [...at, key])])
}

function remove(value: Record<string, unknown>, at: readonly string[]): void {
  const owner = at
    .slice(0, -1)
    .reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value)
  if (typeof owner === 'object' && owner !== null) delete (owner as Record<string, unknown>)[at.at(-1) ?? '']
}
