/** list_sessions and query_session: who is there, and what is known of one. */

import { actionRows, openingOf } from './action-rows.ts'
import { ACTIVITIES, type Activity } from './activity.ts'
import { pathsOf, resolve } from './address.ts'
import type { ListAnswer, SessionRow, SessionView } from './answers.ts'
import type { ListInput } from './bus.ts'
import type { Caller } from './caller.ts'
import { type Context, requireOwn } from './context.ts'
import { BusError } from './errors.ts'
import { quote } from './ids.ts'
import { utf8Bytes } from './json.ts'
import { LIMITS } from './limits.ts'
import { type CheckLife, expiresAtMs, finished } from './liveness.ts'
import { fold } from './name.ts'
import type { Entry, Skipped } from './ports.ts'
import { projectKey } from './project.ts'
import { isClosed, type Session, STATUSES } from './session.ts'
import { settle } from './settle.ts'
import { clip } from './text.ts'

const ROW_TASK_CHARS = 120
/** Of what could not be read, so many are named. */
const MOST_SKIPPED = 5

export async function list(context: Context, input: ListInput): Promise<ListAnswer> {
  const limit = input.limit ?? LIMITS.listRows
  if (!Number.isInteger(limit) || limit < 1 || limit > 200) {
    throw new BusError(
      'BAD_INPUT',
      `limit ${limit} is not a whole number from 1 to 200.`,
      'Leave it out for pages of 20.',
    )
  }
  const check = context.checker()
  const matches = filterOf(context, input, check)
  const after = input.cursor === undefined ? undefined : decodeCursor(input.cursor)
  const { entries, skipped } = await context.live(check)
  const matching = entries.filter(matches).sort(newestFirst)
  const page = after === undefined ? matching : matching.filter((entry) => comesAfter(entry, after))

  const partial = skipped.slice(0, MOST_SKIPPED)
  const rows: SessionRow[] = []
  let bytes = 300 + utf8Bytes(JSON.stringify(partial))
  let last: Entry | undefined
  for (const entry of page.slice(0, limit)) {
    const row = await rowOf(context, entry, check).catch((fault) => skippedBy(fault, entry))
    bytes += utf8Bytes(JSON.stringify(row)) + 1
    if ('why' in row) {
      if (partial.length < MOST_SKIPPED) partial.push(row)
      last = entry
      continue
    }
    if (bytes > LIMITS.listAnswerBytes && rows.length > 0) break
    rows.push(row)
    last = entry
  }
  return {
    sessions: rows,
    total: matching.length,
    open: matching.filter(({ session }) => !isClosed(session)).length,
    ...(last !== undefined && rows.length < page.length && { nextCursor: encodeCursor(last) }),
    ...(partial.length > 0 && { partial }),
  }
}

export async function query(context: Context, target: string, caller: Caller): Promise<SessionView> {
  const isSelf = target.trim() === 'me'
  const entry = isSelf ? await requireOwn(context, caller, 'look at itself') : await resolve(context, target)
  const { session, activity } = entry
  const { store, clock } = context
  await settle(context)
  const seen = context.observe(entry)
  const expiresMs = expiresAtMs(entry, clock.now(), context.defaultTtlMs)
  const willExpire = isClosed(session) || seen.life !== 'alive'
  return {
    ...(await rowOf(context, entry, context.processes.check)),
    task: session.task,
    aliases: session.aliases,
    ...(session.branch !== undefined && { branch: session.branch }),
    tags: session.tags,
    metadata: session.metadata,
    ...(session.result !== undefined && { result: session.result }),
    ...(session.model !== undefined && { model: session.model }),
    ...(session.scene !== undefined && { scene: session.scene }),
    ...(activity !== undefined && { activitySince: activity.since, lastSeenAt: activity.lastSeenAt }),
    evidence: seen.evidence,
    ...(activity?.lastTurn !== undefined && { lastTurn: activity.lastTurn }),
    ...(activity?.lastWake !== undefined && {
      lastWake: {
        at: activity.lastWake.at,
        from: activity.lastWake.from,
        ...(activity.lastWake.turnAt !== undefined && { turnAt: activity.lastWake.turnAt }),
      },
    }),
    wakeable: session.wakeable,
    doors: session.host.doors,
    waitingFor: waitingFor(context, activity),
    watching: session.watching,
    followers: await store.follow.followers(session.id),
    damagedMessages: (await store.inbox.damaged(session.id)).length,
    ttl: session.ttl,
    createdAt: session.createdAt,
    ...(session.closedAt !== undefined && { closedAt: session.closedAt }),
    ...(session.closeReason !== undefined && { closeReason: session.closeReason }),
    ...(willExpire && { expiresAt: new Date(expiresMs).toISOString() }),
    ...(session.parentSessionId !== undefined && { parentSessionId: session.parentSessionId }),
    ...(session.spawnedBy !== undefined && { spawnedBy: session.spawnedBy }),
    ...(session.spawn !== undefined && { opened: await openingOf(context, session.spawn, seen) }),
    ...(await actionRows(context, session)),
  }
}

export async function rowOf(context: Context, entry: Entry, check: CheckLife): Promise<SessionRow> {
  return { ...sightOf(context, entry, check), ...(await unreadOf(context, entry.session.id)) }
}

