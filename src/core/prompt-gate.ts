/** Which prompts need no hook: where nothing can be due, the gate in front of the hooks only notes that a turn began. */

import type { Context } from './context.ts'
import { LIMITS } from './limits.ts'
import { hasNotice } from './notices.ts'
import type { Entry } from './ports.ts'
import { isClosed } from './session.ts'
import { countWakes } from './wake.ts'

/**
 * Decides at the end of a turn who looks at the next prompt. The gate sees no prompt, so it gets one only where nothing has
 * to be told beside it, and where none but a person is known to write the next: no wake is under way, no task of the
 * host runs that would report, and nothing is counted that a person's prompt would reset.
 * `isExpecting`: the host has more that may prompt by itself.
 */
export async function settleGate(context: Context, id: string, isExpecting = false): Promise<void> {
  const { hosts } = context.store
  const hostKey = await quietKey(context, id, isExpecting)
  if (hostKey === undefined) return ungate(context, await context.find(id))
  // What changed since the look was followed by an ungate of its own, which may have come before our gate.
  if ((await hosts.gate(hostKey)) && (await quietKey(context, id, isExpecting)) === undefined)
    await hosts.ungate(hostKey)
}

/** The next prompt is looked at by a hook. For whoever makes something due that leaves no mark. */
export async function ungate(context: Context, entry: Entry | undefined): Promise<void> {
  if (entry?.session.host.hooked) await context.store.hosts.ungate(entry.session.host.hostKey)
}

/** The host key of a session at whose next prompt nothing is due. What costs least is asked first. */
async function quietKey(context: Context, id: string, isExpecting: boolean): Promise<string | undefined> {
  const { store, clock } = context
  const entry = await context.find(id)
  const activity = entry?.activity
  if (entry === undefined || activity === undefined || isExpecting) return undefined
  const { session } = entry
  const { background = 0, lastWake, wokenBy = {} } = activity
  // Changes of those it follows leave no mark where only their activity changed, or their client ended.
  if (isClosed(session) || session.watching.length > 0 || hasNotice(activity) || background > 0) return undefined
  const nowMs = clock.now()
  const isWoken = lastWake !== undefined && lastWake.turnAt === undefined
  if (isWoken && Math.abs(nowMs - Date.parse(lastWake.at)) < LIMITS.wakeWindowMs) return undefined
  if (isCounting(wokenBy, nowMs) || isCounting(await store.sent.wakes(id), nowMs)) return undefined
  if ((await store.shown.read(id)).holds > 0) return undefined
  const { ids, claimed } = await store.inbox.unread(id)
  if (ids.length + claimed > 0) return undefined
  const binding = await store.hosts.find(session.host.hostKey)
  // Open in two clients, one key means two sessions: a hook can tell them apart, the gate cannot.
  return binding === undefined || binding.sessionId !== id || binding.isShared ? undefined : session.host.hostKey
}

function isCounting(wakes: Readonly<Record<string, readonly number[]>>, nowMs: number): boolean {
  return Object.keys(countWakes(wakes, [], nowMs)).length > 0
}
