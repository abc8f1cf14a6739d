/**
 * The reference driver: the whole port in the Maps of one process, as short as it can be said. For tests and for programs
 * that need a bus of their own; nothing outlives the process. Another handle on the same data is the same store.
 */

import { withTurn } from '../core/activity.ts'
import { isMessageId, type Sent } from '../core/message.ts'
import type { Clock, Entry, SentStore, SessionStore, Store } from '../core/ports.ts'
import type { Binding, HostStore, Shown } from '../core/ports-hosts.ts'
import { NOTHING_SHOWN } from '../core/shown.ts'
import { memoryActions } from './memory-actions.ts'
import { beforeFirst, checked, createWatchers, memoryInbox } from './memory-inbox.ts'

export interface MemoryStoreOptions {
  /** Only leases of claims and times of reading need one. */
  readonly clock?: Pick<Clock, 'now'>
  /** Unread messages an inbox may hold; default 10 000. */
  readonly inboxLimit?: number
}

export function memoryStore(options: MemoryStoreOptions = {}): Store {
  const { clock = { now: () => Date.now() }, inboxLimit = 10_000 } = options
  const sent = memorySent()
  const watchers = createWatchers()
  const turns = new Map<string, string>()
  const names = new Map<string, { readonly id: string; readonly atMs: number }>()
  const followers = new Map<string, Set<string>>()
  const shown = new Map<string, Shown>()
  return {
    sessions: memorySessions(watchers, turns),
    inbox: memoryInbox(clock, inboxLimit, sent),
    sent,
    names: {
      async take(folded, id) {
        const taken = names.get(folded) ?? { id, atMs: clock.now() }
        names.set(folded, taken)
        return taken.id
      },
      owner: async (folded) => names.get(folded)?.id,
      async ageMs(folded) {
        const taken = names.get(folded)
        return taken && clock.now() - taken.atMs
      },
      async drop(folded, id) {
        if (names.get(folded)?.id === id) names.delete(folded)
      },
    },
    follow: {
      async add(target, follower) {
        followers.set(target, new Set([...(followers.get(target) ?? []), checked(follower)]))
      },
      async drop(target, follower) {
        followers.get(target)?.delete(follower)
      },
      async followers(target) {
        return [...(followers.get(target) ?? [])]
      },
    },
    shown: {
      async read(id) {
        return shown.get(id) ?? NOTHING_SHOWN
      },
      async change(id, decide) {
        const next = decide(shown.get(checked(id)) ?? NOTHING_SHOWN)
        if (next !== undefined) shown.set(id, next)
      },
    },
    actions: memoryActions(),
    hosts: memoryHosts({
      async beginTurn(hostKey) {
        if (!turns.has(checked(hostKey))) turns.set(hostKey, new Date(clock.now()).toISOString())
        watchers.tell(undefined)
      },
      async endTurn(hostKey) {
        turns.delete(checked(hostKey))
      },
    }),
    async tidy() {
      return 0
    },
    close() {},
  }
}

/** A copy that inherits nothing: ids are keys, and `constructor` is an id. */
function bare<T>(record: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.assign(Object.create(null), record)
}

function memorySessions(watchers: ReturnType<typeof createWatchers>, turns: ReadonlyMap<string, string>): SessionStore {
  const entries = new Map<string, Entry>()
  const look = (entry: Entry): Entry => {
    const { hooked, hostKey } = entry.session.host
    const turnAt = hooked ? turns.get(hostKey) : undefined
    return entry.activity && turnAt ? { ...entry, activity: withTurn(entry.activity, turnAt) } : entry
  }
  const read = (id: string) => {
    const entry = entries.get(checked(id))
    return entry && look(entry)
  }
  return {
    read: async (id) => read(id),
    list: async () => ({ entries: [...entries.values()].map(look), skipped: [] }),
    waitersOf: async (target) =>
      [...entries.values()].flatMap(({ activity }) =>
        activity?.waitingFor.some(({ targets }) => targets.includes(target)) ? [activity] : [],
      ),
    async change(id, decide) {
      // Nothing waits between the look and the write: one process changes one record at a time anyway.
      const before = read(id)
      const change = decide(before)
      const session = change?.session ?? before?.session
      if (change === undefined || session === undefined) return before
      const after: Entry = { session, activity: change.activity ?? before?.activity }
      entries.set(id, after)
      watchers.tell(id)
      return after
    },
    async remove(id, still) {
      const entry = read(id)
      if (entry !== undefined && still(entry)) return false
      if (entries.delete(id)) watchers.tell(id)
      return true
    },
    watch: (hint) => watchers.add(hint),
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

function memoryHosts(turns: Pick<HostStore, 'beginTurn' | 'endTurn'>): HostStore {
  const gated = new Set<string>()
  const bindings = new Map<string, Binding>()
  const latest = (matches: (binding: Binding) => boolean) =>
    [...bindings.values()]
      .reverse()
      .filter(matches)
      .sort((a, b) => (a.boundAt < b.boundAt ? 1 : a.boundAt > b.boundAt ? -1 : 0))[0]
  return {
    async bind(binding) {
      bindings.delete(binding.hostKey) // so that of two of one moment the later stands last
      bindings.set(checked(binding.hostKey), binding)
    },
    async find(hostKey) {
      return bindings.get(hostKey)
    },
    async ofClient(client) {
      return latest(
        (binding) => binding.client !== undefined && JSON.stringify(binding.client) === JSON.stringify(client),
      )
    },
    async ofTranscript(transcript) {
      return latest((binding) => binding.transcript === transcript)
    },
    async drop(isOver) {
      for (const [hostKey, binding] of bindings) if (isOver(binding)) bindings.delete(hostKey)
    },
    async mark(hostKey) {
      checked(hostKey)
    },
    async unmark(hostKey) {
      checked(hostKey)
    },
    async gate(hostKey) {
      return gated.size < gated.add(checked(hostKey)).size
    },
    async ungate(hostKey) {
      gated.delete(checked(hostKey))
    },
    ...turns,
    async touchWake(hostKey) {
      return `wakes/${checked(hostKey)}`
    },
  }
}
