import { EventEmitter } from 'node:events'
import { PassThrough, type Writable } from 'node:stream'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { describe, expect, test, vi } from 'vitest'
import type { WaitAnswer } from '../../src/core/answers.ts'
import type { WaitOptions } from '../../src/core/bus.ts'
import { type ServeOptions, serveStdio } from '../../src/mcp/server.ts'
import { createStdioTransport } from '../../src/mcp/stdio.ts'
import { listTools } from '../../src/tools/registry.ts'
import { resolveToolsets } from '../../src/tools/toolsets.ts'
import { type FakeBus, fakeBus, recordingHandOver } from '../tools/fake-bus.ts'
import { heldSink, line, sink } from './streams.ts'

interface Setting extends Partial<ServeOptions> {
  readonly output?: Writable
}

async function serve(bus: FakeBus, { output = new PassThrough(), ...over }: Setting = {}) {
  const input = new PassThrough()
  const errors = new PassThrough().setEncoding('utf8')
  const signals = new EventEmitter()
  const exits: number[] = []
  const io = { input, output, errors, signals, exit: (code: number) => void exits.push(code) }
  const serving = await serveStdio({ bus, env: {}, version: '1.2.3', log: () => {}, io, ...over })
  return { input, output, errors, signals, exits, serving }
}

async function connect(bus: FakeBus, { clientName = 'test-client', ...over }: Setting & { clientName?: string } = {}) {
  const output = new PassThrough()
  const served = await serve(bus, { ...over, output })
  const client = new Client({ name: clientName, version: '9.9.9' })
  await client.connect(createStdioTransport({ input: output, output: served.input }))
  return { ...served, client }
}

/** A wait that ends when the test says so, or is cut off. */
function heldWait() {
  let finish = (_answer: WaitAnswer): void => {}
  let start = (_options: WaitOptions): void => {}
  const started = new Promise<WaitOptions>((resolve) => {
    start = resolve
  })
  const bus = fakeBus({
    wait: (_caller, _input, options = {}) =>
      new Promise((resolve, reject) => {
        finish = resolve
        options.signal?.addEventListener('abort', () => reject(new Error('cut off')))
        start(options)
      }),
  })
  return { bus, started, finish: (answer: WaitAnswer) => finish(answer) }
}

const WAITED: WaitAnswer = {
  done: true,
  reason: 'reached',
  sessions: [],
  pending: [],
  cursor: 'c',
  waitedMs: 1,
  timeoutMs: 1,
}

const INITIALIZE = line({
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
})
const callLine = (id: number, name: string, args: object = {}) =>
  line({ id, method: 'tools/call', params: { name, arguments: args } })

