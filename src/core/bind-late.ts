/**
 * A created conversation that its host started without the token: a background service keeps the environment of whoever
 * started it first. Its first prompt names the record it was made for; what its start had registered meanwhile goes.
 */

import { attach, attached } from './attach.ts'
import type { Context } from './context.ts'
import type { Conversation, HostTraits } from './host-plugin.ts'
import { fold } from './name.ts'
import type { Entry } from './ports.ts'
import { spawnedId, spawnTokenIn } from './spawn.ts'

/** The record, bound now; undefined where the prompt opens none that still waits. */
export async function bindLate(
  context: Context,
  traits: HostTraits,
  conversation: Conversation,
  prompt: string,
): Promise<Entry | undefined> {
  const token = spawnTokenIn(prompt)
  const id = spawnedId(token)
  if (token === undefined || id === undefined || conversation.isSubagent) return undefined
  const made = await context.find(id)
  if (made?.session.spawn?.token !== token || made.session.spawn.boundAt !== undefined) return undefined
  const before = await attached(context, conversation)
  if (before !== undefined && !isBlank(before)) return undefined
  const entry = await attach(context, traits, { ...conversation, spawn: token }, 'startup')
  if (before !== undefined && before.session.id !== entry.session.id) await forget(context, before)
  return entry
}

/** Registered by a start, and nothing since. */
function isBlank({ session, activity }: Entry): boolean {
  return session.task === '' && session.spawn === undefined && activity?.lastTurn === undefined
}

async function forget(context: Context, { session }: Entry): Promise<void> {
  const { id, name } = session
  if (!(await context.store.sessions.remove(id, (current) => !isBlank(current)))) return
  if (name !== undefined) await context.store.names.drop(fold(name), id)
}
