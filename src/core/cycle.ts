/** Would this wait never end? A walk over the edges of all who wait. */

import type { WaitEdge } from './activity.ts'
import type { Context } from './context.ts'
import { finished } from './liveness.ts'

/** What one session waits for: of each edge all, or any, of its targets. No edges = it can move on by itself. */
interface Waiter {
  readonly label: string
  readonly edges: readonly Pick<WaitEdge, 'targets' | 'mode'>[]
}

/**
 * The labels along a cycle from `id` back to it, or undefined when it can end.
 * Call it after the edge is written: then of two that start opposite waits at once at least one sees the other.
 */
export async function findCycle(context: Context, id: string): Promise<readonly string[] | undefined> {
  const waiters = await collect(context, id)
  const stuck = stuckAmong(waiters)
  if (!stuck.has(id)) return undefined
  return pathBack(waiters, stuck, id)
}

async function collect(context: Context, start: string): Promise<ReadonlyMap<string, Waiter>> {
  const waiters = new Map<string, Waiter>()
  const queue = [start]
  for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
    if (waiters.has(id)) continue
    const entry = await context.store.sessions.read(id).catch(() => undefined)
    const runs = entry !== undefined && finished(entry, context.observe(entry)) === undefined
    const edges = runs ? (entry.activity?.waitingFor ?? []).filter((edge) => counts(context, edge)) : []
    waiters.set(id, { label: entry?.session.name ?? id, edges })
    for (const edge of edges) queue.push(...edge.targets)
  }
  return waiters
}

/** A wait that mail can end, that is over, or whose owner is gone, holds nobody up. */
export function counts(context: Context, edge: WaitEdge): boolean {
  return (
    !edge.orMessage && Date.parse(edge.until) > context.clock.now() && context.processes.check(edge.owner) !== 'gone'
  )
}

/** Everyone is taken to be stuck until shown to move: who waits for nobody moves, and so on until nothing changes. */
function stuckAmong(waiters: ReadonlyMap<string, Waiter>): ReadonlySet<string> {
  const stuck = new Set(waiters.keys())
  const holds = ({ targets, mode }: Pick<WaitEdge, 'targets' | 'mode'>) =>
    mode === 'any' ? targets.every((target) => stuck.has(target)) : targets.some((target) => stuck.has(target))
  for (let before = -1; before !== stuck.size; ) {
    before = stuck.size
    for (const [id, { edges }] of waiters) if (stuck.has(id) && !edges.some(holds)) stuck.delete(id)
  }
  return stuck
}

function pathBack(waiters: ReadonlyMap<string, Waiter>, stuck: ReadonlySet<string>, start: string): readonly string[] {
  const cameFrom = new Map<string, string>()
  const queue = [start]
  for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
    for (const target of waiters.get(id)?.edges.flatMap((edge) => edge.targets) ?? []) {
      if (!stuck.has(target)) continue
      if (target === start)
        return [...trace(cameFrom, id, start), start].map((each) => waiters.get(each)?.label ?? each)
      if (!cameFrom.has(target)) {
        cameFrom.set(target, id)
        queue.push(target)
      }
    }
  }
  // Not on the cycle itself, but waiting for those who are.
  return [...stuck].map((each) => waiters.get(each)?.label ?? each)
}

function trace(cameFrom: ReadonlyMap<string, string>, end: string, start: string): string[] {
  const path = [end]
  for (let id = end; id !== start; ) {
    const before = cameFrom.get(id)
    if (before === undefined) break
    path.unshift(before)
    id = before
  }
  return path
}