describe('a client that connects', () => {
  test('is told who serves it and when the bus matters', async () => {
    const { client } = await connect(fakeBus())
    expect(client.getServerVersion()).toMatchObject({ name: 'session-mcp', version: '1.2.3' })
    expect(client.getServerCapabilities()).toEqual({
      tools: {},
      resources: { listChanged: true },
      prompts: {},
      completions: {},
    })
    expect(client.getInstructions()).toMatch(/update_session[\s\S]*read_inbox/)
  })

  test('sees the tools of the registry', async () => {
    const { client } = await connect(fakeBus())
    const { tools } = await client.listTools()
    expect(tools).toEqual(listTools(resolveToolsets(undefined)))
  })

  test('gets every answer and every refusal past the check of its output schema', async () => {
    const { client } = await connect(fakeBus())
    await client.listTools()
    const calls = {
      list_sessions: {},
      read_inbox: {},
      send_message: { to: 'b', content: 'x' },
      wait_for_sessions: { sessions: ['b'] },
    }
    for (const [name, args] of Object.entries(calls)) {
      expect((await client.callTool({ name, arguments: args })).isError).toBeUndefined()
      expect((await client.callTool({ name, arguments: { nonsense: 1 } })).isError).toBe(true)
    }
  })

  test('may probe with server/discover first', async () => {
    const out = sink()
    const { input } = await serve(fakeBus(), { output: out.stream })
    input.write(line({ id: 1, method: 'server/discover' }) + INITIALIZE)
    expect(await out.until((message) => message['id'] === 1)).toMatchObject({ error: { code: -32601 } })
    expect(await out.until((message) => message['id'] === 0)).toMatchObject({
      result: { protocolVersion: '2025-11-25' },
    })
  })

  test('gets method not found for what this server does not do', async () => {
    const { client } = await connect(fakeBus())
    await expect(client.request({ method: 'sampling/none' } as never, {} as never)).rejects.toMatchObject({
      code: -32601,
    })
    await client.ping()
  })

  test('gets a clear answer for an argument of eleven million bytes, and stays connected', async () => {
    const { client } = await connect(fakeBus())
    const result = await client.callTool({
      name: 'list_sessions',
      arguments: { cursor: 5, text: 'x'.repeat(11_000_000) },
    })
    expect(result.isError).toBe(true)
    await client.ping()
  })

  test('cannot hide a parameter called __proto__ from the check', async () => {
    const out = sink()
    const { input } = await serve(fakeBus(), { output: out.stream })
    input.write(INITIALIZE)
    input.write(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_sessions","arguments":{"__proto__":1}}}\n',
    )
    expect(JSON.stringify(await out.until((message) => message['id'] === 1))).toContain('__proto__')
  })
})

describe('who calls', () => {
  test('is what the host signs, where the host is one that signs', async () => {
    const bus = fakeBus()
    const { client } = await connect(bus, { clientName: 'codex-mcp-client', client: { pid: 7 } })
    await client.callTool({ name: 'list_sessions', arguments: {}, _meta: { threadId: 't-1' } })
    expect(bus.hints[0]).toMatchObject({
      hostSays: 't-1',
      host: { kind: 'codex', version: '9.9.9', client: { pid: 7 }, doors: [] },
    })
  })

  test('is never what anybody else writes into _meta', async () => {
    const bus = fakeBus()
    const { client } = await connect(bus)
    await client.callTool({ name: 'list_sessions', arguments: {}, _meta: { threadId: 't-1', sessionId: 's' } })
    expect(bus.hints[0]?.hostSays).toBeUndefined()
  })

  test('is what the server was started for, before what the host put into the environment', async () => {
    const env = { COPILOT_AGENT_SESSION_ID: 'from-env' }
    const bus = fakeBus()
    const first = await connect(bus, { clientName: 'github-copilot-developer', env })
    await first.client.callTool({ name: 'list_sessions' })
    const second = await connect(bus, { clientName: 'github-copilot-developer', env, sessionId: 'from-flag' })
    await second.client.callTool({ name: 'list_sessions' })
    expect(bus.hints.map((hints) => hints.configured)).toEqual(['from-env', 'from-flag'])
  })

  test('is remembered per connection', async () => {
    const bus = fakeBus()
    const { client } = await connect(bus)
    await client.callTool({ name: 'list_sessions' })
    await client.callTool({ name: 'list_sessions' })
    expect(bus.hints[0]?.connection).toBe(bus.hints[1]?.connection)
    await (await connect(bus)).client.callTool({ name: 'list_sessions' })
    expect(bus.hints[2]?.connection).not.toBe(bus.hints[0]?.connection)
  })
})

