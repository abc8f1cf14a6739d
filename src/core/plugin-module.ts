/**
 * A plugin as a file that an IDE loads: what it exports, what it is called with and what it gives back. Plain data both ways,
 * so that the IDE needs none of our code. docs/plugins.md is the same for people.
 */

import type { Operation } from './action.ts'

/** What the IDE says of the tab a call is about. Unknown fields are ignored, and all but the id may be missing. */
export interface PluginContext {
  /** The IDE's id of the tab's conversation: the same for as long as the conversation lasts. */
  readonly sessionId: string
  /** Absolute. Without it a new tab is not registered. */
  readonly projectPath?: string
  readonly model?: string
  readonly scene?: string
  /** What the IDE is called, in small letters; `msun` where it is left out. */
  readonly host?: string
  /** What the tab is called; becomes the name of the session where that is free. */
  readonly title?: string
  /** True where an agent that the tab's session started itself is at work. */
  readonly isSubagent?: boolean
  /** `onSend`: what is about to be sent. */
  readonly prompt?: string
  /** `onContinue`: after tools (default), or when the turn is about to end. */
  readonly at?: 'tools' | 'stop'
  /** `onContinue` at `stop`: the turn was already continued by a plugin once. */
  readonly isHeld?: boolean
  /** `onToolResult`: the tool's name, its server's, and the result as the server gave it. */
  readonly tool?: string
  readonly server?: string
  readonly result?: unknown
  /** `onEnd`: why. */
  readonly reason?: string
}

/** What the IDE is to do to a tab now. Once: nobody hands it out again. */
export interface PluginAction {
  readonly id: string
  readonly type: 'create_session' | Operation
  /** The IDE's id of the tab. Of a tab to be made the id it may have; its first prompt says whose it is in any case. */
  readonly sessionId: string
  /** `send_message`: a prompt, shown in the chat, that starts a turn. `set_input`: for the input line, never sent. */
  readonly text?: string
  readonly model?: string
  readonly scene?: string
  /** The title of the tab: of a new one, and for `rename`. */
  readonly name?: string
  /** `create_session`: where it works, and its whole first prompt, which starts its first turn. */
  readonly projectPath?: string
  readonly prompt?: string
  /** Who asked for it. */
  readonly by: { readonly id: string; readonly name: string }
}

/** Nothing at all where there is nothing to say. */
export interface PluginAnswer {
  /** For the system prompt of this very request: facts, with peers' words fenced and attributed. Not the user's words. */
  readonly injection?: string
  /** After `at: 'stop'`: run another request with this injection instead of ending the turn. */
  readonly continues?: true
  /** Only from `onToolResult`. */
  readonly __actions?: readonly PluginAction[]
}

type Hook = (context: PluginContext) => Promise<PluginAnswer | undefined>

/** The exports of a plugin's `index.js`, as named ones and together as `default`. None of the functions ever throws. */
export interface PluginModule {
  readonly name: string
  /** Before a prompt goes to the model. */
  readonly onSend?: Hook
  /** Before the model goes on after tools, and when the turn is about to end. */
  readonly onContinue?: Hook
  /** After each tool. */
  readonly onToolResult?: Hook
  /** The tab was closed. */
  readonly onEnd?: Hook
}
