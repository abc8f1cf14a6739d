/** What an IDE says of a tab, turned into a conversation. Nothing in it is taken for granted: the IDE is not ours. */

import { OPERATIONS } from '../core/action.ts'
import type { Conversation, HostTraits } from '../core/host-plugin.ts'
import type { PluginContext } from '../core/plugin-module.ts'
import type { ProcessRef } from '../core/process-ref.ts'

/** A name for the record: `msun`, `my-ide`. */
const KIND = /^[a-z][a-z0-9-]{0,31}$/

/** The context with every field of its type, or undefined where it does not say which tab. */
export function readContext(raw: unknown): PluginContext | undefined {
  const fields = typeof raw === 'object' && raw !== null ? (raw as Readonly<Record<string, unknown>>) : {}
  const text = (field: string): string | undefined => {
    const value = fields[field] ?? fields[field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]
    return typeof value === 'string' ? value : undefined
  }
  const sessionId = text('sessionId')
  if (!sessionId) return undefined
  const texts = ['projectPath', 'model', 'scene', 'host', 'title', 'prompt', 'tool', 'server', 'reason'] as const
  return {
    sessionId,
    ...Object.fromEntries(texts.flatMap((field) => (text(field) === undefined ? [] : [[field, text(field)]]))),
    at: text('at') === 'stop' ? 'stop' : 'tools',
    isSubagent: fields['isSubagent'] === true,
    isHeld: fields['isHeld'] === true,
    result: fields['result'],
  }
}

/** No client: which process of an IDE starts the MCP server, its plugins cannot know. */
export function conversationOf(context: PluginContext): Conversation {
  const { sessionId, projectPath, model, scene, title, isSubagent } = context
  return {
    hostKey: sessionId,
    projectPath: projectPath || undefined,
    model,
    scene,
    title,
    isSubagent,
  }
}

/** What a plugin was made for. */
export interface PluginFor {
  /** The host where the program does not say its name. */
  readonly kind: string
  /** It has tabs, and a front end that performs the `__actions` of the bridge on them. */
  readonly performs?: true
}

export function traitsOf({ host = '' }: PluginContext, { kind, performs }: PluginFor, holder: ProcessRef): HostTraits {
  const id = KIND.test(host) ? host : kind
  return {
    kind: id,
    injection: 'per-request',
    // Its front end sees what the tools of its own tabs answer, and nothing else: no queue, no wake file.
    doors: performs ? ['push'] : [],
    ...(performs && { executor: { id, watches: false, kinds: ['create', ...OPERATIONS], holder } }),
    sharesClient: true,
    sharedServer: true,
  }
}
