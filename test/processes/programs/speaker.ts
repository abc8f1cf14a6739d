/** One session as a worker sees it, through the library or through a real server over MCP. */

import type { InboxAnswer, SendAnswer } from '../../../src/lib.ts'
import { openBus } from '../../../src/lib.ts'
import { connectServer, type ServerLink } from '../lab/mcp.ts'
import { pause } from '../lab/until.ts'

export interface WorkerOrder {
  readonly via: 'library' | 'mcp'
  readonly home: string
  readonly durability: 'power' | 'process'
  /** The session to speak for. */
  readonly id: string
  /** The built server, for `mcp`. */
  readonly server: string
  /** Codes of refusals after which the worker tries again, because their cause goes away by itself. */
  readonly tolerate: readonly string[]
}

export interface Speaker {
  send(to: string, content: string): Promise<SendAnswer>
  /** `handedOver` is undefined where the server settles by itself. */
  take(): Promise<{ readonly answer: InboxAnswer; readonly handedOver?: () => Promise<void> }>
}

export async function speakerOf(order: WorkerOrder): Promise<Speaker> {
  for (;;) {
    try {
      return await (order.via === 'library' ? throughLibrary(order) : throughServer(order))
    } catch (fault) {
      if (!isTolerated(order, fault)) throw fault
      await pause(5)
    }
  }
}

async function throughLibrary({ home, durability, id }: WorkerOrder): Promise<Speaker> {
  const { bus, processes } = await openBus({ home, durability })
  const { client } = processes
  const hints = {
    connection: { named: new Set<string>() },
    configured: id,
    host: { kind: 'generic', doors: [], ...(client !== undefined && { client }) },
  }
  const first = await bus.identify(hints)
  if (first.kind !== 'session' || first.session === undefined) {
    await bus.update(first, { task: 'works', projectPath: '/project' })
  }
  const caller = await bus.identify(hints)
  return {
    send: (to, content) => bus.send(caller, { to: [to], content }),
    async take() {
      const { answer, handedOver } = await bus.read(caller, {})
      return { answer, handedOver }
    },
  }
}

/** The server may be killed under us at any time: the call that was open fails, and the next one starts a new server. */
async function throughServer(order: WorkerOrder): Promise<Speaker> {
  const { home, durability, id, server } = order
  let link: ServerLink | undefined
  const connected = async () => {
    if (link !== undefined) return link
    const fresh = await connectServer({
      args: [server, `--home=${home}`, `--durability=${durability}`, `--session-id=${id}`],
    })
    process.stdout.write(`server ${fresh.pid}\n`)
    void fresh.ended.then(() => {
      link = undefined
    })
    try {
      await fresh.call('update_session', { task: 'works', projectPath: '/project' })
    } catch (fault) {
      fresh.server.kill('SIGKILL')
      throw fault
    }
    link = fresh
    return fresh
  }
  return {
    send: async (to, content) => (await connected()).call<SendAnswer>('send_message', { to: [to], content }),
    take: async () => ({ answer: await (await connected()).call<InboxAnswer>('read_inbox') }),
  }
}

/** Whether to try again: what was asked was not done, or, where a server was killed, perhaps done. */
export function isTolerated({ via, tolerate }: WorkerOrder, fault: unknown): boolean {
  if (via === 'mcp' && isLostConnection(fault)) return true
  return typeof fault === 'object' && fault !== null && 'code' in fault && tolerate.includes(String(fault.code))
}

function isLostConnection(fault: unknown): boolean {
  return /connection closed|not connected/i.test(fault instanceof Error ? fault.message : String(fault))
}
