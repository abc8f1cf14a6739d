/** Collects the tools and does everything around a call once: arguments, caller, news, refusals. */

import type { Bus, HandOver } from '../core/bus.ts'
import type { Caller, CallerHints } from '../core/caller.ts'
import { BusError } from '../core/errors.ts'
import { quote } from '../core/ids.ts'
import { nearest } from '../core/name.ts'
import { readArguments } from './arguments.ts'
import { completeSession } from './coordination/complete-session.ts'
import { listSessions } from './coordination/list-sessions.ts'
import { messageStatus } from './coordination/message-status.ts'
import { querySession } from './coordination/query-session.ts'
import { readInbox } from './coordination/read-inbox.ts'
import { sendMessage } from './coordination/send-message.ts'
import { updateSession } from './coordination/update-session.ts'
import { waitForSessions } from './coordination/wait-for-sessions.ts'
import { watchSession } from './coordination/watch-session.ts'
import type { Annotations, Log, Tool, ToolContext } from './define.ts'
import { failure, refuse, success, type ToolResult } from './result.ts'
import { inputSchema, type ObjectSchema, outputSchema } from './schema.ts'
import { createSession } from './tabs/create-session.ts'
import { manageSession } from './tabs/manage-session.ts'

/** Every tool there is, sorted by name. */
export const TOOLS: readonly Tool[] = [
  completeSession,
  createSession,
  listSessions,
  manageSession,
  messageStatus,
  querySession,
  readInbox,
  sendMessage,
  updateSession,
  waitForSessions,
  watchSession,
].sort((a, b) => (a.name < b.name ? -1 : 1))

export interface ToolListing {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: ObjectSchema
  readonly outputSchema?: ObjectSchema
  readonly annotations: Annotations
}

export function listTools(toolsets: ReadonlySet<string>): ToolListing[] {
  return TOOLS.filter((tool) => toolsets.has(tool.toolset)).map(listing)
}

export function listing(tool: Tool): ToolListing {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: inputSchema(tool.input),
    ...(tool.output !== undefined && { outputSchema: outputSchema(tool.output) }),
    annotations: tool.annotations,
  }
}

/** Whether later calls of the same connection have to wait for this one. */
export function isBarrier(name: string): boolean {
  return TOOLS.some((tool) => tool.name === name && tool.isBarrier === true)
}

export interface CallDeps extends Omit<ToolContext, 'bus' | 'caller'> {
  readonly bus: Bus
  readonly toolsets: ReadonlySet<string>
  /** What is known of the caller beside the arguments. */
  readonly hints: Omit<CallerHints, 'argument' | 'argumentMeans' | 'hookSays'>
  readonly log?: Log | undefined
}

export interface Called {
  readonly result: ToolResult
  /** Present where the answer consumes: to be settled with exactly one of its calls, whatever happens to the answer. */
  readonly handOver?: Pick<HandOver<unknown>, 'handedOver' | 'notHandedOver'>
}

/** Runs one tool. Never throws: what goes wrong is a refusal in the result. */
export async function callTool(name: string, rawArgs: unknown, deps: CallDeps): Promise<Called> {
  try {
    const tool = find(name, deps.toolsets)
    const { values, sessionId, hookSession, isSubagent } = readArguments(tool, rawArgs)
    const caller = await deps.bus.identify({
      ...deps.hints,
      hookSays: hookSession,
      isSubagent: isSubagent || deps.hints.isSubagent,
      argument: sessionId,
      argumentMeans: tool.sessionIdMeans,
    })
    if (deps.signal.aborted) {
      throw new BusError('CANCELLED', `${name} was cancelled before it began.`, 'Nothing was changed.')
    }
    const answer = await tool.run({ ...deps, caller }, values)
    if (!isHandOver(answer)) return { result: success(await withNews(tool, caller, answer, deps)) }
    try {
      return { result: success(await withNews(tool, caller, answer.answer, deps)), handOver: answer }
    } catch (fault) {
      await answer.notHandedOver()
      throw fault
    }
  } catch (fault) {
    if (!(fault instanceof BusError || deps.signal.aborted))
      deps.log?.('error', 'tool.fault', { tool: name, fault: stackOf(fault) })
    return { result: failure(refuse(fault)) }
  }
}

function find(name: string, toolsets: ReadonlySet<string>): Tool {
  const tool = TOOLS.find((candidate) => candidate.name === name)
  if (tool !== undefined && toolsets.has(tool.toolset)) return tool
  if (tool !== undefined) {
    throw new BusError(
      'BAD_INPUT',
      `${name} belongs to the toolset ${tool.toolset}, which this server does not offer.`,
      `A person can switch it on with --toolsets=${[...toolsets, tool.toolset].join(',')}.`,
    )
  }
  const names = listTools(toolsets).map((listed) => listed.name)
  const near = nearest(name, names)
  throw new BusError(
    'BAD_INPUT',
    `There is no tool ${quote(name)}.${near.length === 0 ? '' : ` The nearest: ${near.join(', ')}.`}`,
    `Tools: ${names.join(', ')}.`,
  )
}

/** The answer with what the caller should know beside it. An answer is never lost to its news. */
async function withNews(tool: Tool, caller: Caller, answer: object, deps: CallDeps): Promise<object> {
  try {
    const news = await deps.bus.news(caller, { withoutMail: tool.tellsUnread === true })
    return news === undefined ? answer : { ...answer, news }
  } catch (fault) {
    deps.log?.('warn', 'tool.news', { tool: tool.name, fault: stackOf(fault) })
    return answer
  }
}

function isHandOver(answer: object | HandOver<object>): answer is HandOver<object> {
  return 'handedOver' in answer && typeof answer.handedOver === 'function'
}

function stackOf(fault: unknown): string {
  return fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)
}