describe('progress', () => {
  test('C084: rises strictly, comes before the result, and ends with it', async () => {
    const { bus, started, finish } = heldWait()
    const { client } = await connect(bus)
    const seen: unknown[] = []
    const done = client
      .callTool({ name: 'wait_for_sessions', arguments: { sessions: 'b' } }, undefined, {
        onprogress: (progress) => seen.push(progress),
      })
      .then((result) => seen.push(result.structuredContent))
    const { progress } = await started
    progress?.('0/1 finished, 3 s')
    progress?.('0/1 finished, 6 s')
    finish(WAITED)
    await done
    progress?.('too late')
    await client.ping()
    expect(seen).toEqual([
      { progress: 1, message: '0/1 finished, 3 s' },
      { progress: 2, message: '0/1 finished, 6 s' },
      WAITED,
    ])
  })

  test('is not offered to a client that did not ask for it', async () => {
    const { bus, started, finish } = heldWait()
    const { client } = await connect(bus)
    const done = client.callTool({ name: 'wait_for_sessions', arguments: { sessions: 'b' } })
    expect((await started).progress).toBeUndefined()
    finish(WAITED)
    await done
  })

  test('raises the ceiling of a wait only where the host extends its limit for it', async () => {
    const { bus, started, finish } = heldWait()
    const { client } = await connect(bus, { clientName: 'opencode' })
    const done = client.callTool({ name: 'wait_for_sessions', arguments: { sessions: 'b' } }, undefined, {
      onprogress: () => {},
    })
    expect((await started).ceilingMs).toBe(600_000)
    finish(WAITED)
    await done
  })
})

describe('a cancelled call', () => {
  test('is told at once, and gets no answer', async () => {
    const out = sink()
    const { bus, started } = heldWait()
    const { input } = await serve(bus, { output: out.stream })
    input.write(INITIALIZE + callLine(1, 'wait_for_sessions', { sessions: 'b' }))
    const { signal } = await started
    const aborted = new Promise((resolve) => signal?.addEventListener('abort', resolve))
    input.write(line({ method: 'notifications/cancelled', params: { requestId: 1 } }))
    await aborted
    input.write(line({ id: 2, method: 'ping' }))
    await out.until((message) => message['id'] === 2)
    input.write(line({ method: 'notifications/cancelled', params: { requestId: 1 } }))
    input.write(line({ id: 3, method: 'ping' }))
    await out.until((message) => message['id'] === 3)
    expect(out.messages.map((message) => message['id'])).toEqual([0, 2, 3])
  })
})

