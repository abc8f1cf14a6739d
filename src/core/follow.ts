/** watch_session, and the news beside every answer: each change of a followed session is told once. */

import { resolve } from './address.ts'
import type { News, WatchAnswer } from './answers.ts'
import type { WatchInput } from './bus.ts'
import type { Caller } from './caller.ts'
import { type Context, refuseSubagent, requireOpenOwn } from './context.ts'
import { BusError } from './errors.ts'
import { called, fenced, quoted } from './fence.ts'
import { LIMITS } from './limits.ts'
import { finished } from './liveness.ts'
import { noticesFor } from './notices.ts'
import type { Entry } from './ports.ts'
import { ungate } from './prompt-gate.ts'
import { unreadOf } from './roster.ts'
import { isClosed, label } from './session.ts'
import { neverRegistered } from './spawn.ts'

export async function watch(context: Context, caller: Caller, input: WatchInput): Promise<WatchAnswer> {
  refuseSubagent(caller, 'follow others')
  const own = await requireOpenOwn(context, caller, 'follow others')
  const me = own.session.id
  if (input.sessions.length === 0)
    throw new BusError('BAD_INPUT', 'sessions is empty.', 'Name the sessions to follow, by id or name.')
  const targets: Entry[] = []
  for (const text of input.sessions) targets.push(await resolve(context, text))
  if (targets.some(({ session }) => session.id === me)) {
    throw new BusError('BAD_INPUT', 'A session cannot follow itself.', 'Leave yourself out of sessions.')
  }
  const ids = [...new Set(targets.map(({ session }) => session.id))]
  const entry = await context.store.sessions.change(me, (current) => {
    if (current === undefined) return undefined
    const before = current.session.watching
    const watching = input.unwatch ? before.filter((id) => !ids.includes(id)) : [...new Set([...before, ...ids])]
    if (watching.length > LIMITS.targets) {
      throw new BusError(
        'RECORD_TOO_LARGE',
        `That would be ${watching.length} followed sessions; at most ${LIMITS.targets} fit.`,
        'Unwatch some first.',
      )
    }
    // Whom one follows is no news to one's own followers: no new sequence number.
    return { session: { ...current.session, watching } }
  })
  for (const id of ids) {
    if (input.unwatch) await context.store.follow.drop(id, me)
    else await context.store.follow.add(id, me)
  }
  // What changes in them leaves a mark only in part.
  await ungate(context, entry)
  const before = own.session.watching
  const watching = entry?.session.watching ?? []
  await context.store.shown.change(me, (shown) => {
    const sessions = bare(shown.sessions)
    for (const target of targets) {
      if (input.unwatch) delete sessions[target.session.id]
      else sessions[target.session.id] ??= stampOf(context, target)
    }
    return { ...shown, sessions }
  })
  return {
    watching: await rows(context, watching),
    added: watching.filter((id) => !before.includes(id)),
    removed: before.filter((id) => !watching.includes(id)),
  }
}

/** A session hears of the changes of one it opened without asking, unless it follows as many as it may. */
export async function followOwn(context: Context, me: string, id: string): Promise<void> {
  let isFull = false
  const entry = await context.store.sessions.change(me, (current) => {
    if (current === undefined) return undefined
    const { watching } = current.session
    isFull = watching.length >= LIMITS.targets
    return isFull ? undefined : { session: { ...current.session, watching: [...watching, id] } }
  })
  if (entry === undefined || isFull) return
  await context.store.follow.add(id, me)
  await ungate(context, entry)
}

async function rows(context: Context, ids: readonly string[]): Promise<WatchAnswer['watching']> {
  const found = await Promise.all(ids.map((id) => context.find(id)))
  return found.flatMap((entry) => {
    if (entry === undefined) return []
    const seen = context.observe(entry)
    const done = finished(entry, seen)
    const { id, name, status } = entry.session
    return [
      {
        id,
        ...(name !== undefined && { name }),
        status,
        activity: seen.state,
        ...(done !== undefined && { finished: done }),
      },
    ]
  })
}

