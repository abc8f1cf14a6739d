/**
 * The transport: JSON-RPC lines over two streams. Unlike the SDK's own it never drops a connection over one bad line,
 * answers what is sent before `initialize`, says when an answer was really written, and ends when its client does.
 */

import type { Readable, Writable } from 'node:stream'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js'
import { jsonLine } from '../tools/result.ts'
import { splitLines } from './lines.ts'
import { idFromEnds, parseLine, RPC, type RpcError, rpcError } from './messages.ts'

export interface StdioOptions {
  readonly input: Readable
  readonly output: Writable
  /** Longer lines are refused while they stream in, bytes. */
  readonly maxLineBytes?: number
  /** How long answers under way may take once the input has ended, ms. */
  readonly graceMs?: number
}

/** Large enough for a clear answer from the tool whose argument is too large, small enough to hold in memory. */
const MAX_LINE_BYTES = 64 * 1024 * 1024
/** Ordinary calls take a few milliseconds; waits are cut off by it. The whole exit must stay under 1 s. */
const GRACE_MS = 250

const BEFORE_INITIALIZE = new Set(['initialize', 'ping'])

export function createStdioTransport(options: StdioOptions): Transport {
  const { input, output, maxLineBytes = MAX_LINE_BYTES, graceMs = GRACE_MS } = options
  const write = output.write.bind(output) as (line: string, done: (fault?: Error | null) => void) => boolean
  const unanswered = new Set<RequestId>()
  let isInitialized = false
  let cutOff: NodeJS.Timeout | undefined
  let state: 'new' | 'open' | 'ending' | 'closed' = 'new'
  const splitter = splitLines(maxLineBytes, {
    line(bytes) {
      const parsed = parseLine(bytes)
      if (parsed.kind === 'message') accept(parsed.message)
      else if (parsed.kind === 'bad') answer(parsed.answer)
      else if (parsed.why !== undefined) report(new Error(`A line was ignored: ${parsed.why}.`))
    },
    tooLong(head, tail, bytes) {
      const why = `Invalid request: the line has ${bytes} bytes; at most ${maxLineBytes} are read.`
      answer(rpcError(idFromEnds(head, tail), RPC.invalidRequest, why))
    },
  })

  const transport: Transport = {
    async start() {
      if (state !== 'new') throw new Error('The transport was started already.')
      state = 'open'
      input.on('data', onData)
      input.on('end', onEnd)
      input.on('close', onInputClose)
      input.on('error', onStreamError)
      output.on('error', onStreamError)
      output.on('close', close)
    },
    async send(message) {
      try {
        await writeLine(message)
      } finally {
        if (isResponse(message)) unanswered.delete(message.id)
        if (state === 'ending' && unanswered.size === 0) close()
      }
    },
    async close() {
      close()
    },
  }
  return transport

  function writeLine(message: JSONRPCMessage | RpcError): Promise<void> {
    return new Promise((resolve, reject) => {
      if (state === 'closed') return reject(new Error('The connection is closed.'))
      write(`${jsonLine(message)}\n`, (fault) => (fault ? reject(fault) : resolve()))
    })
  }

  function answer(error: RpcError): void {
    writeLine(error).catch(report)
  }

  function accept(message: JSONRPCMessage): void {
    if ('method' in message && message.method === 'notifications/cancelled') {
      const requestId = message.params?.['requestId'] as RequestId | undefined
      // Some clients cancel what was answered long ago, or twice.
      if (requestId === undefined || !unanswered.delete(requestId)) return
    }
    if ('method' in message && 'id' in message) {
      const { id, method } = message
      if (method === 'initialize') isInitialized = true
      if (!isInitialized && !BEFORE_INITIALIZE.has(method)) {
        answer(rpcError(id, RPC.methodNotFound, `Method not found: ${method}. This server is opened with initialize.`))
        return
      }
      if (unanswered.has(id)) {
        answer(rpcError(id, RPC.invalidRequest, 'Invalid request: a request with this id is still being answered.'))
        return
      }
      unanswered.add(id)
    }
    transport.onmessage?.(message)
  }

  function report(fault: unknown): void {
    transport.onerror?.(fault instanceof Error ? fault : new Error(String(fault)))
  }

  function onStreamError(fault: Error): void {
    report(fault)
    close()
  }

  function onData(chunk: Buffer): void {
    splitter.push(chunk)
  }

  /** What was asked before the input ended is still answered, if it does not take long. */
  function onEnd(): void {
    splitter.end()
    state = 'ending'
    if (unanswered.size === 0) close()
    else cutOff = setTimeout(close, graceMs)
  }

  function onInputClose(): void {
    if (state !== 'ending') close()
  }

  function close(): void {
    if (state === 'closed') return
    state = 'closed'
    clearTimeout(cutOff)
    input.off('data', onData)
    input.off('end', onEnd)
    input.off('close', onInputClose)
    output.off('close', close)
    // The error listeners stay: a stream may still fail after this, and nobody else listens.
    input.destroy()
    transport.onclose?.()
  }
}

function isResponse(message: JSONRPCMessage): message is JSONRPCMessage & { id: RequestId } {
  return !('method' in message) && message.id !== undefined
}
