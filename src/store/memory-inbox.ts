/** Mail in the Maps of one process; see memory.ts. */

import { BusError } from '../core/errors.ts'
import { isId } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { isMessageId, type Message, type Place } from '../core/message.ts'
import type { Clock, InboxStore, SentStore, Watch } from '../core/ports.ts'

/** As in every driver: what is no id never becomes a key. */
export function checked(id: string, isOne = isId(id)): string {
  if (!isOne) throw new Error('not an id')
  return id
}

interface Kept {
  readonly message: Message
  readonly place: Place
  /** When it came to this place, ms. */
  readonly atMs: number
  /** How often a reader lost it. */
  readonly returns: number
}

export function memoryInbox(clock: Pick<Clock, 'now'>, limit: number, sent: SentStore): InboxStore {
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
    count: async (id) => idsIn(id, 'unread').length,
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

export function createWatchers() {
  const hints = new Set<(id: string | undefined) => void>()
  return {
    /** Without an id where anything may have changed. */
    tell(id: string | undefined): void {
      for (const hint of [...hints]) hint(id)
    },
    add(hint: (id: string | undefined) => void): Watch {
      const own = (id: string | undefined) => hint(id)
      hints.add(own)
      return { mode: 'events', close: () => hints.delete(own) }
    },
  }
}

/** The oldest ones, up to the first that stays. */
export function beforeFirst<T>(items: readonly T[], stays: (item: T) => boolean): readonly T[] {
  const first = items.findIndex(stays)
  return first === -1 ? items : items.slice(0, first)
}
