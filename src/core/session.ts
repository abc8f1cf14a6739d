/** The session record: what a session declares of itself. Its observed half is in activity.ts. */

import type { Json } from './json.ts'
import { LIMITS } from './limits.ts'
import type { HostExecutor } from './ports-actions.ts'
import type { ProcessRef } from './process-ref.ts'

export const STATUSES = ['active', 'paused', 'blocked', 'completed', 'cancelled'] as const
export type Status = (typeof STATUSES)[number]

export interface SessionHost {
  /** `claude-code`, `codex`, ... ; `generic` where the client is not known. */
  readonly kind: string
  readonly version?: string
  /** The host's own id for the conversation, as given, where it is not the session id. */
  readonly hostSessionId?: string
  /** `hosts/{hostKey}` and `wakes/{hostKey}`; the session id where no hook told us one. */
  readonly hostKey: string
  /** The process whose end ends the session: the client, not our server. */
  readonly client?: ProcessRef
  /** The server that speaks for the session now. Its end ends nothing. */
  readonly server?: ProcessRef
  /** Where its terminal can be found: the pane, and the socket of the multiplexer that owns it. */
  readonly pane?: string
  readonly terminal?: string
  /** The process that shows it there, where its client is a server elsewhere. */
  readonly view?: ProcessRef
  /** Where its host keeps settings and conversations, and may be asked. */
  readonly folder?: string
  /** The host's name for it as a background job. */
  readonly job?: string
  /** What the host's own plugin does to its tabs. */
  readonly executor?: HostExecutor
  /** True once the host's hooks have spoken: they tell the session of mail and changes. */
  readonly hooked?: boolean
  /** True where one server speaks for all sessions of the host: an argument tells them apart. */
  readonly shared?: boolean
  /** Ways this host can be woken while idle; empty = none. */
  readonly doors: readonly string[]
}

/** How a created session is bound to its record. */
export interface Spawn {
  /** `{id}.{secret}`, given to the new conversation alone. */
  readonly token: string
  /** The action that opened it, and whose queue it was in. */
  readonly action: string
  readonly executor: string
  readonly at: string
  /** When the new conversation showed itself. */
  readonly boundAt?: string
}

/** One change of state, remembered so that a waiter with a cursor sees states that came and went between two calls. */
export interface Transition {
  readonly seq: number
  readonly state: string
}

/** Unknown fields of a newer version ride along untouched. Times are ISO 8601 UTC. */
export interface Session {
  readonly id: string
  readonly name?: string
  readonly aliases: readonly string[]
  readonly task: string
  readonly projectPath: string
  /** The path as the caller wrote it, where that differs. */
  readonly projectPathGiven?: string
  /** The main checkout, where projectPath lies in a linked worktree. */
  readonly repoPath?: string
  readonly groupId?: string
  readonly branch?: string
  readonly status: Status
  readonly progress?: string
  readonly result?: string
  readonly host: SessionHost
  readonly model?: string
  readonly scene?: string
  readonly tags: readonly string[]
  readonly metadata: Readonly<Record<string, Json>>
  readonly parentSessionId?: string
  /** The session, or `human`, that opened it with create_session. */
  readonly spawnedBy?: string
  readonly spawn?: Spawn
  /** Ids of the sessions this one follows. */
  readonly watching: readonly string[]
  /** False = never wake me. */
  readonly wakeable: boolean
  /** True where the id was an argument rather than something the host told us. */
  readonly selfNamed: boolean
  readonly createdAt: string
  /** Changes only with content. */
  readonly updatedAt: string
  readonly closedAt?: string
  readonly closeReason?: string
  readonly archived?: boolean
  /** As declared, e.g. `4h`; see ttl.ts. */
  readonly ttl: string
  /** Grows with every change; half of a wait's cursor. */
  readonly statusSeq: number
  /** The last status changes, oldest first. */
  readonly trail: readonly Transition[]
}

