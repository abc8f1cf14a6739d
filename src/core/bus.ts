/** The bus: every rule behind one object. Tools, command line and plugins call nothing else. */

import type { Operation, OperationInput } from './action.ts'
import type {
  CompleteAnswer,
  InboxAnswer,
  ListAnswer,
  News,
  ReceiptAnswer,
  SendAnswer,
  SessionView,
  SweepAnswer,
  UpdateAnswer,
  WaitAnswer,
  WatchAnswer,
} from './answers.ts'
import type { CreateAnswer, ManageAnswer } from './answers-actions.ts'
import type { Caller, CallerHints } from './caller.ts'
import type { Json } from './json.ts'
import type { Activate, Intent, Priority } from './message.ts'
import type { RosterWatch } from './roster-watch.ts'
import type { Status } from './session.ts'
import type { GlanceAnswer } from './sight.ts'

/** Undefined = leave as it is; an empty string clears an optional text. */
export interface UpdateInput {
  readonly task?: string | undefined
  readonly projectPath?: string | undefined
  readonly name?: string | undefined
  readonly status?: Status | undefined
  readonly progress?: string | undefined
  readonly groupId?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly metadata?: Readonly<Record<string, Json>> | undefined
  readonly ttl?: string | undefined
  readonly wakeable?: boolean | undefined
  readonly model?: string | undefined
}

export interface ListInput {
  readonly projectPath?: string | undefined
  readonly groupId?: string | undefined
  readonly status?: Status | undefined
  readonly activity?: string | undefined
  readonly host?: string | undefined
  readonly text?: string | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

export interface GlanceInput extends Omit<ListInput, 'limit' | 'cursor'> {
  /** Ids of the sessions whose unread mail is wanted too: that alone costs something per session. */
  readonly mailOf?: readonly string[] | undefined
}

export interface SendInput {
  /** Ids, names, `group:<id>`, `project:<path>`, `human`. May be left out with `replyTo`: then the sender of that message. */
  readonly to?: readonly string[] | undefined
  readonly content: string
  readonly activationMessage?: string | undefined
  readonly activate?: Activate | undefined
  readonly replyTo?: string | undefined
  readonly intent?: Intent | undefined
  readonly priority?: Priority | undefined
}

export interface ReadInput {
  /** Whose inbox; the caller's own when left out. Another session's is only ever peeked at. */
  readonly inbox?: string | undefined
  readonly peek?: boolean | undefined
  readonly limit?: number | undefined
  /** Only messages from this session (id or name). */
  readonly from?: string | undefined
  readonly messageId?: string | undefined
  /** Byte offset into that message. */
  readonly offset?: number | undefined
  /** The last so many read messages; consumes nothing. */
  readonly history?: number | undefined
  /** The most one answer may hold, bytes, where the reader’s host cuts what is longer. */
  readonly answerBytes?: number | undefined
}

/** An answer that consumes only once it has reached its reader. Exactly one of the two must be called. */
export interface HandOver<T> {
  readonly answer: T
  handedOver(): Promise<void>
  notHandedOver(): Promise<void>
}

export interface WaitInput {
  readonly sessions: readonly string[]
  readonly mode?: 'all' | 'any' | undefined
  /** States to wait for; default `finished`. A status, an activity, `closed`, `finished` or `changed`. */
  readonly until?: readonly string[] | undefined
  readonly timeout?: string | undefined
  readonly orMessage?: boolean | undefined
  readonly cursor?: string | undefined
}

export interface WaitOptions {
  readonly signal?: AbortSignal | undefined
  /** Called at least every 3 s with a line such as `1/2 finished, 12 s`. */
  readonly progress?: ((line: string) => void) | undefined
  /** The longest wait the client allows, ms. */
  readonly ceilingMs?: number | undefined
}

export interface WatchInput {
  readonly sessions: readonly string[]
  readonly unwatch?: boolean | undefined
}

export interface CompleteInput {
  readonly result?: string | undefined
  readonly status?: 'completed' | 'cancelled' | undefined
  readonly ttl?: string | undefined
}

export interface CreateInput {
  /** What the new session's model reads first. */
  readonly prompt?: string | undefined
  /** One line for others to see; the beginning of the prompt when left out. */
  readonly task?: string | undefined
  /** The caller's own when left out, as the host. */
  readonly projectPath?: string | undefined
  readonly host?: string | undefined
  readonly model?: string | undefined
  readonly scene?: string | undefined
  readonly name?: string | undefined
  readonly groupId?: string | undefined
}

export interface ManageInput extends OperationInput {
  /** Id or name; `me` for the caller. */
  readonly session: string
  readonly operation: Operation
}

/** Every method may throw BusError; what it throws changed nothing. */
export interface Bus {
  identify(hints: CallerHints): Promise<Caller>
  update(caller: Caller, input: UpdateInput): Promise<UpdateAnswer>
  list(caller: Caller, input: ListInput): Promise<ListAnswer>
  /** Everyone at once, without pages and without a look into inboxes: for a view that is drawn again and again. */
  glance(caller: Caller, input: GlanceInput): Promise<GlanceAnswer>
  query(caller: Caller, target: string): Promise<SessionView>
  send(caller: Caller, input: SendInput): Promise<SendAnswer>
  read(caller: Caller, input: ReadInput): Promise<HandOver<InboxAnswer>>
  receipt(caller: Caller, messageId: string): Promise<ReceiptAnswer>
  wait(caller: Caller, input: WaitInput, options?: WaitOptions): Promise<WaitAnswer>
  watch(caller: Caller, input: WatchInput): Promise<WatchAnswer>
  /**
   * Opens a session in a tab of its own. Its record is there at once; whether its tab came, `action` and later `query` say.
   * What nobody can open is no error: `action` is `unsupported` or `failed`, and nothing is left of it.
   */
  create(caller: Caller, input: CreateInput): Promise<CreateAnswer>
  /** Does one operation to the tab of a session, or says in `action` why not. A new name holds on the bus in any case. */
  manage(caller: Caller, input: ManageInput): Promise<ManageAnswer>
  complete(caller: Caller, input: CompleteInput): Promise<CompleteAnswer>
  /** Calls `changed` when a session came, closed, opened again or went; at most once per second. */
  onRosterChange(changed: () => void): Promise<RosterWatch>
  /** Unread count, changes of followed sessions and notices, as far as they are new; undefined when there is nothing. */
  news(caller: Caller, options?: { readonly withoutMail?: boolean }): Promise<News | undefined>
  /** Removes what has expired. Safe to run in many processes at once. */
  sweep(options?: { readonly dryRun?: boolean }): Promise<SweepAnswer>
}
