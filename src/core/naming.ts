/** Giving names out: unique among the names and aliases of unexpired sessions. */

import { answersTo } from './address.ts'
import type { Context } from './context.ts'
import { BusError } from './errors.ts'
import { isId, quote } from './ids.ts'
import { alternative, fold } from './name.ts'
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
export async function takeFreeName(context: Context, name: string, id: string): Promise<string | undefined> {
  for (let n = 1; n < 100; n++) {
    const candidate = n === 1 ? name : alternative(name, n)
    if ((await tryTake(context, candidate, id)) === id) return candidate
  }
  return undefined
}

/** The owner of the name afterwards. */
async function tryTake(context: Context, name: string, id: string): Promise<string> {
  if (isId(name) && name !== id && (await context.find(name)) !== undefined) return name
  let owner = await context.store.names.take(fold(name), id)
  for (let tries = 0; tries < 3 && owner !== id && (await holder(context, name)) === undefined; tries++) {
    // Its owner is gone or gave it up without saying so.
    await context.store.names.drop(fold(name), owner)
    owner = await context.store.names.take(fold(name), id)
  }
  return owner
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
