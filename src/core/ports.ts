/**
 * What the rules need from the world. Drivers of {@link Store} live in store/, the rest in system/.
 * test/contract/store.ts is this page as executable text.
 */

import type { Activity } from './activity.ts'
import type { Message, Place, Sent } from './message.ts'
import type { ActionStore } from './ports-actions.ts'
import type { HostStore, ShownStore } from './ports-hosts.ts'
import type { Life, ProcessRef } from './process-ref.ts'
import type { Session } from './session.ts'
import type { Watch } from './watch-port.ts'

export type { Life, ProcessRef } from './process-ref.ts'
export type { Watch } from './watch-port.ts'

export interface Processes {
  readonly self: ProcessRef
  /** The program that started us: an MCP client, or the shell. Undefined when it is gone already. */
  readonly client: ProcessRef | undefined
  /** Our ancestors, nearest first, as far as they can be learnt. */
  ancestors(): readonly ProcessRef[]
  check(ref: ProcessRef): Life
  /** A cheaper look, for what is asked many times and decides nothing: may take a zombie for alive for half a second. */
  glance?(ref: ProcessRef): Life
}

export interface Clock {
  /** Wall clock, ms since the epoch. May jump. */
  now(): number
  /** The same in microseconds. */
  micros(): number
  /** Milliseconds from an arbitrary start. Never jumps: for time-outs. */
  steady(): number
  /** Calls `fn` after `ms`; the returned function cancels it. Keeps the process alive until then. */
  after(ms: number, fn: () => void): () => void
}

export interface Random {
  /** `length` characters of [0-9a-z], not guessable. */
  token(length: number): string
}

export interface ProjectPath {
  /** Absolute, symlinks resolved, `~` expanded. A path that does not exist (yet, or here) is normalised as text. */
  readonly path: string
  /** The same place in the main checkout, where `path` lies in a linked git worktree. */
  readonly repoPath?: string
  readonly branch?: string
}

export interface Projects {
  /** @throws BusError BAD_PATH for relative paths, the root, empty text and control characters. */
  resolve(text: string): ProjectPath
}

export interface Entry {
  readonly session: Session
  /** Undefined when the file is missing; a session without one is `unknown`. */
  readonly activity: Activity | undefined
}

/** Something on the bus that was left out of an answer, and why. Its presence makes the answer `partial`. */
export interface Skipped {
  readonly what: string
  readonly why: string
}

export interface Listing {
  readonly entries: readonly Entry[]
  readonly skipped: readonly Skipped[]
}

/** What `change` may write. A field that is absent, or the same object as before, is not written. */
export interface EntryChange {
  readonly session?: Session
  readonly activity?: Activity
}

export interface SessionStore {
  /** With a turn that only the gate has noted laid over the activity, here and wherever an entry is handed out. Undefined when there is no such session. @throws BusError STORE_UNREADABLE when there is one that cannot be read. */
  read(id: string): Promise<Entry | undefined>
  list(): Promise<Listing>
  /**
   * Activity records that hold a wait for `target`, also one that is over. Only looks; what cannot be read is left out, and
   * on a bus of many thousand sessions only those that changed last are looked at.
   */
  waitersOf(target: string): Promise<readonly Activity[]>
  /**
   * Read, decide, write, under this session's own lock: the only way a record changes.
   * `decide` sees the newest record and may throw to change nothing.
   * Resolves to what is on the bus afterwards.
   * @throws BusError STORE_BUSY when the lock is not free within a second.
   */
  change(id: string, decide: (current: Entry | undefined) => EntryChange | undefined): Promise<Entry | undefined>
  /**
   * Removes a record unless `still` says, when asked again after it was set aside, that it must stay.
   * @returns whether it is gone.
   */
  remove(id: string, still: (entry: Entry) => boolean): Promise<boolean>
  /** Calls `hint` with an id when a record may have changed, or without when anything may have. Hints may be missed: look again in time. */
  watch(hint: (id: string | undefined) => void): Watch
}

/** The right to deliver one message, held by one reader. Ends with exactly one of the two calls. */
export interface Claim {
  readonly message: Message
  /** True when an earlier reader took it and may or may not have shown it. */
  readonly redelivered: boolean
  /** Handed over: the message becomes read. Does nothing if the claim was lost meanwhile. */
  settle(): Promise<void>
  /** Not handed over: the message is unread again, in its old place. */
  release(): Promise<void>
}

