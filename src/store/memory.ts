/**
 * The reference driver: the whole port in the Maps of one process, as short as it can be said. For tests and for programs
 * that need a bus of their own; nothing outlives the process. Another handle on the same data is the same store.
 */

import { BusError } from '../core/errors.ts'
import { isId } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { isMessageId, type Message, type Place, type Sent } from '../core/message.ts'
import type { Clock, Entry, InboxStore, SentStore, SessionStore, Store, Watch } from '../core/ports.ts'

export interface MemoryStoreOptions {
  /** Only leases of claims and times of reading need one. */
  readonly clock?: Pick<Clock, 'now'>
  /** Unread messages an inbox may hold; default 10 000. */
  readonly inboxLimit?: number
}

export function memoryStore(options: MemoryStoreOptions = {}): Store {
  const { clock = { now: () => Date.now() }, inboxLimit = 10_000 } = options
  const sent = memorySent()
  const names = new Map<string, string>()
  const followers = new Map<string, Set<string>>()
  const shown = new Map<string, Readonly<Record<string, string>>>()
  return {
    sessions: memorySessions(),
    inbox: memoryInbox(clock, inboxLimit, sent),
    sent,
    names: {
      async take(folded, id) {
        if (!names.has(folded)) names.set(folded, id)
        return names.get(folded) ?? id
      },
      owner: async (folded) => names.get(folded),
      async drop(folded, id) {
        if (names.get(folded) === id) names.delete(folded)
      },
    },
    follow: {
      async add(target, follower) {
        followers.set(target, new Set([...(followers.get(target) ?? []), checked(follower)]))
      },
      async drop(target, follower) {
        followers.get(target)?.delete(follower)
      },
      followers: async (target) => [...(followers.get(target) ?? [])],
      shown: async (id) => shown.get(id) ?? bare({}),
      async setShown(id, next) {
        shown.set(checked(id), bare(next))
      },
    },
    async touchWake(hostKey) {
      checked(hostKey)
    },
    tidy: async () => 0,
    close() {},
  }
}

/** As in every driver: what is no id never becomes a key. */
function checked(id: string, isOne = isId(id)): string {
  if (!isOne) throw new Error('not an id')
  return id
}

/** A copy that inherits nothing: ids are keys, and `constructor` is an id. */
function bare<T>(record: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.assign(Object.create(null), record)
}

function memorySessions(): SessionStore {
  const entries = new Map<string, Entry>()
  const watchers = createWatchers()
  return {
    read: async (id) => entries.get(checked(id)),
    list: async () => ({ entries: [...entries.values()], skipped: [] }),
    async change(id, decide) {
      // Nothing waits between the look and the write: one process changes one record at a time anyway.
      const before = entries.get(checked(id))
      const change = decide(before)
      const session = change?.session ?? before?.session
      if (change === undefined || session === undefined) return before
      const after: Entry = { session, activity: change.activity ?? before?.activity }
      entries.set(id, after)
      watchers.tell(id)
      return after
    },
    async remove(id, still) {
      const entry = entries.get(checked(id))
      if (entry !== undefined && still(entry)) return false
      if (entries.delete(id)) watchers.tell(id)
      return true
    },
    watch: (hint) => watchers.add(hint),
  }
}

interface Kept {
  readonly message: Message
  readonly place: Place
  /** When it came to this place, ms. */
  readonly atMs: number
  /** How often a reader lost it. */
  readonly returns: number
}

