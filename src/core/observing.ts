/** Writing down what a host shows of its session. */

import { type ActivityState, isFresh, observe } from './activity.ts'
import type { Context } from './context.ts'
import type { Entry } from './ports.ts'

/** The same state again is written at most every 30 s, as a sign of life. */
export async function observeAs(context: Context, entry: Entry, state: ActivityState, evidence: string): Promise<void> {
  const { activity } = entry
  if (activity?.state === state && isFresh(activity, context.clock.now())) return
  await writeObserved(context, entry, state, evidence)
}

/**
 * A turn is over, or the conversation is. Written always: a turn that only the gate noted is in the record from now on, so
 * that waiters see it begin and end, and the note goes.
 */
export async function observeEnd(
  context: Context,
  entry: Entry,
  state: ActivityState,
  evidence: string,
  background?: number,
): Promise<void> {
  await writeObserved(context, entry, state, evidence, background)
  await context.store.hosts.endTurn(entry.session.host.hostKey)
}

async function writeObserved(
  context: Context,
  entry: Entry,
  state: ActivityState,
  evidence: string,
  background?: number,
): Promise<void> {
  await context.store.sessions.change(entry.session.id, (current) => {
    if (current?.activity === undefined) return undefined
    const next = observe(current.activity, state, evidence, context.nowIso())
    return { activity: { ...next, ...(background !== undefined && { background }) } }
  })
}
