/** A pane as it is right now, and whether it is the session's: TMUX_PANE is inherited by every program started in one. */

import type { ActionTarget } from '../../core/action.ts'
import type { ProcessRef } from '../../core/process-ref.ts'
import { isInForeground, lookUp } from '../../system/process-table.ts'
import type { Place } from './place.ts'

export interface Pane {
  readonly id: string
  readonly pid: number
  /** It scrolls back, or chooses something: keys do not reach its program. */
  readonly isInMode: boolean
  /** Its window sends keys to all of its panes, whichever they were meant for. */
  readonly isSynchronized: boolean
  /** Its person has switched its keys off. */
  readonly isDeaf: boolean
  readonly window: string
  readonly panesInWindow: number
  readonly session: string
  readonly sessionName: string
  /** Terminals that show its session. */
  readonly clients: number
}

const FORMAT =
  '#{pane_id} #{pane_pid} #{pane_dead} #{pane_in_mode} #{?pane_synchronized,1,0} #{?pane_input_off,1,0} #{window_id} #{window_panes} #{session_id} #{session_attached} #{session_name}'
const ROW = /^(%\d+) (\d+) ([01]) (\d+) ([01]) ([01]) (@\d+) (\d+) (\$\d+) (\d+) (.*)$/

/** @returns the reason where it cannot be seen. */
export async function lookAt({ tmux, pane }: Place): Promise<Pane | string> {
  const said = await tmux(['display-message', '-p', '-t', pane, FORMAT])
  if (!said.ok) return said.why
  const [, id, pid, dead, mode, sync, deaf, window, panes, session, clients, sessionName] =
    ROW.exec(said.out.trimEnd()) ?? []
  // For a pane that is gone tmux 3.3a prints nothing, and calls that a success.
  if (id !== pane || window === undefined || session === undefined) return `its pane ${pane} is gone`
  if (dead === '1') return `the program in its pane ${pane} has ended`
  return {
    id,
    pid: Number(pid),
    isInMode: mode !== '0',
    isSynchronized: sync === '1',
    isDeaf: deaf === '1',
    window,
    panesInWindow: Number(panes),
    session,
    sessionName: sessionName ?? '',
    clients: Number(clients),
  }
}

/** Nobody nests programs deeper than this. */
const MOST_ANCESTORS = 32

/** Why the pane is not the session's; undefined where its client is the pane's program, or was started from it. */
export function notIn(pane: Pane, client: ProcessRef | undefined): string | undefined {
  if (client === undefined) return 'which process it runs in is not known, so neither is whether the pane is its own'
  let pid = client.pid
  for (let n = 0; n < MOST_ANCESTORS && pid > 1; n++) {
    const sight = lookUp(pid)
    if (sight === 'absent' || sight === 'hidden') break
    if (pid === client.pid && sight.start !== client.start) break
    if (pid === pane.pid) return undefined
    pid = sight.ppid
  }
  return `its process ${client.pid} does not run in pane ${pane.id}: it was only started from there`
}

/**
 * Whether the program in the pane is the very one that was started there to show the session, whose client is a server
 * elsewhere: one without a terminal, even where the program in the pane has started it. What it shows by now only a person
 * sees: no key goes there.
 */
export function showsOnly(pane: Pane, { client, view }: ActionTarget): boolean {
  if (client === undefined || view === undefined || view.pid !== pane.pid || client.pid === view.pid) return false
  if (isInForeground(client.pid)) return false
  const sight = lookUp(view.pid)
  return sight !== 'absent' && sight !== 'hidden' && sight.start === view.start
}

/** Why its keys would reach somebody else; undefined where they reach the client. */
export function notListening(client: ProcessRef | undefined): string | undefined {
  return client !== undefined && isInForeground(client.pid)
    ? undefined
    : 'its program is not in the foreground of its terminal: something else would get the keys'
}
