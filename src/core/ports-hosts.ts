/** What the hooks of hosts keep: which session a conversation is, and what it has been told. */

import type { Activity } from './activity.ts'
import type { ProcessRef } from './process-ref.ts'
import type { Session } from './session.ts'

/** What the context of one session has been shown, so that nothing is told twice. Losing it costs a repetition. */
export interface Shown {
  /** Followed session -> the stamp of the state that was told. */
  readonly sessions: Readonly<Record<string, string>>
  /** Unread messages that were announced. */
  readonly messages: readonly string[]
  /** Unread messages that held a turn open or started one: they do it once. */
  readonly pressed: readonly string[]
  /** How often in a row a turn was held open. */
  readonly holds: number
}

export interface ShownStore {
  read(id: string): Promise<Shown>
  /** Read, decide, write, under the session's own lock: of two that would tell the same, one does. */
  change(id: string, decide: (current: Shown) => Shown | undefined): Promise<void>
}

/** Which session a conversation of a host belongs to. Written by the hooks of that host. */
export interface Binding {
  readonly hostKey: string
  readonly sessionId: string
  readonly client?: ProcessRef
  /** Where the host keeps the conversation; a resumed one may come back under another key with the same transcript. */
  readonly transcript?: string
  readonly boundAt: string
  /** It was opened in a second client while the first one lived: which session a call is about, its client says. */
  readonly isShared?: true
}

export interface HostStore {
  bind(binding: Binding): Promise<void>
  find(hostKey: string): Promise<Binding | undefined>
  /** The latest binding of a client process. */
  ofClient(client: ProcessRef): Promise<Binding | undefined>
  /** The latest binding of a transcript. */
  ofTranscript(transcript: string): Promise<Binding | undefined>
  /** Removes bindings that are over, with the marks of their conversations. */
  drop(isOver: (binding: Binding) => boolean): Promise<void>
  /** Leaves word that the next hook of a conversation has something to look at. */
  mark(hostKey: string): Promise<void>
  unmark(hostKey: string): Promise<void>
  /** Leaves the next prompt to the gate alone, where nothing is marked by then. @returns false where it was so already. */
  gate(hostKey: string): Promise<boolean>
  ungate(hostKey: string): Promise<void>
  /**
   * What the gate does at a prompt: notes that a person began a turn. Until it is ended, every look at the session of that
   * conversation shows the turn, and every change of its activity writes it down.
   */
  beginTurn(hostKey: string): Promise<void>
  /** Forgets the note. To be called once the record holds the turn, by the hooks of the conversation alone. */
  endTurn(hostKey: string): Promise<void>
  /** Touches the file a host watches: the only thing a wake is on disk. @returns its path, for the host to watch. */
  touchWake(hostKey: string): Promise<string>
}

/** What a door is asked to do: begin a turn with `text` in the conversation of `session`. */
export interface DoorCall {
  readonly session: Session
  readonly activity: Activity | undefined
  /** What the hooks of its host told when the conversation began. */
  readonly binding: Binding | undefined
  readonly text: string
}

export interface DoorAnswer {
  /** True where the host took the text. Whether a turn starts, only its hooks can tell. */
  readonly isOpen: boolean
  /** What was seen, or why it could not be opened. Goes on a sentence. */
  readonly evidence: string
}

/** Doors that the process of the sender opens itself, for hosts without anything that watches a wake file. */
export interface Doors {
  has(door: string): boolean
  /** Bounded in time. */
  open(door: string, call: DoorCall): Promise<DoorAnswer>
}
