/** The edges of the wait graph: written under the waiter's own lock, read by whoever starts to wait. */

import type { WaitEdge } from './activity.ts'
import type { Caller } from './caller.ts'
import type { Context } from './context.ts'
import { findCycle } from './cycle.ts'
import { BusError } from './errors.ts'

export interface OwnEdge {
  readonly sessionId: string
  readonly waitId: string
}

/**
 * Writes the edge, then looks for a cycle; whoever sees one takes its edge back.
 * Where nothing can be written the wait goes on without one: it ends with its time at the latest.
 * @throws BusError WAIT_CYCLE naming the cycle.
 */
export async function addEdge(
  context: Context,
  caller: Caller,
  wait: Pick<WaitEdge, 'targets' | 'mode' | 'orMessage'> & { readonly untilMs: number },
): Promise<OwnEdge | undefined> {
  if (caller.kind !== 'session' || caller.session === undefined || caller.isSubagent) return undefined
  const { untilMs, ...edgeOf } = wait
  const edge: WaitEdge = {
    waitId: context.random.token(8),
    ...edgeOf,
    owner: context.processes.self,
    until: new Date(untilMs).toISOString(),
  }
  const own = { sessionId: caller.id, waitId: edge.waitId }
  try {
    await changeEdges(context, caller.id, (edges) => [...edges, edge])
  } catch (fault) {
    if (fault instanceof BusError && (fault.code === 'HOME_UNWRITABLE' || fault.code === 'DISK_FULL')) return undefined
    throw fault
  }
  const cycle = await findCycle(context, caller.id)
  if (cycle === undefined) return own
  await endEdge(context, own, 0)
  throw new BusError(
    'WAIT_CYCLE',
    `This wait would never end: ${cycle.join(' waits for ')}.`,
    'Send a message instead, wait with orMessage, or let the other side finish first.',
  )
}

/** Takes the edge away, or lets it run out after `graceMs`. */
export async function endEdge(context: Context, own: OwnEdge | undefined, graceMs: number): Promise<void> {
  if (own === undefined) return
  const until = new Date(context.clock.now() + graceMs).toISOString()
  await changeEdges(context, own.sessionId, (edges) =>
    edges.flatMap((edge) => (edge.waitId !== own.waitId ? [edge] : graceMs > 0 ? [{ ...edge, until }] : [])),
  ).catch(() => undefined) // it runs out by itself
}

async function changeEdges(
  context: Context,
  id: string,
  change: (edges: readonly WaitEdge[]) => readonly WaitEdge[],
): Promise<void> {
  const nowMs = context.clock.now()
  await context.store.sessions.change(id, (current) => {
    if (current?.activity === undefined) return undefined
    const running = current.activity.waitingFor.filter((edge) => Date.parse(edge.until) > nowMs)
    return { activity: { ...current.activity, waitingFor: change(running) } }
  })
}
