import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, test } from 'vitest'
import { createStdioTransport, type StdioOptions } from '../../src/mcp/stdio.ts'
import { heldSink, line, sink } from './streams.ts'

/** A started transport that has seen `initialize`; what it passes on is recorded. */
async function open(over: Partial<StdioOptions> = {}) {
  const input = new PassThrough()
  const out = sink()
  const received: JSONRPCMessage[] = []
  const faults: string[] = []
  const transport = createStdioTransport({ input, output: out.stream, ...over })
  const closed = new Promise<void>((resolve) => {
    transport.onclose = resolve
  })
  transport.onmessage = (message) => received.push(message)
  transport.onerror = (fault) => faults.push(fault.message)
  await transport.start()
  input.write(line({ id: 'init', method: 'initialize', params: {} }))
  await transport.send({ jsonrpc: '2.0', id: 'init', result: {} })
  received.length = 0
  const answerTo = (id: unknown) => out.until((message) => message['id'] === id && message['result'] === undefined)
  /** Everything written before is dealt with once this one came through. */
  const flush = async () => {
    input.write(line({ id: 'flush', method: 'server/discover' }))
    while (!received.some((message) => 'id' in message && message.id === 'flush')) await new Promise(setImmediate)
    received.pop()
    await transport.send({ jsonrpc: '2.0', id: 'flush', result: {} })
  }
  return { input, out, received, faults, transport, closed, answerTo, flush }
}

const call = (id: string | number, content: string) => ({
  id,
  method: 'tools/call',
  params: { name: 'send_message', arguments: { to: 'b', content } },
})

describe('lines', () => {
  test('C136: a message that arrives one byte at a time keeps every letter', async () => {
    const { input, received, flush } = await open()
    for (const byte of Buffer.from(line(call(1, '—🎯测试')))) input.write(Buffer.of(byte))
    await flush()
    expect(received).toEqual([{ jsonrpc: '2.0', ...call(1, '—🎯测试') }])
  })

  test('several messages in one chunk, CRLF and empty lines are all the same', async () => {
    const { input, received, flush } = await open()
    input.write(`${line(call(1, 'a')).trim()}\r\n\r\n\n${line(call(2, 'b'))}${line(call(3, 'c'))}`)
    await flush()
    expect(received.map((message) => 'id' in message && message.id)).toEqual([1, 2, 3])
  })

  test('the last line needs no line break', async () => {
    const { input, received, closed, transport } = await open()
    input.end(line(call(1, 'a')).trim())
    while (received.length === 0) await new Promise(setImmediate)
    await transport.send({ jsonrpc: '2.0', id: 1, result: {} })
    await closed
  })

  test('a byte order mark in front is no part of the message', async () => {
    const { input, received, flush } = await open()
    input.write(`\ufeff${line(call(1, 'a'))}`)
    await flush()
    expect(received).toHaveLength(1)
  })

  test('eleven million bytes in one argument come through whole', async () => {
    const { input, received, flush } = await open()
    input.write(line(call(1, 'x'.repeat(11_000_000))))
    await flush()
    expect(JSON.stringify(received[0]).length).toBeGreaterThan(11_000_000)
  })
})

describe('what is no message is answered, and the connection goes on', () => {
  test.each([
    ['not JSON', '{"jsonrpc":"2.0","id":1,', null, -32700],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22]), null, -32700],
    ['a batch', `[${line(call(1, 'a')).trim()}]`, null, -32600],
    ['a number', '7', null, -32600],
    ['an id of null', line({ id: null, method: 'ping' }).trim(), null, -32600],
    ['an id that is an object', line({ id: {}, method: 'ping' }).trim(), null, -32600],
    ['no method', line({ id: 5 }).trim(), 5, -32600],
    ['another version', '{"jsonrpc":"1.0","id":5,"method":"ping"}', 5, -32600],
    ['params that are a list', line({ id: 5, method: 'ping', params: [] }).trim(), 5, -32602],
    ['a broken _meta', line({ id: 5, method: 'ping', params: { _meta: 7 } }).trim(), 5, -32602],
  ])('%s', async (_what, text, id, code) => {
    const { input, received, answerTo, flush } = await open()
    input.write(text)
    input.write('\n')
    expect(await answerTo(id)).toMatchObject({ jsonrpc: '2.0', id, error: { code } })
    await flush()
    expect(received).toEqual([])
  })

  test('params of null count as left out, and members JSON-RPC does not know as not there', async () => {
    const { input, received, flush } = await open()
    input.write(line({ id: 1, method: 'ping', params: null, extra: true }))
    await flush()
    expect(received).toEqual([{ jsonrpc: '2.0', id: 1, method: 'ping' }])
  })

  test('a key called __proto__ inside the arguments is passed on', async () => {
    const { input, received, flush } = await open()
    const text = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"__proto__":1}}}'
    input.write(`${text}\n`)
    await flush()
    expect(JSON.stringify(received[0])).toBe(text)
  })

  test('a notification that makes no sense is dropped without an answer', async () => {
    const { input, out, received, faults, flush } = await open()
    const before = out.messages.length
    input.write(line({ method: 'notifications/initialized', params: 7 }))
    await flush()
    expect(received).toEqual([])
    expect(out.messages).toHaveLength(before + 1)
    expect(faults).toEqual(['A line was ignored: not a valid message.'])
  })
})

