/**
 * The host-neutral contract: what a program that runs AI sessions tells the bus, and what it gets to put before its model.
 * An IDE calls `onSend`, `onContinue` and `onToolResult` directly; adapters translate a host's hooks into the same calls.
 * What an IDE gets never throws (see {@link silenced}): a bus that cannot be reached must not break a turn.
 */

import type { Action } from './action.ts'
import type { ProcessRef } from './ports.ts'
import type { HostExecutor } from './ports-actions.ts'

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
  /** What this plugin, or the host behind it, does to tabs when asked. */
  readonly executor?: HostExecutor
  /** Its hooks at prompts stand behind a gate, which starts them only where something may be due. */
  readonly gated?: true
  /** One client process runs several conversations at once, so the process says nothing about which one it is. */
  readonly sharesClient?: true
  /** The host itself never has one conversation open in two clients: its key alone says which session it is. */
  readonly opensOnce?: true
  /** One server serves all of them too, and the host says with no call whose it is: the model passes its id each time. */
  readonly sharedServer?: boolean
}

/**
 * What a host shows beside the moments of a turn: it waits for the person; the person has answered, and work goes on; the
 * turn was broken off, and nothing may start another one in its place.
 */
export type Notice = 'needs_permission' | 'needs_input' | 'working' | 'idle'

/** The conversation a call is about. */
export interface Conversation {
  /** The host's id of it. May change while the session stays the same; any text. */
  readonly hostKey: string
  readonly projectPath?: string | undefined
  /** Kept in the record of the session; empty where there is none any more, undefined where the host does not say. */
  readonly model?: string | undefined
  readonly scene?: string | undefined
  /** True where an agent that the session started itself is at work: it is told nothing, and nothing is marked as told. */
  readonly isSubagent?: boolean | undefined
  /** The program the conversation runs in. Its end ends the session. */
  readonly client?: ProcessRef | undefined
  /** Where the host keeps the conversation. */
  readonly transcript?: string | undefined
  /** The host's own folder of settings and conversations, where something can ask the host there. */
  readonly folder?: string | undefined
  /** What the host calls it; becomes its name where that is free. */
  readonly title?: string | undefined
  /** Its terminal: the pane, and the socket of the multiplexer that owns it. */
  readonly pane?: string | undefined
  readonly terminal?: string | undefined
  /** The token by which a conversation that create_session opened names its record. Also found in the first prompt. */
  readonly spawn?: string | undefined
  /** Its environment is somebody else's, as in a background service: who opened it, only its first prompt says. */
  readonly isServed?: boolean | undefined
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
  /** At `stop`: the host has prompts of its own to come, at times it keeps. */
  readonly isScheduled?: boolean
}

export interface ToolResult {
  /** As the host calls it, with whatever it puts before our name. */
  readonly tool: string
  /** What the tool answered, in the form the host has it: a CallToolResult, its text, or the object itself. */
  readonly result?: unknown
}

export interface ToolResultReply {
  readonly injection?: Injection
  /**
   * What the host has to do to its tabs now. Taken from the queue of its executor, never from the result: whoever gets an
   * action is the only one who does, and nobody gets it again.
   */
  readonly actions?: readonly Action[]
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
  onNotice(conversation: Conversation, notice: Notice): Promise<void>
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
    onWake: quiet('onWake', plugin.onWake.bind(plugin)),
    onEnd: quiet('onEnd', plugin.onEnd.bind(plugin)),
  }
}
