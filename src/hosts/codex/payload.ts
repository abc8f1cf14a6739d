/**
 * Codex's hook input, as far as it is needed. Field names as observed with 0.171 in November 2026; everything is optional,
 * since a newer version may rename any of it, and then the hook is silent.
 */

import type { Conversation, StartSource } from '../../core/host-plugin.ts'
import type { ProcessRef } from '../../core/ports.ts'
import { type Environment, terminalIn } from '../host.ts'
import { folderOf } from './folder.ts'

export interface Payload {
  readonly event: string
  readonly conversation: Conversation
  readonly source: StartSource
  readonly prompt: string
  readonly reason: string
  readonly isHeld: boolean
}

/** What only a look at the system tells; asked at a start. */
export interface Surroundings {
  /** The process that started the hook: the program itself, or the background server its terminals share. */
  client(): ProcessRef | undefined
  /** The process of that background server, where one runs. */
  daemonPid(): number | undefined
}

const SOURCES: readonly string[] = ['startup', 'resume', 'clear', 'compact', 'fork']

/** Undefined for anything that names no conversation: no session is made up for it. */
export function readPayload(
  raw: Readonly<Record<string, unknown>>,
  env: Environment,
  surroundings: Surroundings,
): Payload | undefined {
  const event = text(raw['hook_event_name'])
  const hostKey = text(raw['session_id'])
  if (event === undefined || hostKey === undefined) return undefined
  const source = text(raw['source']) ?? ''
  // The background server keeps the environment of the terminal that started it, whatever it runs.
  const own = () => (surroundings.client()?.pid === surroundings.daemonPid() ? {} : terminalIn(env))
  return {
    event,
    conversation: {
      hostKey,
      projectPath: text(raw['cwd']),
      model: text(raw['model']),
      transcript: text(raw['transcript_path']),
      folder: folderOf(text(raw['transcript_path'])),
      // Agents carry the id of the conversation that started them, and one of their own beside it.
      isSubagent: text(raw['agent_id']) !== undefined,
      get client() {
        return surroundings.client()
      },
      get pane() {
        return own().pane
      },
      get terminal() {
        return own().terminal
      },
    },
    source: SOURCES.includes(source) ? (source as StartSource) : 'startup',
    prompt: text(raw['prompt']) ?? '',
    reason: text(raw['reason']) ?? 'other',
    isHeld: raw['stop_hook_active'] === true,
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
