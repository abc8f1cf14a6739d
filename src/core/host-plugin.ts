/**
 * The host-neutral contract: what a program that runs AI sessions tells the bus, and what it gets to put before its model.
 * An IDE calls `onSend`, `onContinue` and `onToolResult` directly; adapters translate a host's hooks into the same calls.
 * What an IDE gets never throws (see {@link silenced}): a bus that cannot be reached must not break a turn.
 */

import type { ProcessRef } from './ports.ts'

/** What is true of one host, whatever its hooks are called. */
export interface HostTraits {
  /** The word in the session record: `claude-code`, `msun`, ... */
  readonly kind: string
  readonly version?: string
  /**
   * `kept`: injected text stays in the conversation, so everything is told once. `per-request`: it is made anew for each
   * request of the model, so the whole block is told every time.
   */
  readonly injection: 'kept' | 'per-request'
  /** Ways an idle session of this host can be woken, best first. */
  readonly doors: readonly string[]
}

/** The conversation a call is about. */
export interface Conversation {
  /** The host's id of it. May change while the session stays the same; any text. */
  readonly hostKey: string
  readonly projectPath?: string | undefined
  readonly model?: string | undefined
  readonly scene?: string | undefined
  /** True where an agent that the session started itself is at work: it is told nothing, and nothing is marked as told. */
  readonly isSubagent?: boolean | undefined
  /** The program the conversation runs in. Its end ends the session. */
  readonly client?: ProcessRef | undefined
  /** True where that program runs several conversations at once: then it does not say which one this is. */
  readonly isClientShared?: boolean | undefined
  /** Where the host keeps the conversation. */
  readonly transcript?: string | undefined
  /** What the host calls it; becomes its name where that is free. */
  readonly title?: string | undefined
  readonly pane?: string | undefined
}

/** Text for the model: facts, with peers' words fenced and attributed. */
export interface Injection {
  readonly text: string
  /** The turn that was about to end goes on with this text. */
  readonly continues?: true
}

export type StartSource = 'startup' | 'resume' | 'clear' | 'compact' | 'fork'

export interface Started {
  readonly sessionId: string
  readonly injection?: Injection
  /** A change of this file means: call `onWake`. */
  readonly wakeFile: string
}

export interface ContinueMoment {
  /** After tools, or when the turn is about to end. */
  readonly at: 'tools' | 'stop'
  /** At `stop`: this turn was held open or woken by us already. */
  readonly isHeld?: boolean
  /** At `stop`: tasks that go on in the background. */
  readonly background?: number
}

export interface ToolResult {
  readonly tool: string
}

export interface ToolResultReply {
  readonly injection: Injection
}

export interface HostPlugin {
  /** A prompt is submitted, by a person or by the host. */
  onSend(conversation: Conversation, prompt: string): Promise<Injection | undefined>
  /** A turn goes on, or is about to end. */
  onContinue(conversation: Conversation, moment: ContinueMoment): Promise<Injection | undefined>
  /** A tool has answered. For hosts that know of single tools rather than of rounds of them; else `onContinue`. */
  onToolResult(conversation: Conversation, result: ToolResult): Promise<ToolResultReply | undefined>
  /** The conversation begins or comes back. Registers the session if it is new. */
  onStart(conversation: Conversation, source: StartSource): Promise<Started | undefined>
  /** The host waits for the person. */
  onNotice(conversation: Conversation, waitsFor: 'needs_permission' | 'needs_input'): Promise<void>
  /** The person ended the turn: nothing is said to a model that was just told to stop. */
  onCancel(conversation: Conversation): Promise<void>
  /** The wake file changed: the text that starts a turn, or undefined where none is due. */
  onWake(conversation: Conversation): Promise<string | undefined>
  /** The conversation ends for good. */
  onEnd(conversation: Conversation, reason: string): Promise<void>
}

/** The same plugin where every fault becomes silence and one call of `report`. */
export function silenced(plugin: HostPlugin, report: (method: string, fault: unknown) => void): HostPlugin {
  const quiet = <A extends readonly unknown[], R>(method: string, call: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R | undefined> => {
      try {
        return await call(...args)
      } catch (fault) {
        report(method, fault)
        return undefined
      }
    }
  }
  return {
    onSend: quiet('onSend', plugin.onSend.bind(plugin)),
    onContinue: quiet('onContinue', plugin.onContinue.bind(plugin)),
    onToolResult: quiet('onToolResult', plugin.onToolResult.bind(plugin)),
    onStart: quiet('onStart', plugin.onStart.bind(plugin)),
    onNotice: quiet('onNotice', plugin.onNotice.bind(plugin)),
    onCancel: quiet('onCancel', plugin.onCancel.bind(plugin)),
    onWake: quiet('onWake', plugin.onWake.bind(plugin)),
    onEnd: quiet('onEnd', plugin.onEnd.bind(plugin)),
  }
}