describe('a line that is too long is refused while it streams in', () => {
  const text = `"},"id":99,"x":{"${'y'.repeat(100_000)}`

  test.each([
    ['id first', { jsonrpc: '2.0', id: 'a"1', method: 'tools/call', params: { text } }, 'a"1'],
    ['id last, as the SDK writes it', { method: 'tools/call', params: { text }, jsonrpc: '2.0', id: 41 }, 41],
    ['id hidden in the middle', { method: 'tools/call', x: { text }, id: 41, y: { id: 7, text } }, null],
  ])('with its id where it can be told: %s', async (_where, message, id) => {
    const { input, received, answerTo, flush } = await open({ maxLineBytes: 50_000 })
    const bytes = Buffer.from(`${JSON.stringify(message)}\n`)
    for (let at = 0; at < bytes.length; at += 30_000) input.write(bytes.subarray(at, at + 30_000))
    expect(await answerTo(id)).toMatchObject({
      id,
      error: { code: -32600, message: expect.stringMatching(/at most 50000/) },
    })
    input.write(line(call(1, 'next')))
    await flush()
    expect(received).toHaveLength(1)
  })
})

describe('before initialize', () => {
  test.each(['server/discover', 'tools/list', 'resources/list'])(
    '%s is answered with method not found, and initialize still works',
    async (method) => {
      const input = new PassThrough()
      const out = sink()
      const transport = createStdioTransport({ input, output: out.stream })
      const received: JSONRPCMessage[] = []
      transport.onmessage = (message) => received.push(message)
      await transport.start()
      input.write(
        line({ id: 1, method, params: { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } } }),
      )
      expect(await out.until((message) => message['id'] === 1)).toMatchObject({ error: { code: -32601 } })
      input.write(line({ id: 1, method: 'ping' }) + line({ id: 2, method: 'initialize' }))
      while (received.length < 2) await new Promise(setImmediate)
    },
  )
})

describe('cancellations', () => {
  test('of a running request are passed on once', async () => {
    const { input, received, flush } = await open()
    const cancel = line({ method: 'notifications/cancelled', params: { requestId: 1 } })
    input.write(line(call(1, 'a')) + cancel + cancel)
    await flush()
    expect(received.map((message) => 'method' in message && message.method)).toEqual([
      'tools/call',
      'notifications/cancelled',
    ])
  })

  test('of what was answered already, or never asked, are ignored', async () => {
    const { input, received, faults, transport, flush } = await open()
    input.write(line(call(1, 'a')))
    await flush()
    await transport.send({ jsonrpc: '2.0', id: 1, result: {} })
    received.length = 0
    for (const requestId of [1, 1, 'never', undefined]) {
      input.write(line({ method: 'notifications/cancelled', params: { requestId } }))
    }
    await flush()
    expect(received).toEqual([])
    expect(faults).toEqual([])
  })
})

test('a second request with the id of a running one is refused, not mixed up with it', async () => {
  const { input, received, answerTo, flush } = await open()
  input.write(line(call(1, 'first')) + line(call(1, 'second')))
  expect(await answerTo(1)).toMatchObject({ error: { code: -32600 } })
  await flush()
  expect(received).toHaveLength(1)
})

describe('send', () => {
  test('resolves when the bytes were written, not before', async () => {
    const input = new PassThrough()
    const held = heldSink()
    const transport = createStdioTransport({ input, output: held.stream })
    await transport.start()
    let isDone = false
    const sent = transport.send({ jsonrpc: '2.0', id: 1, result: {} }).then(() => {
      isDone = true
    })
    const write = await held.next()
    await new Promise(setImmediate)
    expect(isDone).toBe(false)
    write.finish()
    await sent
  })

  test('rejects when the reader is gone, and the connection closes', async () => {
    const input = new PassThrough()
    const held = heldSink()
    const transport = createStdioTransport({ input, output: held.stream })
    const closed = new Promise<void>((resolve) => {
      transport.onclose = resolve
    })
    await transport.start()
    const sent = transport.send({ jsonrpc: '2.0', id: 1, result: {} })
    const rejected = expect(sent).rejects.toThrow('EPIPE')
    ;(await held.next()).finish(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
    await rejected
    await closed
    await expect(transport.send({ jsonrpc: '2.0', id: 2, result: {} })).rejects.toThrow('closed')
  })

  test('C134: never writes half of a surrogate pair, which strict clients drop the whole line for', async () => {
    const { out, transport } = await open()
    await transport.send({ jsonrpc: '2.0', id: 9, result: { text: 'x\ud83d y🎯' } })
    const { result } = await out.until((message) => message['id'] === 9)
    expect(result).toEqual({ text: 'x\ufffd y🎯' })
  })
})

describe('the end of the input', () => {
  test('closes the connection at once when nothing is being answered', async () => {
    const { input, closed } = await open({ graceMs: 3_600_000 })
    input.end()
    await closed
  })

  test('lets an answer under way still go out', async () => {
    const { input, out, received, closed, transport } = await open({ graceMs: 3_600_000 })
    input.end(line(call(1, 'a')))
    await once(input, 'close')
    expect(received).toHaveLength(1)
    await transport.send({ jsonrpc: '2.0', id: 1, result: { ok: true } })
    await closed
    expect(out.messages.at(-1)).toMatchObject({ id: 1, result: { ok: true } })
  })

  test('does not wait for ever', async () => {
    const { input, closed } = await open({ graceMs: 5 })
    input.end(line(call(1, 'a')))
    await closed
  })
})