export interface FoundMessage {
  readonly message: Message
  readonly place: Place
  /** When it was handed over, for `read`. */
  readonly readAt?: string
}

export interface Unread {
  /** Ids of unread messages, oldest first. Not including what a reader holds. */
  readonly ids: readonly string[]
  /** Messages in the hands of a reader right now. */
  readonly claimed: number
  readonly skipped: readonly Skipped[]
}

export interface DropOptions {
  /** Also messages nobody has read. */
  readonly unreadToo: boolean
  /** Only count. */
  readonly dryRun: boolean
}

export interface InboxStore {
  /**
   * Publishes one message whole, or throws; `already` when this very message is there.
   * Two senders never disturb each other or a reader.
   * `asRecord`: the message is its sender's record too, as {@link SentStore.record} would make it. For one recipient.
   * @throws BusError INBOX_FULL, DISK_FULL, HOME_UNWRITABLE
   */
  deliver(message: Message, options?: { readonly asRecord?: boolean }): Promise<'stored' | 'already'>
  /** Also returns abandoned claims to the inbox first. An inbox that does not exist is empty. */
  unread(id: string): Promise<Unread>
  /** How many messages are unread. Only looks: what a reader that is gone still holds is not counted. */
  count(id: string): Promise<number>
  /** Undefined when another reader was faster; a reason when nobody may read it, e.g. damaged and set aside now. */
  claim(id: string, messageId: string): Promise<Claim | Skipped | undefined>
  /** Looks without taking. */
  find(id: string, messageId: string): Promise<FoundMessage | undefined>
  /** Ids of the last `count` messages that were read, newest last. */
  history(id: string, count: number): Promise<readonly string[]>
  /** Files set aside because they could not be parsed or were returned too often. */
  damaged(id: string): Promise<readonly string[]>
  /** Drops messages, oldest first, for as long as `expired` says so. */
  drop(
    id: string,
    expired: (message: Message) => boolean,
    options: DropOptions,
  ): Promise<{ unread: number; read: number }>
  /** Ids of all inboxes, with or without a session. */
  owners(): Promise<readonly string[]>
  /** Removes an inbox that is empty. */
  close(id: string): Promise<void>
  watch(id: string, hint: () => void): Watch
}

export interface SentStore {
  record(sent: Sent): Promise<void>
  find(from: string, messageId: string): Promise<Sent | undefined>
  /** The id of the reply that `by` sent to a message, if any. */
  reply(by: string, replyTo: string): Promise<string | undefined>
  /** Times (ms) of wakes `from` requested in each recipient; pruned by the caller. */
  wakes(from: string): Promise<Readonly<Record<string, readonly number[]>>>
  setWakes(from: string, wakes: Readonly<Record<string, readonly number[]>>): Promise<void>
  /** Drops records, oldest first, for as long as `expired` says so. @returns how many. */
  drop(from: string, expired: (sent: Sent) => boolean): Promise<number>
  /** Ids of all who have sent something. */
  owners(): Promise<readonly string[]>
}

export interface NameStore {
  /** Takes a folded name for `id`; returns the owner, which is another one where the name was taken first. */
  take(folded: string, id: string): Promise<string>
  owner(folded: string): Promise<string | undefined>
  /** How long ago the name was taken, ms; undefined where nobody has it. */
  ageMs(folded: string): Promise<number | undefined>
  /** Gives a name up, if `id` still owns it. */
  drop(folded: string, id: string): Promise<void>
}

export interface FollowStore {
  add(target: string, follower: string): Promise<void>
  drop(target: string, follower: string): Promise<void>
  followers(target: string): Promise<readonly string[]>
}

export interface Store {
  readonly sessions: SessionStore
  readonly inbox: InboxStore
  readonly sent: SentStore
  readonly names: NameStore
  readonly follow: FollowStore
  readonly shown: ShownStore
  readonly hosts: HostStore
  readonly actions: ActionStore
  /** Removes leftovers of processes that are gone. @returns how many. */
  tidy(): Promise<number>
  close(): void
}
