/**
 * Claude Code's hook input, as far as it is needed. Field names as observed with 2.1 in November 2026; everything is
 * optional, since a newer version may rename any of it, and then the hook is silent.
 */

import type { Conversation, StartSource } from '../../core/host-plugin.ts'
import type { Processes } from '../../core/ports.ts'
import { SPAWN_ENV } from '../../core/spawn.ts'
import { record } from '../entries.ts'
import { type Environment, terminalIn } from '../host.ts'

export interface Payload {
  readonly event: string
  readonly conversation: Conversation
  readonly source: StartSource
  readonly prompt: string
  readonly reason: string
  readonly notification: string
  readonly isHeld: boolean
  readonly background: number
  readonly isScheduled: boolean
  readonly toolInput: Readonly<Record<string, unknown>>
  readonly agentId: string | undefined
}

const SOURCES: readonly string[] = ['startup', 'resume', 'clear', 'compact', 'fork']

/**
 * Other hosts read Claude Code's settings and run the same hooks (Cursor, Copilot, Gemini, Codex): they have adapters of
 * their own, and two answers would say everything twice.
 */
export const OTHERS = ['CURSOR_VERSION', 'COPILOT_CLI', 'COPILOT_PLUGIN_ROOT', 'GEMINI_SESSION_ID', 'CODEX_THREAD_ID']

/** Fields of theirs that Claude Code has in no payload: Codex; Gemini, Copilot and VS Code; Copilot and VS Code; Cursor. */
const FOREIGN = [
  ...['turn_id', 'timestamp', 'sessionId', 'hookEventName', 'toolName', 'tool_result', 'mcp_context'],
  ...['conversation_id', 'generation_id', 'cursor_version', 'workspace_roots'],
]

export function isOtherHost(env: Environment, raw: Readonly<Record<string, unknown>>): boolean {
  // Started from a shell of another host, Claude Code inherits its variables; only itself it names as the conversation.
  const id = text(raw['session_id'])
  if (id !== undefined && env['CLAUDE_CODE_SESSION_ID'] === id) return false
  // Codex gives its hooks no variable, and its first and last event no `turn_id`: its transcripts have a name of their own.
  const isRollout = /[\\/]rollout-[^\\/]+\.jsonl$/.test(text(raw['transcript_path']) ?? '')
  return isRollout || OTHERS.some((name) => env[name] !== undefined) || FOREIGN.some((field) => field in raw)
}

/** Undefined for anything that names no conversation: no session is made up for it. */
export function readPayload(
  raw: Readonly<Record<string, unknown>>,
  env: Environment,
  processes: Pick<Processes, 'ancestors'>,
): Payload | undefined {
  const event = text(raw['hook_event_name'])
  const hostKey = text(raw['session_id'])
  if (event === undefined || hostKey === undefined) return undefined
  const agentId = text(raw['agent_id'])
  const source = text(raw['source']) ?? ''
  return {
    event,
    conversation: {
      hostKey,
      projectPath: text(env['CLAUDE_PROJECT_DIR']) ?? text(raw['cwd']),
      model: text(raw['model']),
      title: text(raw['session_title']),
      transcript: text(raw['transcript_path']),
      isSubagent: agentId !== undefined,
      // Only a start asks, and then it takes a walk through the process table.
      get client() {
        return clientOf(env, processes)
      },
      ...originOf(env),
    },
    source: SOURCES.includes(source) ? (source as StartSource) : 'startup',
    prompt: text(raw['prompt']) ?? '',
    reason: text(raw['reason']) ?? '',
    notification: text(raw['notification_type']) ?? '',
    isHeld: raw['stop_hook_active'] === true,
    background: countOf(raw['background_tasks']),
    isScheduled: countOf(raw['session_crons']) > 0,
    toolInput: record(raw['tool_input']),
    agentId,
  }
}

/** A background job has the environment of whoever started the service first: the terminal and the token are not its own. */
function originOf(env: Environment): Partial<Conversation> {
  return env['CLAUDE_JOB_DIR'] === undefined ? { ...terminalIn(env), spawn: text(env[SPAWN_ENV]) } : { isServed: true }
}

/** The host names its own process since 2.1.3xx; before that it is the one that started the hook. */
export function clientOf(env: Environment, processes: Pick<Processes, 'ancestors'>) {
  const ancestors = processes.ancestors()
  const pid = Number(env['CLAUDE_PID'])
  return env['CLAUDE_PID'] === undefined ? ancestors[0] : ancestors.find((ref) => ref.pid === pid)
}

function countOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 0
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
