import { describe, expect, test } from 'vitest'
import { BusError } from '../../src/core/errors.ts'
import { jsonLine } from '../../src/tools/result.ts'
import { resolveToolsets } from '../../src/tools/toolsets.ts'
import { call, refused } from './call.ts'
import { fakeBus, INBOX, recordingHandOver } from './fake-bus.ts'

describe('an answer', () => {
  test('is one object, the same as structured content and as compact text', async () => {
    const { result } = await call('list_sessions', {})
    expect(result.content).toHaveLength(1)
    expect(result.content[0].text).toBe(JSON.stringify(result.structuredContent))
    expect(result.structuredContent['total']).toBe(1)
  })

  test('C134: never holds half of a surrogate pair, whoever wrote it', async () => {
    const bus = fakeBus({ query: async () => Object.assign(JSON.parse('{"task":"x\\ud83d y 🎯 \\\\ud83d"}')) })
    const { result } = await call('query_session', { session: 'b' }, bus)
    expect(result.structuredContent['task']).toBe('x\ufffd y 🎯 \\ud83d')
    expect(result.content[0].text).toBe('{"task":"x\ufffd y 🎯 \\\\ud83d"}'.replace('\ufffd', '\\ufffd'))
    expect(jsonLine({ text: result.content[0].text })).not.toMatch(/[^\\]\\ud/)
  })
})

describe('news', () => {
  const news = { unread: 2, oldestUnreadSeconds: 5, changes: ['b is completed'] }

  test('rides beside the answer of any tool', async () => {
    const bus = fakeBus({ news: async () => news })
    expect((await call('list_sessions', {}, bus)).result.structuredContent['news']).toEqual(news)
  })

  test('leaves the unread count to read_inbox, which tells it itself', async () => {
    const asked: unknown[] = []
    const bus = fakeBus({
      news: async (_caller: unknown, options: unknown) => {
        asked.push(options)
        return undefined
      },
    })
    expect((await call('read_inbox', {}, bus)).result.structuredContent).toEqual(INBOX)
    await call('list_sessions', {}, bus)
    expect(asked).toEqual([{ withoutMail: true }, { withoutMail: false }])
  })

  test('that cannot be had costs nobody an answer', async () => {
    const bus = fakeBus({
      news: async () => {
        throw new Error('disk')
      },
    })
    const { result } = await call('list_sessions', {}, bus)
    expect(result.isError).toBeUndefined()
    expect(result.structuredContent).not.toHaveProperty('news')
  })

  test('does not ride on a refusal', async () => {
    const bus = fakeBus({ news: async () => news })
    const { result } = await call('query_session', {}, bus)
    expect(result.structuredContent).not.toHaveProperty('news')
  })
})

describe('a refusal', () => {
  test('C196: is an error with code, truth and next step', async () => {
    const bus = fakeBus({
      query: async () => {
        throw new BusError('SESSION_NOT_FOUND', 'No session answers to "nope".', 'See list_sessions.')
      },
    })
    expect(await refused('query_session', { session: 'nope' }, bus)).toEqual({
      code: 'SESSION_NOT_FOUND',
      message: 'No session answers to "nope".',
      hint: 'See list_sessions.',
    })
  })

  test('of our own making shows neither stack nor path', async () => {
    const faults = [
      Object.assign(new Error("EACCES: permission denied, open '/home/u/.session-mcp/x'"), { code: 'EACCES' }),
      new TypeError("Cannot read properties of undefined (reading '/secret/path')"),
    ]
    const logged: unknown[] = []
    for (const fault of faults) {
      const bus = fakeBus({
        list: async () => {
          throw fault
        },
      })
      const { result } = await call('list_sessions', {}, bus, { log: (_level, _event, facts) => logged.push(facts) })
      expect(result.isError).toBe(true)
      expect(result.content[0].text).toMatch(/"code":"INTERNAL"/)
      expect(result.content[0].text).not.toMatch(/home|secret|\n|\.ts/)
    }
    expect(JSON.stringify(logged)).toContain('EACCES: permission denied')
  })

  test('of an unknown tool names the nearest', async () => {
    expect((await refused('send_mesage', {})).message).toBe(
      'There is no tool "send_mesage". The nearest: send_message.',
    )
  })

  test('of a tool whose toolset is off says how to switch it on', async () => {
    const { result } = await call('list_sessions', {}, fakeBus(), { toolsets: new Set() })
    expect(result.content[0].text).toContain('--toolsets=coordination')
  })
})

