/** What can be said of a session now: its activity, whether it is finished, when it expires. Files are not rewritten for it. */

import type { ActivityState } from './activity.ts'
import type { Finished } from './answers.ts'
import { LIMITS } from './limits.ts'
import type { Entry, Life, ProcessRef } from './ports.ts'
import { isClosed } from './session.ts'
import { neverRegistered } from './spawn.ts'
import { storedTtl } from './ttl.ts'

export interface Observed {
  readonly state: ActivityState
  readonly evidence: string
  readonly life: Life
}

export type CheckLife = (ref: ProcessRef) => Life

/** The recorded activity with the client's life laid over it. */
export function observed(entry: Entry, check: CheckLife, nowMs: number): Observed {
  const { activity } = entry
  const { client } = entry.session.host
  if (neverRegistered(entry.session, nowMs)) {
    return { state: 'ended', evidence: `never registered within ${LIMITS.spawnWaitMs / 1000} s`, life: 'unknown' }
  }
  const life = client === undefined ? 'unknown' : check(client)
  if (life === 'gone') return { state: 'ended', evidence: `its client, process ${client?.pid}, is gone`, life }
  if (activity === undefined) return { state: 'unknown', evidence: 'nothing was observed yet', life }
  if (activity.state === 'ended') return { state: 'ended', evidence: activity.evidence, life }
  if (life === 'unknown' && nowMs - lastSignMs(entry, nowMs) > LIMITS.quietMs) {
    return {
      state: 'unknown',
      evidence: `no sign of life since ${activity.lastSeenAt}, and its client cannot be checked`,
      life,
    }
  }
  // That a program of many tabs is alive says nothing of a tab whose turn may have ended without a word.
  if (entry.session.host.shared && activity.state === 'working' && nowMs - lastSignMs(entry, nowMs) > LIMITS.quietMs) {
    return { state: 'unknown', evidence: `it was working, and has been silent since ${activity.lastSeenAt}`, life }
  }
  return { state: activity.state, evidence: activity.evidence, life }
}

/** Why nobody needs to wait for the session; undefined while it runs. */
export function finished(entry: Entry, seen: Observed): Finished | undefined {
  if (isClosed(entry.session)) return 'closed'
  if (seen.state === 'ended') return 'ended'
  return undefined
}

/** When the session last showed itself by its recorded times, ms. A time ahead of now is a wrong clock and counts as now. */
export function lastSignMs(entry: Entry, nowMs: number): number {
  const times = [entry.session.updatedAt, entry.session.closedAt, entry.activity?.lastSeenAt]
  let last = 0
  for (const time of times) {
    const t = time === undefined ? Number.NaN : Date.parse(time)
    if (!Number.isNaN(t)) last = Math.max(last, t)
  }
  return last > nowMs + LIMITS.clockSkewMs ? nowMs : last
}

/** The moment a session would expire if nothing more happened, ms. Of a provably live one, only when it is closed. */
export function expiresAtMs(entry: Entry, nowMs: number, defaultTtlMs: number): number {
  const { session } = entry
  const closedMs = session.closedAt === undefined ? Number.NaN : Date.parse(session.closedAt)
  const fromMs = Number.isNaN(closedMs) ? lastSignMs(entry, nowMs) : Math.min(closedMs, nowMs)
  return fromMs + storedTtl(session.ttl, defaultTtlMs)
}

/** Hidden from everyone at once; the sweep only reclaims the space. */
export function isExpired(entry: Entry, check: CheckLife, nowMs: number, defaultTtlMs: number): boolean {
  if (nowMs < expiresAtMs(entry, nowMs, defaultTtlMs)) return false
  if (isClosed(entry.session)) return true
  const { client } = entry.session.host
  return client === undefined || check(client) !== 'alive'
}
