/**
 * What Claude Code writes to the program of its status line, as observed with 2.1 in November 2026. Everything is optional:
 * of what is missing, null or of another type nothing is shown.
 */

import type { Conversation } from '../../core/host-plugin.ts'
import type { Processes } from '../../core/ports.ts'
import type { StatusBeside } from '../../core/status-line.ts'
import { record } from '../entries.ts'
import type { Environment } from '../host.ts'
import { clientOf } from './payload.ts'

export interface StatusInput extends StatusBeside {
  /** Undefined where the host does not say which it is. */
  readonly conversation: Conversation | undefined
}

/** Columns the host leaves free beside the line: two on either side, measured in a terminal of 160. */
export const MARGIN = 4

export function readStatus(
  raw: Readonly<Record<string, unknown>> | undefined,
  env: Environment,
  processes: Pick<Processes, 'ancestors'>,
): StatusInput {
  const hostKey = text(raw?.['session_id'])
  const model = record(raw?.['model'])
  const used = record(raw?.['context_window'])['used_percentage']
  return {
    conversation: hostKey === undefined ? undefined : conversationOf(hostKey, env, processes),
    title: text(raw?.['session_name']),
    model: text(model['display_name']) ?? text(model['id']),
    context: typeof used === 'number' && used >= 0 && used <= 100 ? used : undefined,
  }
}

function conversationOf(hostKey: string, env: Environment, processes: Pick<Processes, 'ancestors'>): Conversation {
  return {
    hostKey,
    // Asked only of a conversation that is open in two clients.
    get client() {
      return clientOf(env, processes)
    },
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}