export function isClosed(session: Session): boolean {
  return session.closedAt !== undefined
}

/** How a session is called in answers and errors: its name where it has one. */
export function label(session: Session): string {
  return session.name ?? session.id
}

/** `next` as the version after `before`: sequence number, time and trail are kept here and nowhere else. */
export function revise(before: Session, next: Session, nowIso: string): Session {
  const statusSeq = before.statusSeq + 1
  const state = declaredState(next)
  const trail = state === declaredState(before) ? before.trail : remember(before.trail, { seq: statusSeq, state })
  return { ...next, updatedAt: nowIso, statusSeq, trail }
}

/** The word a waiter compares with: the status, and `closed` once the session is closed. */
export function declaredState(session: Session): string {
  return isClosed(session) ? 'closed' : session.status
}

export function remember(trail: readonly Transition[], entry: Transition): readonly Transition[] {
  return [...trail, entry].slice(-LIMITS.trail)
}

/**
 * Reads a record written by this or a newer version. Fills what is missing into `raw` itself: lists read thousands.
 * @throws Error saying which field is wrong; the caller reports the file as unreadable, never as absent.
 */
export function decodeSession(raw: unknown): Session {
  const record = requireTexts(raw, ['id', 'task', 'projectPath', 'status', 'createdAt', 'updatedAt', 'ttl'])
  const host = record['host']
  if (typeof host !== 'object' || host === null) throw new Error('field host is not an object')
  const facts = host as Record<string, unknown>
  facts['kind'] ??= 'generic'
  facts['hostKey'] ??= record['id']
  fillLists(facts, ['doors'])
  fillLists(record, ['aliases', 'tags', 'watching', 'trail'])
  allowTexts(record, OPTIONAL)
  allowTexts(facts, OPTIONAL_OF_HOST)
  requireListsOfTexts(record, ['aliases', 'tags', 'watching'])
  requireListsOfTexts(facts, ['doors'])
  if (record['spawn'] !== undefined) requireTexts(record['spawn'], ['token', 'action', 'executor', 'at'])
  record['metadata'] ??= {}
  record['wakeable'] ??= true
  record['selfNamed'] ??= false
  record['statusSeq'] ??= 1
  return record as unknown as Session
}

const OPTIONAL = [
  'name',
  'projectPathGiven',
  'repoPath',
  'groupId',
  'branch',
  'progress',
  'result',
  'model',
  'scene',
  'parentSessionId',
  'spawnedBy',
  'closedAt',
  'closeReason',
] as const
const OPTIONAL_OF_HOST = ['kind', 'hostKey', 'version', 'hostSessionId', 'pane', 'terminal', 'folder', 'job'] as const

/** One record that holds something else there must not break a list of all. @throws Error naming the first such field. */
export function allowTexts(record: Record<string, unknown>, fields: readonly string[]): void {
  for (const field of fields) {
    const value = record[field]
    if (value === null) delete record[field]
    else if (value !== undefined && typeof value !== 'string') throw new Error(`field ${field} is not text`)
  }
}

function requireListsOfTexts(record: Record<string, unknown>, fields: readonly string[]): void {
  for (const field of fields) {
    for (const item of record[field] as unknown[]) {
      if (typeof item !== 'string') throw new Error(`field ${field} holds something that is not text`)
    }
  }
}

/** @throws Error naming the first field that is not text. */
export function requireTexts(raw: unknown, fields: readonly string[]): Record<string, unknown> {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) throw new Error('not an object')
  const record = raw as Record<string, unknown>
  for (const field of fields) if (typeof record[field] !== 'string') throw new Error(`field ${field} is not text`)
  return record
}

/** A list that is missing is empty; anything else in its place is dropped. */
export function fillLists(record: Record<string, unknown>, fields: readonly string[]): void {
  for (const field of fields) if (!Array.isArray(record[field])) record[field] = []
}
