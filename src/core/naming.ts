/** Giving names out: unique among the names and aliases of unexpired sessions. */

import { answersTo } from './address.ts'
import type { Context } from './context.ts'
import { BusError } from './errors.ts'
import { isId, quote } from './ids.ts'
import { LIMITS } from './limits.ts'
import { alternative, fold, requireName } from './name.ts'
import { label, type Session } from './session.ts'

/**
 * Takes `name` for session `id`; taking what one owns already is fine.
 * @throws BusError NAME_TAKEN with the owner and a free suggestion.
 */
export async function takeName(context: Context, name: string, id: string): Promise<void> {
  const owner = await tryTake(context, name, id)
  if (owner !== id) throw await taken(context, name, owner)
}

/** Takes `name`, or `name-2`, `name-3`, ...: for sessions that were not asked what they are called. */
async function takeFreeName(context: Context, name: string, id: string): Promise<string | undefined> {
  for (let n = 1; n < 100; n++) {
    const candidate = n === 1 ? name : alternative(name, n)
    if ((await tryTake(context, candidate, id)) === id) return candidate
  }
  return undefined
}

/** Takes the first of `texts` that a name can be made of, with a number where it is taken; `session` where there is none. */
export async function takeNameOutOf(
  context: Context,
  texts: readonly (string | undefined)[],
  id: string,
): Promise<string | undefined> {
  for (const text of [...texts, 'session']) {
    const name = text === undefined ? undefined : nameIn(text)
    const taken = name === undefined ? undefined : await takeFreeName(context, name, id)
    if (taken !== undefined) return taken
  }
  return undefined
}

/** The last part of a path of any system. */
export function folderOf(projectPath: string | undefined): string | undefined {
  return projectPath?.split(/[\\/]/).filter(Boolean).at(-1)
}

function nameIn(text: string): string | undefined {
  const letters = text
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[^\p{L}\p{M}\p{N} ._-]+/gu, '-')
    .replace(/^[^\p{L}\p{N}]+/u, '')
  try {
    return requireName([...letters].slice(0, 40).join(''))
  } catch {
    return undefined // nothing of it may stand in a name
  }
}

/** The owner of the name afterwards. */
async function tryTake(context: Context, name: string, id: string): Promise<string> {
  if (isId(name) && name !== id && (await context.find(name)) !== undefined) return name
  let owner = await context.store.names.take(fold(name), id)
  for (let tries = 0; tries < 3 && owner !== id && (await isAbandoned(context, name, owner)); tries++) {
    await context.store.names.drop(fold(name), owner)
    owner = await context.store.names.take(fold(name), id)
  }
  return owner
}

/** A name is taken before the record that carries it is written: so long it is held without one, ms. */
const RESERVED_MS = 10_000

/** Its owner has expired, or died before its record carried the name, or gave it up without saying so. */
async function isAbandoned(context: Context, name: string, owner: string): Promise<boolean> {
  const entry = await context.store.sessions.read(owner)
  if (entry !== undefined && context.isHidden(entry)) return true
  if (entry !== undefined && answersTo(entry.session, name)) return false
  return ((await context.store.names.ageMs(fold(name))) ?? 0) > RESERVED_MS
}

/** Undoes {@link takeName} for a change that failed, unless the record carries the name all the same. */
export async function giveNameBack(context: Context, name: string, id: string): Promise<void> {
  try {
    const entry = await context.find(id)
    if (entry === undefined || !answersTo(entry.session, name)) await context.store.names.drop(fold(name), id)
  } catch {
    // What led here is the fault to report; a name that no record carries is free to take anyway.
  }
}

/** A renamed session still answers to what it was called. */
export function aliasesAfter(before: Session, name: string | undefined): readonly string[] {
  const kept = before.aliases.filter((alias) => name === undefined || fold(alias) !== fold(name))
  if (before.name === undefined || (name !== undefined && fold(before.name) === fold(name))) return kept
  return [...kept, before.name].slice(-LIMITS.aliases)
}

/** Gives up names that the new record no longer carries. */
export async function dropOldNames(context: Context, before: Session | undefined, after: Session): Promise<void> {
  if (before === undefined) return
  const kept = new Set([after.name, ...after.aliases].flatMap((name) => (name === undefined ? [] : fold(name))))
  for (const name of [before.name, ...before.aliases]) {
    if (name !== undefined && !kept.has(fold(name))) await context.store.names.drop(fold(name), after.id)
  }
}

/** An explicit new id must not be what another session is called, or mail for one would reach the other. */
export async function requireFreeId(context: Context, id: string): Promise<void> {
  const session = await holder(context, id)
  if (session !== undefined && session.id !== id) throw await taken(context, id, session.id)
}

async function holder(context: Context, name: string): Promise<Session | undefined> {
  const owner = await context.store.names.owner(fold(name))
  const entry = owner === undefined ? undefined : await context.find(owner)
  return entry !== undefined && answersTo(entry.session, name) ? entry.session : undefined
}

async function taken(context: Context, name: string, owner: string): Promise<BusError> {
  let free = alternative(name, 2)
  for (let n = 2; n < 50; n++) {
    free = alternative(name, n)
    if ((await holder(context, free)) === undefined && !(isId(free) && (await context.find(free)))) break
  }
  const session = (await context.find(owner))?.session
  const who =
    session === undefined
      ? owner
      : `${label(session)} (id ${session.id}, ${session.closedAt === undefined ? session.status : 'closed'})`
  return new BusError(
    'NAME_TAKEN',
    `The name ${quote(name)} belongs to session ${who}. Nothing was changed.`,
    `Take another, for example ${quote(free)}.${session === undefined ? '' : ` If you are that session, pass sessionId ${quote(session.id)}.`}`,
  )
}
