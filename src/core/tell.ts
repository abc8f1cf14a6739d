/** What a session is told: what is new to it, at a start everything, and each thing once. */

import type { Context } from './context.ts'
import { changesFor, followedNow } from './follow.ts'
import type { HostTraits } from './host-plugin.ts'
import type { Message } from './message.ts'
import { noticesFor } from './notices.ts'
import type { Entry } from './ports.ts'
import { compose } from './reminder.ts'
import { isClosed, label } from './session.ts'
import { settle } from './settle.ts'
import { forgetRead } from './shown.ts'

export interface Telling {
  readonly at: 'start' | 'prompt' | 'tools'
  readonly activation?: Message | undefined
}

/** Undefined when there is nothing to say. What is told is marked as told. */
export async function tell(
  context: Context,
  traits: HostTraits,
  given: Entry,
  telling: Telling,
): Promise<string | undefined> {
  const entry = await withEnds(context, given, telling)
  const { session } = entry
  const everything = traits.injection === 'per-request'
  const unread = await unreadMessages(context, session.id)
  // What is made anew for each request has to say again how things stand; what is kept says each change once.
  const changes = everything ? await followedNow(context, entry) : await changesFor(context, entry)
  // Said once, and where text lasts for one request the first request is the place for it, not the start.
  const notices = everything && telling.at === 'start' ? [] : await noticesFor(context, entry)
  let fresh: readonly Message[] = unread
  const hasTold = unread.length > 0 || (await context.store.shown.read(session.id)).messages.length > 0
  if (hasTold)
    await context.store.shown.change(session.id, (before) => {
      const shown = forgetRead(before, new Set(unread.map(({ id }) => id)))
      if (!everything) fresh = unread.filter(({ id }) => !shown.messages.includes(id))
      if (fresh.length === 0 && shown.messages.length === before.messages.length) return undefined
      return { ...shown, messages: unread.map(({ id }) => id) }
    })
  const [oldest] = unread
  const known = unread.length - fresh.length
  const ageMs = oldest === undefined ? 0 : Math.max(0, context.clock.now() - Date.parse(oldest.sentAt))
  // What was announced before is only counted, and only where a person’s turn begins.
  const recalls = telling.at !== 'tools' || fresh.length > 0
  return compose({
    identity: {
      id: session.id,
      name: session.name,
      task: session.task,
      passesId: session.host.shared === true,
      neighbours: telling.at === 'start' || everything ? await neighbours(context, entry) : [],
    },
    introduce: telling.at === 'start' || everything,
    fresh,
    known: recalls && known > 0 ? { count: known, oldestSeconds: Math.round(ageMs / 1000) } : undefined,
    changes,
    notices,
    activation: telling.activation,
    nowMs: everything ? undefined : context.clock.now(),
  })
}

/** The record with the ends of what it asked for, as far as nobody said them: looked for where a turn begins. */
async function withEnds(context: Context, entry: Entry, { at }: Telling): Promise<Entry> {
  if (at === 'tools') return entry
  const noted = await settle(context)
  return noted.has(entry.session.id) ? ((await context.find(entry.session.id)) ?? entry) : entry
}

/** Read just now: what someone read meanwhile is not among them. */
export async function unreadMessages(context: Context, id: string): Promise<readonly Message[]> {
  const { ids } = await context.store.inbox.unread(id)
  const messages: Message[] = []
  for (const messageId of ids) {
    const found = await context.store.inbox.find(id, messageId).catch(() => undefined)
    if (found?.place === 'unread') messages.push(found.message)
  }
  return messages
}

async function neighbours(context: Context, entry: Entry): Promise<readonly string[]> {
  const { projectPath, repoPath, id } = entry.session
  const project = repoPath ?? projectPath
  const { entries } = await context.live()
  return entries
    .filter(
      ({ session }) => session.id !== id && !isClosed(session) && (session.repoPath ?? session.projectPath) === project,
    )
    .filter((other) => context.observe(other).state !== 'ended')
    .map(({ session }) => label(session))
}