describe('the caller', () => {
  test.each(['list_sessions', 'complete_session', 'update_session'])(
    'is told apart by sessionId and _session on %s, which need not be listed',
    async (name) => {
      const bus = fakeBus()
      await call(name, { sessionId: 'me', _session: 'hooked' }, bus)
      expect(bus.hints[0]).toMatchObject({ argument: 'me', hookSays: 'hooked' })
      expect(JSON.stringify(bus.calls[0]?.input)).toBe('{}')
    },
  )

  test('sessionId of read_inbox also says whose inbox it is, and the core decides what that means', async () => {
    const bus = fakeBus()
    await call('read_inbox', { sessionId: 'b', peek: true }, bus)
    expect(bus.inputs('read')).toEqual([{ peek: true, inbox: 'b' }])
    expect(bus.hints[0]).toMatchObject({ argument: 'b', argumentMeans: 'inbox' })
  })

  test('sessionId of update_session is the id to register', async () => {
    const bus = fakeBus()
    await call('update_session', { sessionId: 'b' }, bus)
    expect(bus.hints[0]).toMatchObject({ argument: 'b', argumentMeans: 'registers' })
  })

  test('registers under the default name of the server unless the call has one', async () => {
    const bus = fakeBus()
    await call('update_session', { task: 't' }, bus, { defaultName: 'reviewer' })
    await call('update_session', { task: 't', name: 'lead' }, bus, { defaultName: 'reviewer' })
    expect(bus.inputs('update')).toEqual([
      { task: 't', name: 'reviewer' },
      { task: 't', name: 'lead' },
    ])
  })
})

test('wait_for_sessions is told how long this client allows and how to report', async () => {
  const bus = fakeBus()
  const progress = () => {}
  const { signal } = new AbortController()
  await call('wait_for_sessions', { sessions: 'b', timeout: '90s' }, bus, {
    client: { waitCeilingMs: 110_000 },
    progress,
    signal,
  })
  expect(bus.inputs('wait')).toEqual([
    { sessions: ['b'], timeout: '90s', options: { signal, progress, ceilingMs: 110_000 } },
  ])
})

test('a call that was cancelled before it began does nothing', async () => {
  const bus = fakeBus()
  const { result } = await call('send_message', { to: 'b', content: 'x' }, bus, { signal: AbortSignal.abort() })
  expect(result.structuredContent['error']).toMatchObject({ code: 'CANCELLED' })
  expect(bus.calls).toEqual([])
})

test('an answer that consumes is handed to the caller of callTool unsettled', async () => {
  const settled: string[] = []
  const bus = fakeBus({ read: async () => recordingHandOver(settled) })
  const { handOver } = await call('read_inbox', {}, bus)
  expect(settled).toEqual([])
  await handOver?.handedOver()
  expect(settled).toEqual(['handed over'])
})

test('an answer that cannot be turned into a result is given back', async () => {
  const settled: string[] = []
  const circular = { ...INBOX } as Record<string, unknown>
  circular['self'] = circular
  const bus = fakeBus({ read: async () => recordingHandOver(settled, circular as never) })
  const { result, handOver } = await call('read_inbox', {}, bus)
  expect(result.isError).toBe(true)
  expect(handOver).toBeUndefined()
  expect(settled).toEqual(['given back'])
})

describe('toolsets', () => {
  test('the default ones serve where none is asked for', () => {
    expect([...resolveToolsets(undefined)]).toEqual(['coordination', 'tabs'])
  })

  test('one that does not exist is refused with the nearest', () => {
    expect(() => resolveToolsets(['cordination'])).toThrow(
      'There is no toolset "cordination"; the nearest is "coordination".',
    )
  })
})
