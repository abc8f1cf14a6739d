/** Which program performs for whom: a plugin that sees the results of its own tabs' tools does nothing for callers elsewhere. */

import type { Context } from './context.ts'
import type { Entry } from './ports.ts'
import type { HostExecutor } from './ports-actions.ts'
import { sameProcess } from './process-ref.ts'

/** Why the plugin of `host` would not get to see what is asked; undefined where it does. */
export function outOfReach(
  context: Pick<Context, 'processes'>,
  kind: string,
  host: HostExecutor,
  callers: HostExecutor | undefined,
): string | undefined {
  if (host.watches) return undefined
  if (host.id !== callers?.id) return `${kind} performs actions only for its own tabs`
  const { holder } = host
  // One that was registered by an older version, or from a program that does not tell its windows apart, is taken as there.
  if (holder === undefined || callers.holder === undefined || sameProcess(holder, callers.holder)) return undefined
  // Started again, it shows its tabs again, and says so of each with its next prompt.
  if (context.processes.check(holder) === 'gone') return undefined
  return `${kind} performs actions only for tabs of the same window, and this one is in that of process ${holder.pid}`
}

/** A tab that another process shows from now on: the program was started again, or the tab went into another window. */
export async function noteHolder(context: Context, entry: Entry, now: HostExecutor | undefined): Promise<Entry> {
  const { id, host } = entry.session
  const holder = now?.holder
  const isKnown = ({ holder: before }: HostExecutor) =>
    holder === undefined || (before !== undefined && sameProcess(before, holder))
  if (host.executor === undefined || isKnown(host.executor)) return entry
  const changed = await context.store.sessions.change(id, (current) => {
    const executor = current?.session.host.executor
    if (current === undefined || executor === undefined || holder === undefined || isKnown(executor)) return undefined
    return { session: { ...current.session, host: { ...current.session.host, executor: { ...executor, holder } } } }
  })
  return changed ?? entry
}