/** A row as far as the records tell it: everything but the mail. */
export function sightOf(
  context: Context,
  entry: Entry,
  check: CheckLife,
): Omit<SessionRow, 'unread' | 'oldestUnreadSeconds'> {
  const { session } = entry
  const seen = context.observe(entry, check)
  const done = finished(entry, seen)
  return {
    id: session.id,
    ...(session.name !== undefined && { name: session.name }),
    task: clip(session.task, ROW_TASK_CHARS),
    status: session.status,
    activity: seen.state,
    ...(done !== undefined && { finished: done }),
    host: session.host.kind,
    projectPath: session.projectPath,
    ...(session.repoPath !== undefined && { repoPath: session.repoPath }),
    ...(session.groupId !== undefined && { groupId: session.groupId }),
    ...(session.progress !== undefined && { progress: clip(session.progress, ROW_TASK_CHARS) }),
    updatedAt: session.updatedAt,
  }
}

/** Ids of the sessions it waits for now: a wait that ran out, or whose owner is gone, is none. */
export function waitingFor(context: Context, activity: Activity | undefined, check?: CheckLife): string[] {
  const life = check ?? context.processes.check
  const running = activity?.waitingFor.filter(
    (edge) => Date.parse(edge.until) > context.clock.now() && life(edge.owner) !== 'gone',
  )
  return [...new Set(running?.flatMap((edge) => edge.targets) ?? [])]
}

/** One inbox that cannot be read must not hide all other sessions. */
export function skippedBy(fault: unknown, { session }: Entry): Skipped {
  if (fault instanceof BusError && fault.code === 'STORE_UNREADABLE') return { what: session.id, why: fault.message }
  throw fault
}

/** Unread count and the age of the oldest; the age is left out where it cannot be learnt. */
export async function unreadOf(
  context: Context,
  id: string,
): Promise<{ unread: number; oldestUnreadSeconds?: number }> {
  const { ids } = await context.store.inbox.unread(id)
  const [oldest] = ids
  if (oldest === undefined) return { unread: 0 }
  const found = await context.store.inbox.find(id, oldest).catch(() => undefined)
  if (found === undefined) return { unread: ids.length }
  const ageMs = Math.max(0, context.clock.now() - Date.parse(found.message.sentAt))
  return { unread: ids.length, oldestUnreadSeconds: Math.round(ageMs / 1000) }
}

/** @throws BusError BAD_INPUT for a status or an activity that does not exist. */
export function filterOf(
  context: Context,
  input: Omit<ListInput, 'limit' | 'cursor'>,
  check: CheckLife,
): (entry: Entry) => boolean {
  const key = input.projectPath === undefined ? undefined : context.projectKeyOf(input.projectPath)
  const group = input.groupId === undefined ? undefined : fold(input.groupId)
  const text = input.text === undefined ? undefined : fold(input.text)
  requireOneOf('status', input.status, [...STATUSES])
  requireOneOf('activity', input.activity, [...ACTIVITIES])
  return (entry) => {
    const { session } = entry
    if (key !== undefined && projectKey(pathsOf(session), context.foldCase) !== key) return false
    if (group !== undefined && fold(session.groupId ?? '') !== group) return false
    if (input.status !== undefined && session.status !== input.status) return false
    if (input.host !== undefined && session.host.kind !== input.host) return false
    if (text !== undefined && !haystack(session).includes(text)) return false
    return input.activity === undefined || context.observe(entry, check).state === input.activity
  }
}

function haystack(session: Session): string {
  const { id, name, aliases, task, progress, groupId, tags, projectPath } = session
  return fold([id, name, ...aliases, task, progress, groupId, ...tags, projectPath].join('\n'))
}

function requireOneOf(field: string, value: string | undefined, accepted: readonly string[]): void {
  if (value === undefined || accepted.includes(value)) return
  throw new BusError('BAD_INPUT', `${field} ${quote(value)} is not known.`, `One of: ${accepted.join(', ')}.`)
}

function newestFirst(a: Entry, b: Entry): number {
  const [x, y] = [a.session, b.session]
  if (x.updatedAt !== y.updatedAt) return x.updatedAt < y.updatedAt ? 1 : -1
  return x.id < y.id ? -1 : 1
}

/** A page goes on after the last row shown, wherever that one is by now. */
interface Position {
  readonly updatedAt: string
  readonly id: string
}

function comesAfter({ session }: Entry, at: Position): boolean {
  return session.updatedAt < at.updatedAt || (session.updatedAt === at.updatedAt && session.id > at.id)
}

function encodeCursor({ session }: Entry): string {
  return `${session.updatedAt}~${session.id}`
}

function decodeCursor(text: string): Position {
  const [updatedAt = '', id = '', ...rest] = text.split('~')
  if (rest.length > 0 || id === '' || Number.isNaN(Date.parse(updatedAt))) {
    throw new BusError(
      'BAD_CURSOR',
      `cursor ${quote(text)} is not one of this tool.`,
      'Pass nextCursor of the page before, or leave it out.',
    )
  }
  return { updatedAt, id }
}
