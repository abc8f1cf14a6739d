/** One tools/call: who calls, which tool, progress on the way, and what becomes of an answer that consumes. */

import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import type {
  Implementation,
  JSONRPCRequest,
  Result,
  ServerNotification,
  ServerRequest,
} from '@modelcontextprotocol/sdk/types.js'
import type { Bus } from '../core/bus.ts'
import type { Caller, Connection } from '../core/caller.ts'
import type { ProcessRef } from '../core/ports.ts'
import { SPAWN_ENV } from '../core/spawn.ts'
import { detectHost } from '../hosts/detect.ts'
import { type Environment, sessionInEnvironment, sessionInMeta, terminalIn, waitCeilingMs } from '../hosts/host.ts'
import type { Log } from '../tools/define.ts'
import { type CallDeps, callTool, isBarrier } from '../tools/registry.ts'
import type { HandOvers } from './hand-over.ts'
import { RPC, rpcFault } from './messages.ts'

export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

export interface CallSetting {
  readonly bus: Bus
  readonly toolsets: ReadonlySet<string>
  readonly env: Environment
  readonly log: Log
  /** The session this server was started for. */
  readonly sessionId?: string | undefined
  readonly name?: string | undefined
  /** The process behind the client. */
  readonly client?: ProcessRef | undefined
  readonly handOvers: HandOvers
  /** What the calls of this client have in common. */
  readonly connection: Connection
  /** What the client said of itself in `initialize`. */
  clientInfo(): Implementation | undefined
}

export interface Calls {
  run(request: JSONRPCRequest, extra: Extra): Promise<Result>
  /** Resolves when no call is running. */
  idle(): Promise<unknown>
}

export function createCalls(setting: CallSetting): Calls {
  const running = new Set<Promise<unknown>>()
  /** Done when the calls that later ones build on are done: a session that is being registered can act right after. */
  let barrier: Promise<unknown> = Promise.resolve()

  async function call(name: string, request: JSONRPCRequest, extra: Extra, after: Promise<unknown>): Promise<Result> {
    const progress = progressOf(extra, setting.log)
    await after
    const { result, handOver } = await callTool(name, request.params?.['arguments'], {
      ...about(setting, extra),
      progress: progress?.line,
    })
    progress?.end()
    if (handOver !== undefined) setting.handOvers.hold(extra.requestId, handOver, extra.signal)
    return { ...result }
  }

  return {
    async run(request, extra) {
      const name = request.params?.['name']
      if (typeof name !== 'string')
        throw rpcFault(RPC.invalidParams, 'Invalid params: "name" must be the name of a tool.')
      const done = call(name, request, extra, barrier)
      if (isBarrier(name)) barrier = done.catch(() => undefined)
      running.add(done)
      try {
        return await done
      } finally {
        running.delete(done)
      }
    },
    idle() {
      return Promise.allSettled(running)
    },
  }
}

/** Who asks for something that is no tool. Whoever cannot be told may look all the same. */
export async function callerOf(setting: CallSetting, extra: Extra): Promise<Caller> {
  const { hints } = about(setting, extra)
  try {
    return await setting.bus.identify(hints)
  } catch {
    return { kind: 'nobody', connection: hints.connection, host: hints.host }
  }
}

function about(setting: CallSetting, extra: Extra): CallDeps {
  const { connection, bus, toolsets, env, log, name, client } = setting
  const info = setting.clientInfo()
  const host = detectHost(info?.name)
  return {
    bus,
    toolsets,
    log,
    defaultName: name,
    signal: extra.signal,
    client: {
      name: info?.name,
      version: info?.version,
      waitCeilingMs: waitCeilingMs(host, extra._meta?.progressToken !== undefined, env),
      answerBytes: host.answerBytes,
    },
    hints: {
      connection,
      hostSays: sessionInMeta(host, extra._meta),
      isSubagent: host.isSubagent?.(extra._meta ?? {}),
      configured: setting.sessionId ?? sessionInEnvironment(host, env),
      spawn: env[SPAWN_ENV],
      host: {
        kind: host.kind,
        // A door exists only where the host’s own hooks say so; whoever registers through a tool alone has none.
        doors: [],
        ...(info !== undefined && { version: info.version }),
        ...(client !== undefined && { client }),
        ...terminalIn(env),
        ...(host.sharedServer && { shared: true }),
      },
    },
  }
}

/** Lines to a client that asked for them, numbered upwards; none after the answer. */
function progressOf(extra: Extra, log: Log): { line(message: string): void; end(): void } | undefined {
  const progressToken = extra._meta?.progressToken
  if (progressToken === undefined) return undefined
  let progress = 0
  let isOver = false
  return {
    line(message) {
      if (isOver || extra.signal.aborted) return
      progress += 1
      const sent = extra.sendNotification({
        method: 'notifications/progress',
        params: { progressToken, progress, message },
      })
      sent.catch((fault) => log('warn', 'mcp.progress', { fault: String(fault) }))
    },
    end() {
      isOver = true
    },
  }
}
