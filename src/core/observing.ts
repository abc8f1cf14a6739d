/** Writing down what a host shows of its session. */

import { type ActivityState, observe } from './activity.ts'
import type { Context } from './context.ts'
import { LIMITS } from './limits.ts'
import type { Entry } from './ports.ts'

/** The same state again is written at most every 30 s, as a sign of life. */
export async function observeAs(
  context: Context,
  entry: Entry,
  state: ActivityState,
  evidence: string,
  background?: number,
): Promise<void> {
  const nowMs = context.clock.now()
  const { activity } = entry
  const isStale = activity === undefined || nowMs - Date.parse(activity.lastSeenAt) > LIMITS.beatMs
  if (activity?.state === state && !isStale && (background ?? 0) === (activity.background ?? 0)) return
  await context.store.sessions.change(entry.session.id, (current) => {
    if (current?.activity === undefined) return undefined
    const next = observe(current.activity, state, evidence, context.nowIso())
    return { activity: { ...next, ...(background !== undefined && { background }) } }
  })
}
