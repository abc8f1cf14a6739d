/** Reclaims what has expired. Readers never depend on it: what is expired is hidden already. */

import type { SweepAnswer } from './answers.ts'
import { HUMAN_ID } from './caller.ts'
import type { Context } from './context.ts'
import { BusError } from './errors.ts'
import { LIMITS } from './limits.ts'
import { fold } from './name.ts'
import type { Entry } from './ports.ts'
import { settle } from './settle.ts'

/**
 * Removes expired sessions with their marks, then old messages, records of sends and leftovers of dead processes.
 * Unread mail of a session that is still there is never removed. Any number of processes may sweep at once.
 */
export async function sweep(context: Context, options: { readonly dryRun?: boolean } = {}): Promise<SweepAnswer> {
  const { dryRun = false } = options
  const { store } = context
  const check = context.checker()
  const { entries, skipped } = await store.sessions.list()
  const removed = new Set<string>()
  for (const entry of entries) {
    const { id } = entry.session
    await orSkip(context, id, async () => {
      if (!context.isHidden(entry, check)) {
        if (!dryRun) await correctClock(context, entry)
      } else if (dryRun || (await removeSession(context, entry))) removed.add(id)
    })
  }
  const staying = new Set(entries.map(({ session }) => session.id).filter((id) => !removed.has(id)))
  if (!dryRun) await settle(context)
  if (!dryRun) await store.actions.drop(new Date(context.clock.now() - LIMITS.actionKeptMs).toISOString())
  const mail = await sweepMail(context, staying, dryRun)
  // What could not be read may be the session of any of them.
  if (!dryRun && skipped.length === 0) await sweepBindings(context, staying)
  return {
    dryRun,
    sessions: [...removed],
    messages: mail.messages,
    inboxes: mail.inboxes,
    leftovers: dryRun ? 0 : await store.tidy(),
    kept: staying.size,
  }
}

async function removeSession(context: Context, entry: Entry): Promise<boolean> {
  const { session } = entry
  const { store } = context
  if (!(await store.sessions.remove(session.id, (current) => !context.isHidden(current)))) return false
  for (const name of [session.name, ...session.aliases]) {
    if (name !== undefined) await store.names.drop(fold(name), session.id)
  }
  if (session.host.hooked) {
    await store.hosts.ungate(session.host.hostKey)
    await store.hosts.endTurn(session.host.hostKey)
  }
  for (const target of session.watching) await store.follow.drop(target, session.id)
  for (const follower of await store.follow.followers(session.id)) await store.follow.drop(session.id, follower)
  return true
}

/**
 * A record stamped by a clock that runs ahead would never grow old. It is stamped again with this machine's time, so that
 * it does so from now on; judging it by the wrong stamp could remove what is in use after a clock was set back.
 */
async function correctClock(context: Context, { session, activity }: Entry): Promise<void> {
  const nowMs = context.clock.now()
  const isAhead = (time: string | undefined) => time !== undefined && Date.parse(time) > nowMs + LIMITS.clockSkewMs
  if (![session.updatedAt, session.closedAt, activity?.lastSeenAt].some(isAhead)) return
  const nowIso = context.nowIso()
  await context.store.sessions.change(session.id, (current) => {
    if (current === undefined) return undefined
    const { closedAt, updatedAt } = current.session
    return {
      session: {
        ...current.session,
        ...(isAhead(updatedAt) && { updatedAt: nowIso }),
        ...(isAhead(closedAt) && { closedAt: nowIso }),
      },
      ...(isAhead(current.activity?.lastSeenAt) &&
        current.activity && { activity: { ...current.activity, lastSeenAt: nowIso } }),
    }
  })
  context.log?.('warn', 'sweep.clock-ahead', { session: session.id })
}

async function sweepMail(context: Context, staying: ReadonlySet<string>, dryRun: boolean) {
  const { store } = context
  const nowMs = context.clock.now()
  const isOld = ({ sentAt }: { readonly sentAt: string }) => nowMs - Date.parse(sentAt) > context.messageTtlMs
  const messages = { unread: 0, read: 0 }
  const closed: string[] = []
  for (const id of await store.inbox.owners()) {
    const hasReader = staying.has(id) || id === HUMAN_ID || (await isThere(context, id))
    await orSkip(context, id, async () => {
      const dropped = await store.inbox.drop(id, isOld, { unreadToo: !hasReader, dryRun })
      messages.read += dropped.read
      messages.unread += dropped.unread
      if (dropped.unread > 0 && !dryRun)
        context.log?.('warn', 'sweep.unread-removed', { inbox: id, messages: dropped.unread })
      if (hasReader || dryRun) return
      await store.inbox.close(id)
      closed.push(id)
    })
  }
  const left = new Set(closed.length === 0 ? [] : await store.inbox.owners())
  if (!dryRun) for (const id of await store.sent.owners()) await store.sent.drop(id, isOld)
  return { messages, inboxes: closed.filter((id) => !left.has(id)).length }
}

/** Which session a host's conversation was: of use for as long as there is a session, or mail for it to come back to. */
async function sweepBindings(context: Context, staying: ReadonlySet<string>): Promise<void> {
  const owners = new Set(await context.store.inbox.owners())
  const before = new Date(context.clock.now() - LIMITS.bindingKeptMs).toISOString()
  await context.store.hosts.drop(
    ({ sessionId, boundAt }) => boundAt < before && !staying.has(sessionId) && !owners.has(sessionId),
  )
}

/** One record that is busy or damaged must not keep all others on the disk. */
async function orSkip(context: Context, id: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (fault) {
    if (!(fault instanceof BusError) || (fault.code !== 'STORE_BUSY' && fault.code !== 'STORE_UNREADABLE')) throw fault
    context.log?.('warn', 'sweep.skipped', { id, code: fault.code })
  }
}

/** Looks again before mail is called ownerless: a session may have come meanwhile, and one that cannot be read is there. */
async function isThere(context: Context, id: string): Promise<boolean> {
  try {
    return (await context.find(id)) !== undefined
  } catch {
    return true
  }
}
