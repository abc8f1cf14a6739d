/**
 * A plugin as a file that an IDE loads: what it exports, what it is called with and what it gives back. Plain data both ways,
 * so that the IDE needs none of our code. docs/plugins.md is the same for people.
 */

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
  /** `onToolResult`: the tool's name, and its result as the MCP server gave it. */
  readonly tool?: string
  readonly result?: unknown
  /** `onEnd`: why. */
  readonly reason?: string
}

/** Nothing at all where there is nothing to say. */
export interface PluginAnswer {
  /** For the system prompt of this very request: facts, with peers' words fenced and attributed. Not the user's words. */
  readonly injection?: string
  /** After `at: 'stop'`: run another request with this injection instead of ending the turn. */
  readonly continues?: true
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
