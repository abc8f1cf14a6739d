/** What performing actions needs: a queue per executor, and the executors that run in this very process. */

import type { Action, ActionKind, ActionParams, ActionTarget, Outcome } from './action.ts'
import type { Life, ProcessRef } from './process-ref.ts'
import type { Watch } from './watch-port.ts'

/** An action that has no end yet. */
export interface Unfinished {
  readonly action: Action
  /** Whether the process lives that has taken it; absent while nobody has. */
  readonly taker?: Life
}

export interface ActionStore {
  /** Puts an action into the queue of its executor, in state `requested`. */
  request(action: Action): Promise<void>
  /**
   * Takes one action out of a queue: the only right to perform it. Undefined where it is not there, is not `requested`,
   * or someone else was faster. Of any number of takers one gets it, once.
   */
  claim(executor: string, id: string): Promise<Action | undefined>
  /** How a claimed one ended. */
  finish(action: Action, outcome: Outcome, finishedAt: string): Promise<void>
  /** As it stands. One whose executor died over it is `unknown`, also before that is written down. */
  find(executor: string, id: string): Promise<Action | undefined>
  /** Ids of the actions that wait for an executor, oldest first. */
  waiting(executor: string): Promise<readonly string[]>
  /** What waits or is being performed, in all queues. What cannot be read is left out. */
  unfinished(): Promise<readonly Unfinished[]>
  /**
   * What a session asked for and what was aimed at it, as it stands, newest first. Only the last few hundred of all
   * sessions are looked at.
   */
  about(sessionId: string): Promise<readonly Action[]>
  /** Drops those that were requested before. @returns how many. */
  drop(requestedBefore: string): Promise<number>
  /** Calls `hint` when something may have come into the queue. Hints may be missed: look again in time. */
  watch(executor: string, hint: () => void): Watch
}

/** Whether an executor can do something, and if not, why and what a person can do instead. */
export type Offer = { readonly can: true } | { readonly can: false; readonly reason: string; readonly byHand?: string }

/**
 * A way to perform actions from the process that was asked: terminals, background jobs. What hosts do themselves waits in
 * their queue instead.
 */
export interface Executor {
  readonly id: string
  /** Undefined where the target is none of its. Cheap; nothing is changed. Of a create, `params` has no spawn token yet. */
  offers(kind: ActionKind, target: ActionTarget, params: ActionParams): Promise<Offer | undefined>
  /** Runs once. A fault it throws becomes `failed`. */
  perform(action: Action): Promise<Outcome>
}

/** What a host's own plugin performs from its queue. */
export interface HostExecutor {
  readonly id: string
  /** True where its plugin looks into the queue by itself; else only results of its own tabs' tools are performed. */
  readonly watches: boolean
  readonly kinds: readonly ActionKind[]
  /** The process its plugin runs in, where several of the kind may run, each with tabs of its own. */
  readonly holder?: ProcessRef
}
