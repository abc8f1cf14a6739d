/** The activity record: what a session's host and server observe. Never declared by a model. */

import { LIMITS } from './limits.ts'
import type { ProcessRef } from './process-ref.ts'
import { allowTexts, fillLists, remember, requireTexts, type Transition } from './session.ts'

export const ACTIVITIES = ['working', 'idle', 'needs_input', 'needs_permission', 'ended', 'unknown'] as const
export type ActivityState = (typeof ACTIVITIES)[number]

/** One blocking wait in progress: what a cycle check walks. Counts only while its owner lives and `until` is ahead. */
export interface WaitEdge {
  readonly waitId: string
  readonly targets: readonly string[]
  readonly mode: 'all' | 'any'
  /** A wait that mail can end is never part of a cycle. */
  readonly orMessage: boolean
  readonly owner: ProcessRef
  readonly until: string
}

export interface LastWake {
  readonly wakeId: string
  readonly from: string
  readonly at: string
  readonly door: string
  /** Set by the recipient's prompt hook: the turn this wake started. */
  readonly turnAt?: string
}

/**
 * Another process claimed the session's id and was refused, or took over from a server that is still running; or its
 * conversation was opened in a second client, whose session is `branched`.
 */
export interface Clash {
  readonly at: string
  readonly pid: number
  readonly outcome: 'refused' | 'taken-over' | 'opened-twice' | 'branched'
}

/** An action that the session asked for and that ended, or turned out to have ended, after it had its answer. */
export interface EndedAction {
  readonly id: string
  readonly kind: string
  /** The name of the session whose tab it was, else its id. */
  readonly target: string
  readonly requestedAt: string
  readonly state: string
  readonly evidence: string
  readonly told: boolean
}

export interface Activity {
  readonly id: string
  readonly state: ActivityState
  readonly since: string
  /** What the state was concluded from, e.g. `hook Stop`. */
  readonly evidence: string
  /** Background tasks the host reported as running. */
  readonly background?: number
  readonly lastTurn?: string
  /** The last prompt a person wrote: resets the budgets of wakes. */
  readonly lastHumanPrompt?: string
  /** When the person ended the last turn, until the next one begins: some hosts start none by themselves meanwhile. */
  readonly cancelledAt?: string
  readonly lastWake?: LastWake
  /** Sender -> times (ms) of the turns its mail started, inside the window of the budget. */
  readonly wokenBy?: Readonly<Record<string, readonly number[]>>
  /** The last call or hook of the session; written at most every 30 s. */
  readonly lastSeenAt: string
  readonly waitingFor: readonly WaitEdge[]
  readonly clash?: Clash
  /** Whose mail starts no more turns here for now, and whether the session was told. */
  readonly outOfWakes?: { readonly from: string; readonly at: string; readonly told: boolean }
  /** The last few; those it was told of stay, so that nobody tells it again. */
  readonly endedActions?: readonly EndedAction[]
  /** Grows with every change of `state`; half of a wait's cursor. */
  readonly activitySeq: number
  readonly trail: readonly Transition[]
}

export function freshActivity(id: string, nowIso: string): Activity {
  return {
    id,
    state: 'unknown',
    since: nowIso,
    evidence: 'registered; no host hook has reported yet',
    lastSeenAt: nowIso,
    waitingFor: [],
    activitySeq: 1,
    trail: [],
  }
}

/** A change of the observed state. The same state again is only a sign of life. */
export function observe(activity: Activity, state: ActivityState, evidence: string, nowIso: string): Activity {
  if (state === activity.state) return { ...activity, evidence, lastSeenAt: nowIso }
  const activitySeq = activity.activitySeq + 1
  const trail = remember(activity.trail, { seq: activitySeq, state })
  return { ...activity, state, since: nowIso, evidence, lastSeenAt: nowIso, activitySeq, trail }
}

/**
 * Whether the record shows a sign of life that is new enough to leave it alone. A time in the future, left by a clock that was
 * set back, is none, and neither is what cannot be read as a time.
 */
export function isFresh({ lastSeenAt }: Activity, nowMs: number): boolean {
  return Math.abs(nowMs - Date.parse(lastSeenAt)) < LIMITS.beatMs
}

/**
 * What the gate in front of the hooks noted: a person submitted a prompt at `turnAt`, and nobody has looked at it yet.
 * A record that holds that turn already stays as it is. Compared for equality, so that a clock that was set hides no turn.
 */
export function withTurn(activity: Activity, turnAt: string | undefined): Activity {
  if (turnAt === undefined || turnAt === activity.lastTurn) return activity
  return {
    ...observe(activity, 'working', 'a prompt was submitted', turnAt),
    lastTurn: turnAt,
    lastHumanPrompt: turnAt,
  }
}

/** Fills what is missing into `raw` itself. @throws Error saying which field is wrong. */
export function decodeActivity(raw: unknown): Activity {
  const record = requireTexts(raw, ['id', 'state', 'since', 'lastSeenAt'])
  fillLists(record, ['waitingFor', 'trail'])
  record['evidence'] ??= ''
  allowTexts(record, ['evidence', 'lastTurn', 'lastHumanPrompt', 'cancelledAt'])
  if (record['lastWake'] !== undefined) requireTexts(record['lastWake'], ['wakeId', 'from', 'at', 'door'])
  record['activitySeq'] ??= 1
  if (record['endedActions'] !== undefined) {
    fillLists(record, ['endedActions'])
    for (const ended of record['endedActions'] as unknown[])
      requireTexts(ended, ['id', 'kind', 'target', 'requestedAt', 'state', 'evidence'])
  }
  return record as unknown as Activity
}
