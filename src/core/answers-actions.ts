/** What callers get of actions: of opening a session and of doing something to its tab. */

import type { ActionKind, ActionState, Operation } from './action.ts'

/** What became of something a host was asked to do to a tab. */
export interface ActionAnswer {
  /** Absent where there was nobody to ask. */
  readonly id?: string
  readonly kind: ActionKind
  readonly state: ActionState
  /** What the state was concluded from, or why it was not done. */
  readonly evidence: string
  /** What a person can do instead. */
  readonly byHand?: string
  /** What the caller can do next. */
  readonly next?: string
}

/** Something that was asked for and waits, failed, or of which nobody knows whether it was done. */
export interface ActionRow extends ActionAnswer {
  readonly id: string
  /** The session whose tab it is about, by its name at that time. */
  readonly target: string
  /** The value of the operation: the text, model, scene or name, cut to 120 characters. */
  readonly asked?: string
  /** Who asked. */
  readonly by: string
  readonly requestedAt: string
  readonly finishedAt?: string
  readonly next: string
}

export interface CreateAnswer {
  /** Absent where no session was opened; nothing is left of it then. */
  readonly sessionId?: string
  readonly name?: string
  readonly host: string
  readonly projectPath?: string
  readonly action: ActionAnswer
}

export interface ManageAnswer {
  readonly session: string
  readonly name?: string
  readonly operation: Operation
  readonly messageId?: string
  readonly action: ActionAnswer
}