describe('an answer that consumes', () => {
  async function reading() {
    const settled: string[] = []
    const held = heldSink()
    const bus = fakeBus({ read: async () => recordingHandOver(settled) })
    const served = await serve(bus, { output: held.stream })
    served.input.write(INITIALIZE)
    ;(await held.next()).finish()
    served.input.write(callLine(1, 'read_inbox'))
    const write = await held.next()
    expect(write.message).toMatchObject({ id: 1 })
    return { ...served, settled, held, write }
  }
  const ticks = async () => {
    for (let i = 0; i < 5; i++) await new Promise(setImmediate)
  }

  test('is handed over only after it was written', async () => {
    const { settled, write } = await reading()
    await ticks()
    expect(settled).toEqual([])
    write.finish()
    await ticks()
    expect(settled).toEqual(['handed over'])
  })

  test('C024: is given back when the write fails', async () => {
    const { settled, write, serving } = await reading()
    write.finish(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
    await serving.closed
    expect(settled).toEqual(['given back'])
  })

  test('is given back when its client cancels before it was written, and then stays so', async () => {
    const { settled, write, input } = await reading()
    input.write(line({ method: 'notifications/cancelled', params: { requestId: 1 } }))
    await ticks()
    expect(settled).toEqual(['given back'])
    write.finish()
    await ticks()
    expect(settled).toEqual(['given back'])
  })

  test('is not taken back by a cancellation that comes too late', async () => {
    const { settled, write, input } = await reading()
    write.finish()
    await ticks()
    input.write(line({ method: 'notifications/cancelled', params: { requestId: 1 } }))
    await ticks()
    expect(settled).toEqual(['handed over'])
  })

  test('is given back when the connection ends before it was written', async () => {
    const { settled, signals, serving } = await reading()
    signals.emit('SIGTERM')
    await serving.closed
    expect(settled).toEqual(['given back'])
  })

  test('is given back when it is ready only after the client cancelled', async () => {
    const settled: string[] = []
    let answer = (): void => {}
    const asked = new EventEmitter()
    const bus = fakeBus({
      read: () =>
        new Promise((resolve) => {
          answer = () => resolve(recordingHandOver(settled))
          setImmediate(() => asked.emit('read'))
        }),
    })
    const out = sink()
    const { input } = await serve(bus, { output: out.stream })
    const read = new Promise((resolve) => asked.once('read', resolve))
    input.write(INITIALIZE + callLine(1, 'read_inbox'))
    await read
    input.write(line({ method: 'notifications/cancelled', params: { requestId: 1 } }) + line({ id: 2, method: 'ping' }))
    await out.until((message) => message['id'] === 2)
    answer()
    await ticks()
    expect(settled).toEqual(['given back'])
  })
})

test('calls sent right behind a registration wait for it', async () => {
  const order: string[] = []
  let register = (): void => {}
  const bus = fakeBus()
  const { update, send } = bus
  bus.update = async (caller, input) => {
    await new Promise<void>((resolve) => {
      register = resolve
      order.push('registering')
    })
    order.push('registered')
    return update(caller, input)
  }
  bus.send = (caller, input) => {
    order.push('sent')
    return send(caller, input)
  }
  const out = sink()
  const { input } = await serve(bus, { output: out.stream })
  input.write(
    INITIALIZE + callLine(1, 'update_session', { task: 't' }) + callLine(2, 'send_message', { to: 'b', content: 'x' }),
  )
  input.write(line({ id: 3, method: 'ping' }))
  await out.until((message) => message['id'] === 3)
  while (order.length === 0) await new Promise(setImmediate)
  register()
  await out.until((message) => message['id'] === 2)
  expect(order).toEqual(['registering', 'registered', 'sent'])
})

test('C184: what anybody else writes to standard output goes to standard error', async () => {
  const out = sink()
  const { input, output, errors } = await serve(fakeBus(), { output: out.stream })
  output.write('a stray line\n')
  input.write(INITIALIZE)
  await out.until((message) => message['id'] === 0)
  expect(out.messages).toHaveLength(1)
  expect(errors.read()).toBe('a stray line\n')
})

describe('the end', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'end of input', 'loss of output'])(
    '%s cuts off what is running and closes everything once',
    async (how) => {
      const { bus, started } = heldWait()
      const closes: string[] = []
      const output = new PassThrough()
      const { input, signals, serving } = await serve(bus, { output, onClose: () => void closes.push('closed') })
      input.write(INITIALIZE + callLine(1, 'wait_for_sessions', { sessions: 'b' }))
      const { signal } = await started
      if (how === 'end of input') input.end()
      else if (how === 'loss of output') output.destroy(new Error('EPIPE'))
      else signals.emit(how)
      await serving.closed
      await serving.close()
      expect(signal?.aborted).toBe(true)
      expect(closes).toEqual(['closed'])
      expect(signals.eventNames()).toEqual([])
    },
  )

  test('waits for calls that were sent before the input ended', async () => {
    const out = sink()
    const { input, serving } = await serve(fakeBus(), { output: out.stream })
    input.end(INITIALIZE + callLine(1, 'list_sessions'))
    await serving.closed
    expect(out.messages.map((message) => message['id'])).toEqual([0, 1])
  })

  test('is the end of the process within a second, even if something will not close', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const { exits, signals } = await serve(fakeBus(), { onClose: () => new Promise(() => {}) })
      signals.emit('SIGTERM')
      expect(exits).toEqual([])
      vi.advanceTimersByTime(1_000)
      expect(exits).toEqual([0])
    } finally {
      vi.useRealTimers()
    }
  })

  test('is no less an end when closing fails', async () => {
    const { serving } = await serve(fakeBus(), {
      onClose: () => {
        throw new Error('disk')
      },
    })
    await serving.close()
  })
})

test('a toolset that does not exist is refused before anything is served', async () => {
  await expect(serve(fakeBus(), { toolsets: ['tabz'] })).rejects.toThrow('There is no toolset "tabz"')
})
