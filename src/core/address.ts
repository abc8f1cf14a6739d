/** Turning what a caller wrote into sessions. Addressing tries id, name, alias; a miss names the nearest. */

import { HUMAN_ID } from './caller.ts'
import type { Context } from './context.ts'
import { BusError } from './errors.ts'
import { isId, quote } from './ids.ts'
import { fold, nearest } from './name.ts'
import type { Entry } from './ports.ts'
import { projectKey } from './project.ts'
import { isClosed, label, type Session } from './session.ts'

/** One session by id, name or alias. @throws BusError SESSION_NOT_FOUND naming the nearest. */
export async function resolve(context: Context, target: string): Promise<Entry> {
  const found = await lookUp(context, target)
  if (found !== undefined) return found
  throw await notFound(context, target)
}

export async function lookUp(context: Context, target: string): Promise<Entry | undefined> {
  const text = target.trim()
  if (isId(text)) {
    const entry = await context.find(text)
    if (entry !== undefined) return entry
  }
  const owner = text.length <= 200 ? await context.store.names.owner(fold(text)) : undefined
  const entry = owner === undefined ? undefined : await context.find(owner)
  return entry !== undefined && answersTo(entry.session, text) ? entry : undefined
}

export function answersTo(session: Session, name: string): boolean {
  const wanted = fold(name)
  return (
    (session.name !== undefined && fold(session.name) === wanted) ||
    session.aliases.some((alias) => fold(alias) === wanted)
  )
}

async function notFound(context: Context, target: string): Promise<BusError> {
  const { entries } = await context.live()
  const names = entries.map(({ session }) => label(session))
  const near = nearest(target, [...names, ...entries.map(({ session }) => session.id)])
  const looksLikeList = /^\s*\[/.test(target)
  const truth =
    near.length > 0
      ? `The nearest: ${near.map(quote).join(', ')}.`
      : names.length === 0
        ? 'No session is registered.'
        : `There are: ${names.slice(0, 8).map(quote).join(', ')}${names.length > 8 ? `, and ${names.length - 8} more` : ''}.`
  return new BusError(
    'SESSION_NOT_FOUND',
    `No session answers to ${quote(target)}. ${truth}`,
    looksLikeList
      ? 'Send a real array of names, not text that looks like one.'
      : 'Use an id or name from list_sessions.',
  )
}

export interface Addressee {
  readonly id: string
  /** Undefined for the person. */
  readonly entry: Entry | undefined
  /** The group or project it was reached through. */
  readonly via?: string
}

export interface Addressed {
  readonly reached: readonly Addressee[]
  readonly missed: readonly { readonly to: string; readonly code: string; readonly reason: string }[]
}

/**
 * Everyone a send goes to, each once. A group or project stands for its open members at this moment without the sender.
 * @throws BusError when nobody at all can be reached: the first reason.
 */
export async function address(context: Context, targets: readonly string[], senderId: string): Promise<Addressed> {
  const reached = new Map<string, Addressee>()
  const missed: Addressed['missed'][number][] = []
  let first: unknown
  for (const target of targets) {
    try {
      for (const addressee of await expand(context, target, senderId, missed)) {
        if (!reached.has(addressee.id)) reached.set(addressee.id, addressee)
      }
    } catch (fault) {
      if (!(fault instanceof BusError)) throw fault
      first ??= fault
      missed.push({ to: target, code: fault.code, reason: `${fault.message} ${fault.hint}` })
    }
  }
  if (reached.size === 0) {
    throw (
      first ??
      new BusError(
        'NO_RECIPIENT',
        `Nobody is left to send to: ${missed.map((m) => `${m.to} ${m.reason}`).join('; ') || 'no recipient was named'}.`,
        'See list_sessions for who is there.',
      )
    )
  }
  return { reached: [...reached.values()], missed }
}

async function expand(
  context: Context,
  target: string,
  senderId: string,
  missed: Addressed['missed'][number][],
): Promise<readonly Addressee[]> {
  const text = target.trim()
  if (text === HUMAN_ID) return [{ id: HUMAN_ID, entry: undefined }]
  const group = /^(group|project):(.*)$/s.exec(text)
  if (group === null) {
    const entry = await resolve(context, text)
    return [{ id: entry.session.id, entry }]
  }
  const members = await membersOf(context, group[1] === 'group' ? 'group' : 'project', (group[2] ?? '').trim(), text)
  const open: Addressee[] = []
  for (const entry of members) {
    const { session } = entry
    if (session.id === senderId) continue
    const state = isClosed(session) ? session.status : session.archived ? 'archived' : undefined
    if (state === undefined) open.push({ id: session.id, entry, via: text })
    else missed.push({ to: label(session), code: 'SESSION_CLOSED', reason: state })
  }
  return open
}

async function membersOf(
  context: Context,
  kind: 'group' | 'project',
  value: string,
  text: string,
): Promise<readonly Entry[]> {
  const { entries } = await context.live()
  if (kind === 'project') {
    const key = context.projectKeyOf(value)
    const members = entries.filter(({ session }) => projectKey(pathsOf(session), context.foldCase) === key)
    if (members.length > 0) return members
    throw new BusError(
      'NO_RECIPIENT',
      `No session works in project ${quote(value)}.`,
      'See list_sessions for the projects there are.',
    )
  }
  const members = entries.filter(
    ({ session }) => session.groupId !== undefined && fold(session.groupId) === fold(value),
  )
  if (members.length > 0) return members
  const groups = [...new Set(entries.flatMap(({ session }) => session.groupId ?? []))]
  const near = nearest(value, groups)
  throw new BusError(
    'NO_RECIPIENT',
    `No session is in ${quote(text)}. ${near.length > 0 ? `The nearest groups: ${near.map(quote).join(', ')}.` : `Groups: ${groups.slice(0, 8).map(quote).join(', ') || 'none'}.`}`,
    'A session joins a group with update_session{groupId}.',
  )
}

export function pathsOf(session: Session): { path: string; repoPath?: string } {
  return session.repoPath === undefined
    ? { path: session.projectPath }
    : { path: session.projectPath, repoPath: session.repoPath }
}
