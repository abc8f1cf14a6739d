/** From a tool's result to the actions its host performs: only what waits in the host's own queue, each once. */

import { type Action, isActionId } from './action.ts'
import type { Context } from './context.ts'
import type { HostPlugin, HostTraits, ToolResult } from './host-plugin.ts'
import { finishAction } from './perform.ts'
import type { HostExecutor } from './ports-actions.ts'
import { take } from './settle.ts'

/** The tools of ours that ask for actions, whatever the host puts before their names. */
const ASKING = /(^|[^A-Za-z0-9])(create_session|manage_session|send_message)$/
/** Ids in one result; a send to many asks for as many wakes. */
const MOST = 64

/** The plugin of a host that performs actions from results: after a tool it hands them out too. Others as they are. */
export function bridged(context: Context, { executor }: HostTraits, plugin: HostPlugin): HostPlugin {
  if (executor === undefined || executor.watches) return plugin
  return {
    ...plugin,
    async onToolResult(conversation, result) {
      const actions = await takeActions(context, executor, result)
      if (actions.length === 0) return plugin.onToolResult(conversation, result)
      // Nobody gets them again: what cannot be told beside them must not keep them back.
      const reply = await plugin.onToolResult(conversation, result).catch((fault: unknown) => {
        context.log?.('error', 'plugin', { method: 'onToolResult', fault: String(fault) })
        return undefined
      })
      return { ...reply, actions }
    },
  }
}

/** Whether a tool may have asked for an action: what can be known of any other without opening the bus. */
export function mayAsk(tool: string): boolean {
  return ASKING.test(tool)
}

/**
 * The waiting actions a result names. A result that was forged can name nothing that was not asked for, and what it says of
 * an action does not count: parameters come from the queue.
 */
export async function takeActions(
  context: Context,
  executor: HostExecutor,
  { tool, result }: ToolResult,
): Promise<readonly Action[]> {
  if (!mayAsk(tool)) return []
  const actions: Action[] = []
  for (const id of idsIn(result)) {
    // One that cannot be taken, or noted as handed over, must not keep back those that were: nobody else gets them.
    try {
      const action = await take(context, executor.id, id)
      if (action === undefined) continue
      actions.push(action)
      // The front end never tells how it went: that it was asked is all that can be known.
      await finishAction(context, action, { state: 'done', evidence: 'handed to the front end of the host' })
    } catch (fault) {
      context.log?.('error', 'action', { id, fault: String(fault) })
    }
  }
  return actions
}

function idsIn(result: unknown): readonly string[] {
  const answer = answerIn(result)
  const named = [answer['action'], ...wakesIn(answer['to'])]
  const ids = named.map((action) => asRecord(action)['id'])
  return ids.filter((id): id is string => typeof id === 'string' && isActionId(id)).slice(0, MOST)
}

function wakesIn(to: unknown): readonly unknown[] {
  return Array.isArray(to) ? to.map((delivery) => asRecord(asRecord(delivery)['wake'])['action']) : []
}

/** Hosts hand results on as text, as content blocks, as structured content, or as the object itself. */
function answerIn(result: unknown): Readonly<Record<string, unknown>> {
  if (typeof result === 'string') return asRecord(parsed(result))
  if (Array.isArray(result)) return answerIn(asRecord(result[0])['text'])
  const record = asRecord(result)
  if (record['structuredContent'] !== undefined) return asRecord(record['structuredContent'])
  return Array.isArray(record['content']) ? answerIn(record['content']) : record
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}
