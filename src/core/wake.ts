/** The sender's half of a wake: whether to ask for one. Whether a turn starts, the recipient's side decides. */

import type { Activity, ActivityState } from './activity.ts'
import type { WakeAnswer } from './answers.ts'
import { LIMITS } from './limits.ts'
import type { Activate, Intent } from './message.ts'
import type { Session } from './session.ts'

export interface WakeQuestion {
  readonly activate: Activate
  readonly intent: Intent
  readonly hops: number
  /** The recipient, with liveness laid over its activity. */
  readonly recipient: Session
  readonly activity: Activity | undefined
  readonly observed: ActivityState
  /** Times (ms) at which this sender asked this recipient to wake, inside the window. */
  readonly recentWakesMs: readonly number[]
  /** How many others this very send asks to wake already. */
  readonly wokenSoFar: number
}

export interface WakePlan {
  /** Ask for a turn (see door.ts), after the message is there. */
  readonly touch: boolean
  readonly answer: WakeAnswer
}

/** Decides from facts alone; counts only what asks for a wake. */
export function planWake(q: WakeQuestion): WakePlan {
  const not = (outcome: WakeAnswer['outcome'], evidence: string): WakePlan => ({
    touch: false,
    answer: { outcome, evidence },
  })
  if (q.activate === 'never') return not('none', 'activate was never')
  if (q.intent === 'ack') return not('none', 'an ack never wakes')
  if (!q.recipient.wakeable) return not('unavailable', 'the session asked not to be woken')
  // Before the turn it may be in: a chain this long is no longer told at its end either.
  const hasDoor = q.recipient.host.doors.length > 0
  if (hasDoor && q.hops > LIMITS.wakeHops) {
    return not(
      'budget',
      `stored only: this is reply ${q.hops} in a chain, and wakes end after ${LIMITS.wakeHops}; a person’s prompt resets it`,
    )
  }
  if (q.observed === 'ended')
    return not('unavailable', 'stored only: the session has ended; it is told if it comes back')
  if (q.observed === 'working' && q.activate === 'auto') {
    return not('deferred', `working since ${q.activity?.since ?? 'an unknown time'}; it is told within its turn`)
  }
  const door = q.recipient.host.doors[0]
  if (door === undefined) {
    return not(
      'unavailable',
      `stored only: host ${q.recipient.host.kind} has no way to be woken, or its hooks are not installed`,
    )
  }
  if (q.recentWakesMs.length >= LIMITS.wakesPerPair) {
    const minutes = LIMITS.wakeWindowMs / 60_000
    return not(
      'budget',
      `stored only: ${q.recentWakesMs.length} wakes of this session in ${minutes} min are the most; a person’s prompt resets it`,
    )
  }
  if (q.wokenSoFar >= LIMITS.wakesPerSend) {
    return not('budget', `stored only: one send wakes at most ${LIMITS.wakesPerSend} members`)
  }
  return { touch: true, answer: requested(door) }
}

/** Asked for, and not more than that: only the hooks of the recipient see a turn begin. */
export function requested(door: string, what = 'wake requested'): WakeAnswer {
  return { outcome: 'unknown', door, evidence: `${what}; no turn has been seen yet, see message_status` }
}

/** The wakes of one sender that still count, with one more for each of `woken`. */
export function countWakes(
  before: Readonly<Record<string, readonly number[]>>,
  woken: readonly string[],
  nowMs: number,
): Record<string, number[]> {
  const next: Record<string, number[]> = Object.create(null)
  for (const [id, times] of Object.entries(before)) {
    const recent = times.filter((t) => Math.abs(nowMs - t) < LIMITS.wakeWindowMs)
    if (recent.length > 0) next[id] = recent
  }
  for (const id of woken) next[id] = [...(next[id] ?? []), nowMs]
  return next
}