function memoryInbox(clock: Pick<Clock, 'now'>, limit: number, sent: SentStore): InboxStore {
  const boxes = new Map<string, Map<string, Kept>>()
  const watchers = createWatchers()
  const boxOf = (id: string): Map<string, Kept> => boxes.get(checked(id)) ?? new Map()
  const idsIn = (id: string, place: Place): string[] =>
    [...boxOf(id)].flatMap(([messageId, kept]) => (kept.place === place ? [messageId] : [])).sort()
  const put = (id: string, kept: Kept, place: Place, returns = kept.returns): Kept => {
    const next = { ...kept, place, returns, atMs: clock.now() }
    boxOf(id).set(kept.message.id, next)
    watchers.tell(id)
    return next
  }

  return {
    async deliver(message, options = {}) {
      const { id, to } = message
      if (boxOf(to).has(checked(id, isMessageId(id)))) return 'already'
      const unread = idsIn(to, 'unread').length
      if (unread >= limit) {
        throw new BusError(
          'INBOX_FULL',
          `The inbox of ${to} holds ${unread} unread messages; the limit is ${limit}. Nothing was sent to it.`,
          'Wait until it has read some, or send to another session.',
        )
      }
      if (!boxes.has(to)) boxes.set(to, new Map())
      put(to, { message, place: 'unread', atMs: 0, returns: 0 }, 'unread')
      if (options.asRecord) {
        const { from, sentAt, intent, replyTo } = message
        await sent.record({ id, from: from.id, to: [to], sentAt, intent, ...(replyTo !== undefined && { replyTo }) })
      }
      return 'stored'
    },
    async unread(id) {
      for (const kept of boxOf(id).values()) {
        if (kept.place !== 'claimed' || Math.abs(clock.now() - kept.atMs) <= LIMITS.claimLeaseMs) continue
        put(id, kept, kept.returns < LIMITS.claimReturns ? 'unread' : 'damaged', kept.returns + 1)
      }
      return { ids: idsIn(id, 'unread'), claimed: idsIn(id, 'claimed').length, skipped: [] }
    },
    async claim(id, messageId) {
      const kept = boxOf(id).get(messageId)
      if (kept?.place !== 'unread') return undefined
      // The reader owns the message for as long as this very object lies there.
      const held = put(id, kept, 'claimed')
      const end = async (place: Place) => {
        if (boxOf(id).get(messageId) === held) put(id, held, place)
      }
      return {
        message: kept.message,
        redelivered: kept.returns > 0,
        settle: () => end('read'),
        release: () => end('unread'),
      }
    },
    async find(id, messageId) {
      const kept = boxOf(id).get(messageId)
      if (kept === undefined) return undefined
      const { message, place, atMs } = kept
      return place === 'read' ? { message, place, readAt: new Date(atMs).toISOString() } : { message, place }
    },
    history: async (id, count) => idsIn(id, 'read').slice(-count),
    damaged: async (id) => idsIn(id, 'damaged'),
    async drop(id, expired, { unreadToo, dryRun }) {
      const dropIn = (place: Place): number => {
        const ids = idsIn(id, place)
        const dropped = beforeFirst(ids, (messageId) => {
          const kept = boxOf(id).get(messageId)
          return kept !== undefined && !expired(kept.message)
        })
        if (!dryRun) for (const messageId of dropped) boxOf(id).delete(messageId)
        return dropped.length
      }
      return { read: dropIn('read'), unread: unreadToo ? dropIn('unread') : 0 }
    },
    owners: async () => [...boxes.keys()],
    async close(id) {
      if (boxOf(id).size === 0) boxes.delete(id)
    },
    watch: (id, hint) => watchers.add((about) => about === id && hint()),
  }
}

function memorySent(): SentStore {
  const records = new Map<string, Map<string, Sent>>()
  const wakes = new Map<string, Readonly<Record<string, readonly number[]>>>()
  const sentBy = (from: string) => [...(records.get(from)?.values() ?? [])].sort((a, b) => (a.id < b.id ? -1 : 1))
  return {
    async record(sent) {
      const id = checked(sent.id, isMessageId(sent.id))
      records.set(checked(sent.from), (records.get(sent.from) ?? new Map()).set(id, sent))
    },
    find: async (from, messageId) => records.get(from)?.get(messageId),
    reply: async (by, replyTo) => sentBy(by).findLast((sent) => sent.replyTo === replyTo)?.id,
    wakes: async (from) => wakes.get(from) ?? bare({}),
    async setWakes(from, next) {
      wakes.set(checked(from), bare(next))
    },
    async drop(from, expired) {
      const dropped = beforeFirst(sentBy(from), (sent) => !expired(sent))
      for (const { id } of dropped) records.get(from)?.delete(id)
      if (records.get(from)?.size === 0) records.delete(from)
      return dropped.length
    },
    owners: async () => [...records.keys()],
  }
}

/** The oldest ones, up to the first that stays. */
function beforeFirst<T>(items: readonly T[], stays: (item: T) => boolean): readonly T[] {
  const first = items.findIndex(stays)
  return first === -1 ? items : items.slice(0, first)
}

function createWatchers() {
  const hints = new Set<(id: string) => void>()
  return {
    tell(id: string): void {
      for (const hint of [...hints]) hint(id)
    },
    add(hint: (id: string) => void): Watch {
      const own = (id: string) => hint(id)
      hints.add(own)
      return { mode: 'events', close: () => hints.delete(own) }
    },
  }
}
