/** What a tool is: data plus one function. Everything around the call is done once, in registry.ts. */

import type * as z from 'zod'
import type { Bus, HandOver } from '../core/bus.ts'
import type { Caller, CallerHints } from '../core/caller.ts'
import type { Json } from '../core/json.ts'
import type { ToolsetId } from './toolsets.ts'

export type Log = (level: 'info' | 'warn' | 'error', event: string, facts?: Readonly<Record<string, Json>>) => void

/** The program at the other end, as far as a tool may care. */
export interface ToolClient {
  readonly name?: string | undefined
  readonly version?: string | undefined
  /** The longest one call may take before this client gives up on it, ms. */
  readonly waitCeilingMs: number
  /** The longest result its model is shown whole, bytes; undefined where it is far above any of ours. */
  readonly answerBytes?: number | undefined
}

export interface ToolContext {
  readonly bus: Bus
  readonly caller: Caller
  readonly client: ToolClient
  /** The name a session takes when it registers without one. */
  readonly defaultName?: string | undefined
  /** Aborted when the client cancels the call or goes away. */
  readonly signal: AbortSignal
  /** Present where the client asked for progress. */
  readonly progress?: ((line: string) => void) | undefined
}

export interface Annotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: false
}

export interface Tool<Input extends z.ZodRawShape = z.ZodRawShape> {
  readonly name: string
  readonly toolset: ToolsetId
  readonly title: string
  readonly annotations: Annotations
  /** A prompt: effect, when to use it, what comes next. */
  readonly description: string
  readonly input: Input
  /** The fields worth promising. Clients check refusals against it too, so nothing in it is ever required. */
  readonly output?: z.ZodRawShape
  /** For values people try that belong elsewhere: parameter -> value -> what to do instead. */
  readonly advice?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** What a `sessionId` argument stands for; the caller where nothing is said. */
  readonly sessionIdMeans?: CallerHints['argumentMeans']
  /** True where the answer itself says what is unread, so that the news beside it does not. */
  readonly tellsUnread?: boolean
  /** True where calls that arrive later build on this one and have to wait for it. */
  readonly isBarrier?: boolean
  /** Plain data, or an answer that consumes only once it has reached its reader. */
  run(context: ToolContext, args: z.infer<z.ZodObject<Input>>): Promise<object | HandOver<object>>
}

/** Infers the types of the arguments; adds nothing. */
export function defineTool<Input extends z.ZodRawShape>(tool: Tool<Input>): Tool<Input> {
  return tool
}
