/** The MCP server on standard input and output: one connection, from `initialize` until the client goes away. */

import type { EventEmitter } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { listTools } from '../tools/registry.ts'
import { resolveToolsets } from '../tools/toolsets.ts'
import { type CallSetting, callerOf, createCalls, type Extra } from './calls.ts'
import { settleOnSend } from './hand-over.ts'
import { INSTRUCTIONS } from './instructions.ts'
import { RPC, rpcFault } from './messages.ts'
import { promptMethods } from './prompts.ts'
import { createResources, type Resources } from './resources.ts'
import { createStdioTransport } from './stdio.ts'
import { divert } from './stdout.ts'

export interface ServeOptions extends Pick<CallSetting, 'bus' | 'env' | 'log' | 'sessionId' | 'name' | 'client'> {
  /** Ids of the toolsets to offer; the default ones when left out. */
  readonly toolsets?: readonly string[] | undefined
  readonly version: string
  /** Called once, after the last call: closes what would keep the process alive. */
  readonly onClose?: (() => void | Promise<void>) | undefined
  /** The process, or what stands for it in a test. */
  readonly io?: ServeIo | undefined
}

export interface ServeIo {
  readonly input: Readable
  readonly output: Writable
  readonly errors: Writable
  readonly signals: Pick<EventEmitter, 'on' | 'off'>
  exit(code: number): void
}

export interface Serving {
  /** Resolves when the connection is closed and everything is given back. */
  readonly closed: Promise<void>
  close(): Promise<void>
}

const CAPABILITIES = { tools: {}, resources: { listChanged: true }, prompts: {}, completions: {} }
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** How long calls that were cut off may take to give back what they hold, ms. */
const WIND_DOWN_MS = 300
/** After this the process ends even if something still holds it, ms. With the transport's grace it is under 1 s. */
const EXIT_MS = 650

/** @throws BusError BAD_INPUT for a toolset that does not exist. */
export async function serveStdio(options: ServeOptions): Promise<Serving> {
  const { log, io = thisProcess() } = options
  const toolsets = resolveToolsets(options.toolsets)
  const transport = createStdioTransport({ input: io.input, output: io.output })
  const handOvers = settleOnSend(transport, (fault) => log('warn', 'mcp.settle', { fault: String(fault) }))
  const giveBackStdout = divert(io.output, io.errors)

  const server = new Server(
    { name: 'session-mcp', title: 'Session MCP', version: options.version },
    { capabilities: CAPABILITIES, instructions: INSTRUCTIONS },
  )
  const setting: CallSetting = {
    ...options,
    toolsets,
    handOvers,
    connection: { named: new Set() },
    clientInfo: () => server.getClientVersion(),
  }
  const calls = createCalls(setting)
  const who = (extra: Extra) => callerOf(setting, extra)
  const resources = createResources({ ...options, callerOf: who, listChanged: () => server.sendResourceListChanged() })
  const methods: Resources['methods'] = {
    'tools/call': calls.run,
    ...resources.methods,
    ...promptMethods({ ...options, callerOf: who }),
  }
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listTools(toolsets) }))
  // Not a handler of the SDK's schema: that one drops the key __proto__ and answers `arguments: null` with a type dump.
  server.fallbackRequestHandler = (request, extra) => {
    const method = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined
    if (method !== undefined) return method(request, extra)
    throw rpcFault(RPC.methodNotFound, `Method not found: ${request.method}`)
  }
  server.onerror = (fault) => log('info', 'mcp.error', { fault: fault.message })

  const stop = (): void => void transport.close()
  for (const signal of SIGNALS) io.signals.on(signal, stop)
  const closed = new Promise<void>((resolve) => {
    server.onclose = () => {
      setTimeout(() => io.exit(0), EXIT_MS).unref()
      resolve(windDown())
    }
  })

  async function windDown(): Promise<void> {
    for (const signal of SIGNALS) io.signals.off(signal, stop)
    resources.close()
    await soon(calls.idle().then(() => handOvers.idle()))
    try {
      await options.onClose?.()
    } catch (fault) {
      log('error', 'mcp.close', { fault: String(fault) })
    }
    giveBackStdout()
  }

  await server.connect(transport)
  return { closed, close: () => transport.close().then(() => closed) }
}

/** Waits for `done`, but not for ever. */
async function soon(done: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  await Promise.race([done, new Promise((resolve) => (timer = setTimeout(resolve, WIND_DOWN_MS)))])
  clearTimeout(timer)
}

function thisProcess(): ServeIo {
  const { stdin, stdout, stderr } = process
  stderr.on('error', () => {
    /* nobody reads the log any more, which is no reason to end */
  })
  return { input: stdin, output: stdout, errors: stderr, signals: process, exit: (code) => process.exit(code) }
}