/** What is new for the caller. Reading it marks the changes as shown; unread mail is said each time. */
export async function news(
  context: Context,
  caller: Caller,
  options: { readonly withoutMail?: boolean } = {},
): Promise<News | undefined> {
  if (caller.kind !== 'session') return undefined
  // As it was when the call came; one that was registered by this very call has no news.
  const { session, activity } = caller
  if (session === undefined) return undefined
  const own = { session, activity }
  const mail = options.withoutMail ? { unread: 0 } : await unreadOf(context, caller.id)
  const changes = await changesFor(context, own)
  const notices = await noticesFor(context, own)
  if (mail.unread === 0 && changes.length === 0 && notices.length === 0) return undefined
  return {
    ...(mail.unread > 0 && mail),
    ...(changes.length > 0 && { changes }),
    ...(notices.length > 0 && { notices }),
  }
}

/** What changed in the followed sessions since it was last told, each once: telling it marks it. */
export async function changesFor(context: Context, own: Entry): Promise<readonly string[]> {
  const { watching, id: me } = own.session
  if (watching.length === 0) return []
  const now: { id: string; stamp: string; line: string }[] = []
  for (const id of watching) {
    const entry = await context.find(id)
    const stamp = entry === undefined ? 'gone' : stampOf(context, entry)
    now.push({ id, stamp, line: entry === undefined ? `${quoted(id)} is gone` : await describe(context, entry) })
  }
  const known = bare((await context.store.shown.read(me)).sessions)
  if (now.every(({ id, stamp }) => known[id] === stamp)) return []
  let changes: readonly string[] = []
  await context.store.shown.change(me, (shown) => {
    const told = bare(shown.sessions)
    changes = now.flatMap(({ id, stamp, line }) => {
      const before = told[id]
      // Lost marks (or a context that was cleared) show everything once more rather than nothing ever.
      return before === stamp ? [] : [line]
    })
    const sessions = bare(Object.fromEntries(now.map(({ id, stamp }) => [id, stamp])))
    return { ...shown, sessions }
  })
  return changes
}

/** How many followed sessions are told of in every request of a model. */
const FOLLOWED = 8

/** How the followed sessions stand, for a text that is made anew each time. Marks nothing as told. */
export async function followedNow(context: Context, own: Entry): Promise<readonly string[]> {
  const { watching } = own.session
  const lines: string[] = []
  for (const id of watching.slice(0, FOLLOWED)) {
    const entry = await context.find(id)
    lines.push(entry === undefined ? `${quoted(id)} is gone` : await describe(context, entry))
  }
  return lines
}

/** Ids are keys, and `constructor` is an id. */
function bare(record: Readonly<Record<string, string>>): Record<string, string> {
  return Object.assign(Object.create(null), record)
}

/** A line made of our own words, a name, and at most one quoted piece of the session’s own text. */
async function describe(context: Context, entry: Entry): Promise<string> {
  const { session } = entry
  const seen = context.observe(entry)
  if (!isClosed(session) && neverRegistered(session, context.clock.now())) {
    const { unread } = await unreadOf(context, session.id)
    const mail = unread === 0 ? '' : `; ${unread} unread ${unread === 1 ? 'message is' : 'messages are'} kept for it`
    return `${quoted(label(session))} ${seen.evidence}${mail}`
  }
  const state = isClosed(session)
    ? called(session.status)
    : seen.state === 'ended'
      ? 'ended without completing'
      : `${called(session.status)}, ${called(seen.state)}`
  const said = session.result ?? session.progress
  return `${quoted(label(session))} is ${state}${said === undefined ? '' : `: ${fenced(said)}`}`
}

function stampOf(context: Context, entry: Entry): string {
  const seen = context.observe(entry)
  return `${entry.session.statusSeq}.${entry.activity?.activitySeq ?? 0}.${finished(entry, seen) ?? 'running'}`
}

/** Leaves word with the hooks of all who follow a session that it has changed. A follower that cannot be told looks later. */
export async function tellFollowers(context: Context, id: string): Promise<void> {
  for (const follower of await context.store.follow.followers(id)) {
    const entry = await context.find(follower).catch(() => undefined)
    if (entry?.session.host.hooked) await context.store.hosts.mark(entry.session.host.hostKey).catch(() => undefined)
  }
}
