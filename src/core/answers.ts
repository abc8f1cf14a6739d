/** What callers of the bus get: the shapes behind every tool result and every `--json` of the command line. */

import type { ActivityState } from './activity.ts'
import type { ActionAnswer, ActionRow } from './answers-actions.ts'
import type { Json } from './json.ts'
import type { Intent, Place, Priority } from './message.ts'
import type { Skipped } from './ports.ts'
import type { Status } from './session.ts'

/** One line of a list: enough to choose whom to talk to. */
export interface SessionRow {
  readonly id: string
  readonly name?: string
  /** Cut to 120 characters. */
  readonly task: string
  readonly status: Status
  /** Observed, with liveness laid over it: `ended` when the client is provably gone. */
  readonly activity: ActivityState
  /** Why nobody needs to wait for it any more; absent while the session is running. */
  readonly finished?: Finished
  readonly host: string
  readonly projectPath: string
  readonly repoPath?: string
  readonly groupId?: string
  readonly progress?: string
  readonly updatedAt: string
  readonly unread: number
  /** Age of the oldest unread message, seconds. */
  readonly oldestUnreadSeconds?: number
}

export type Finished = 'closed' | 'ended' | 'expired' | 'gone'

export interface ListAnswer {
  readonly sessions: readonly SessionRow[]
  readonly total: number
  /** How many of all that match are not closed. */
  readonly open: number
  readonly nextCursor?: string
  /** Present when something could not be read: the list is then not complete. */
  readonly partial?: readonly Skipped[]
}

export interface SessionView extends SessionRow {
  readonly aliases: readonly string[]
  readonly branch?: string
  readonly tags: readonly string[]
  readonly metadata: Readonly<Record<string, Json>>
  readonly result?: string
  readonly model?: string
  readonly scene?: string
  readonly activitySince?: string
  readonly evidence: string
  readonly lastSeenAt?: string
  readonly lastTurn?: string
  readonly lastWake?: { readonly at: string; readonly from: string; readonly turnAt?: string }
  readonly wakeable: boolean
  readonly doors: readonly string[]
  readonly waitingFor: readonly string[]
  readonly watching: readonly string[]
  readonly followers: readonly string[]
  readonly damagedMessages: number
  readonly ttl: string
  readonly createdAt: string
  readonly closedAt?: string
  readonly closeReason?: string
  /** When it disappears, where that can be said. */
  readonly expiresAt?: string
  readonly parentSessionId?: string
  readonly spawnedBy?: string
  /** How its opening by create_session went. */
  readonly opened?: ActionAnswer
  /** What it asked for, and what was to be done to its tab, that has no good end; of the last day, newest first, at most 5. */
  readonly actions?: readonly ActionRow[]
  /** Why they could not be read. */
  readonly actionsFault?: string
}

export interface UpdateAnswer {
  readonly id: string
  readonly name?: string
  /** True when this call made the session. */
  readonly registered: boolean
  readonly status: Status
  readonly ttl: string
  readonly projectPath: string
  readonly repoPath?: string
  readonly notices?: readonly string[]
}

export type WakeOutcome = 'none' | 'deferred' | 'unavailable' | 'budget' | 'unknown'

export interface WakeAnswer {
  /** `none` not asked for; `deferred` working, its own hooks will tell it; `unavailable` no door; `budget` too many; `unknown` asked for, no proof yet. */
  readonly outcome: WakeOutcome
  readonly door?: string
  readonly evidence: string
  /** Where the recipient's host shows the wake itself: what it was asked to do. */
  readonly action?: ActionAnswer
}

export interface Delivery {
  readonly id: string
  readonly name?: string
  readonly stored: true
  readonly activity: ActivityState
  readonly finished?: Finished
  readonly wake: WakeAnswer
}

export interface NotDelivered {
  readonly to: string
  readonly code: string
  readonly reason: string
}

export interface SendAnswer {
  readonly messageId: string
  readonly sentAt: string
  readonly from: string
  readonly to: readonly Delivery[]
  /** Members of a group or project that were left out on purpose, and addressees that could not be reached. */
  readonly skipped?: readonly NotDelivered[]
}

export interface MessageView {
  readonly id: string
  /** Who says it. Never the user. */
  readonly from: { readonly id: string; readonly name: string; readonly verified: boolean }
  readonly via?: string
  readonly sentAt: string
  readonly ageSeconds: number
  readonly intent: Intent
  readonly priority: Priority
  readonly replyTo?: string
  readonly activationMessage?: string
  readonly content: string
  /** Set where `content` is only a part: its byte offset, the whole length, and where the next part begins. */
  readonly offset?: number
  readonly totalBytes?: number
  readonly nextOffset?: number
  /** An earlier reader took it and may have shown it already. */
  readonly redelivered?: true
  readonly readAt?: string
}

export interface InboxAnswer {
  readonly sessionId: string
  readonly messages: readonly MessageView[]
  /** Unread messages that did not go into this answer. */
  readonly remaining: number
  /** True when the messages stay unread. */
  readonly peek: boolean
  readonly partial?: readonly Skipped[]
  readonly note?: string
}

export interface ReceiptRow {
  readonly to: string
  readonly name?: string
  readonly place: Place | 'missing'
  readonly stored: boolean
  readonly readAt?: string
  readonly readBy?: string
  readonly turnStartedAt?: string
  readonly repliedWith?: string
  /** What is known and how, in a sentence. */
  readonly evidence: string
}

export interface ReceiptAnswer {
  readonly messageId: string
  readonly from: string
  readonly sentAt: string
  readonly recipients: readonly ReceiptRow[]
}

export interface WaitRow {
  readonly id: string
  readonly name?: string
  readonly status: Status | 'unknown'
  readonly activity: ActivityState
  readonly finished?: Finished
  readonly result?: string
  /** Which of the awaited states it reached; absent while it is pending. */
  readonly reached?: string
}

export interface WaitAnswer {
  readonly done: boolean
  readonly reason: 'reached' | 'message' | 'timeout'
  readonly sessions: readonly WaitRow[]
  /** Names or ids still awaited. */
  readonly pending: readonly string[]
  /** Pass it to the next call: nothing between the two calls is missed. */
  readonly cursor: string
  readonly waitedMs: number
  readonly timeoutMs: number
  readonly unread?: number
  readonly hint?: string
}

export interface WatchAnswer {
  readonly watching: readonly {
    readonly id: string
    readonly name?: string
    readonly status: Status
    readonly activity: ActivityState
    readonly finished?: Finished
  }[]
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

export interface CompleteAnswer {
  readonly id: string
  readonly name?: string
  readonly status: Status
  readonly closedAt: string
  readonly expiresAt: string
  /** Sessions that follow this one and will be told. */
  readonly followers: readonly string[]
  readonly unread: number
  /** What a closed session may do, and how it is opened again. */
  readonly next: string
}

/** What a caller should know beside the answer it asked for. Absent when there is nothing to say. */
export interface News {
  readonly unread?: number
  readonly oldestUnreadSeconds?: number
  /** Followed sessions that changed since they were last shown, each once. */
  readonly changes?: readonly string[]
  readonly notices?: readonly string[]
}

export interface SweepAnswer {
  readonly dryRun: boolean
  readonly sessions: readonly string[]
  /** Messages removed after the message TTL, by what they were. */
  readonly messages: { readonly unread: number; readonly read: number }
  readonly inboxes: number
  readonly leftovers: number
  readonly kept: number
}
