/** OpenCode's plugin as the one who performs what is asked of its sessions: actions of the bus in, calls of the client out. */

import type { Action, ActionKind, Outcome } from '../../core/action.ts'
import { shortHash } from '../../core/hash.ts'
import type { ProcessRef } from '../../core/ports.ts'
import type { HostExecutor } from '../../core/ports-actions.ts'
import { withoutSpawnLine } from '../../core/spawn.ts'
import { typedText } from '../../core/typed.ts'
import { type ActionParams, performOpenCode } from './actions.ts'
import type { Client } from './client.ts'
import type { Openings } from './openings.ts'

/** How OpenCode was started: with a terminal, for one turn, or as a server. Undefined where its words say none of it. */
export type Mode = 'terminal' | 'run' | 'server' | undefined

/** @param argv of the process; the plugin of a terminal runs in a worker, which has its own script there. */
export function modeOf(argv: readonly string[]): Mode {
  if (argv.some((word) => /[\\/]tui[\\/]worker\.[jt]s$/.test(word))) return 'terminal'
  const command = argv.slice(1).find((word) => COMMANDS.has(word))
  return command === undefined ? undefined : command === 'run' ? 'run' : 'server'
}

const COMMANDS = new Set(['run', 'serve', 'web', 'acp'])

/**
 * Also what this very OpenCode cannot do where nobody else can either: it says best what a person can type. Pins are left to
 * the terminal it may run in.
 */
const KINDS: readonly ActionKind[] = ['create', 'switch', 'close', 'cancel', 'rename', 'set_model', 'set_input']

export interface Performing {
  readonly client: Client
  readonly mode: Mode
  readonly openings: Openings
  /** The folder whose sessions the client knows, as the bus writes paths. */
  readonly folder: string
}

/** The same for the same process and folder: a plugin that OpenCode loads again goes on with the queue of the one before. */
export function executorOf({ pid, start = '' }: ProcessRef, { mode, folder }: Performing): HostExecutor {
  return {
    id: `opencode-${pid}-${shortHash(`${start} ${folder}`)}`,
    watches: true,
    // A process that ends with its turn would take the new session with it.
    kinds: mode === 'run' ? KINDS.filter((kind) => kind !== 'create') : KINDS,
  }
}

export async function performAction(action: Action, { client, mode, openings, folder }: Performing): Promise<Outcome> {
  const { kind, target, params } = action
  const hasTerminal = mode === undefined ? undefined : mode === 'terminal'
  if (kind !== 'create') {
    const given: ActionParams = {
      sessionId: target.hostSessionId,
      title: params.name,
      text: kind === 'set_input' ? typedText(action) : params.text,
      model: params.model,
      hasTerminal,
    }
    return outcomeOf(performOpenCode(client, kind, given))
  }
  return openings.make(params.spawn, (made) =>
    outcomeOf(
      performOpenCode(client, 'create', {
        title: params.name,
        text: params.prompt && withoutSpawnLine(params.prompt),
        model: params.model,
        directory: params.projectPath === folder ? undefined : params.projectPath,
        made,
      }),
    ),
  )
}

async function outcomeOf(performing: ReturnType<typeof performOpenCode>): Promise<Outcome> {
  const { state, evidence } = await performing
  return { state, evidence }
}
