/** A new window that runs a host: an argument array from end to end, no shell and no format reads any of it. */

import type { Action, Outcome } from '../../core/action.ts'
import { SPAWN_ENV } from '../../core/spawn.ts'
import { lookUp } from '../../system/process-table.ts'
import type { Environment } from '../host.ts'
import { identityVariables, launchable, lineage, notAFolder, programIn, wantedOf } from '../launch.ts'
import { within } from './keys.ts'
import { lookAt, type Pane } from './pane.ts'
import { ownPlace } from './place.ts'
import { THEN } from './run.ts'

export interface Surroundings {
  readonly env: Environment
  /** The bus the new session is to be on. */
  readonly home: string
  /** How long a new window is looked at, ms. Default: a program that cannot start mostly ends within that. */
  readonly settleMs?: number
}

const SETTLE_MS = 400

export async function create(
  { target, params }: Action,
  { env, home, settleMs = SETTLE_MS }: Surroundings,
): Promise<Outcome> {
  const host = launchable(params.host)
  if (host === undefined) return { state: 'unsupported', evidence: `how ${params.host} is started is not known` }
  const failed = (evidence: string): Outcome => ({ state: 'failed', evidence })
  const program = programIn(env, host.launch.program)
  const unset = programIn(env, 'env')
  if (program === undefined) return failed(`there is no ${host.launch.program} in the PATH of this server`)
  if (unset === undefined) return failed('there is no env in the PATH of this server')
  const folder = params.projectPath ?? ''
  const why = notAFolder(folder)
  if (why !== undefined) return failed(`${why}, and nothing was opened`)
  const place = ownPlace(env, target.beside)
  const pane = typeof place === 'string' ? place : await lookAt(place)
  if (typeof place === 'string' || typeof pane === 'string') return failed(String(pane))

  const settings: Readonly<Record<string, string>> = {
    ...lineage(host, env),
    // The window gets the environment of the tmux server, which may be older than the PATH that names these programs.
    ...(env['PATH'] && { PATH: env['PATH'] }),
    SESSION_MCP_HOME: home,
    [SPAWN_ENV]: params.spawn ?? '',
  }
  const kept = new Set(Object.keys(settings))
  const said = await place.tmux(
    [
      ...['new-window', '-d', '-P', '-F', '#{pane_id} #{pane_pid} #{window_index}', '-t', `${pane.session}:`],
      ...['-n', windowName(params.name ?? host.kind)],
      ...Object.entries(settings).flatMap(([name, value]) => ['-e', `${name}=${value}`]),
      '--',
      ...[unset, ...identityVariables().flatMap((name) => (kept.has(name) ? [] : ['-u', name]))],
      ...[program, ...host.launch.args(wantedOf(params))],
    ],
    { cwd: folder },
  )
  if (!said.ok) return said.isOpen ? { state: 'unknown', evidence: said.why } : failed(tooLong(said.why))
  const [, id, pid, index] = /^(%\d+) (\d+) (\d+)/.exec(said.out) ?? []
  if (id === undefined) return { state: 'unknown', evidence: 'tmux did not say which window it opened' }
  const made = { ...place, pane: id }
  // The program may set the title of its terminal; the window keeps the name others know it by.
  await place.tmux([
    'set-option',
    '-w',
    '-t',
    id,
    'allow-rename',
    'off',
    THEN,
    'set-option',
    '-w',
    '-t',
    id,
    'automatic-rename',
    'off',
  ])
  let after: Pane | undefined
  const isGone = await within(settleMs, async () => {
    const seen = await lookAt(made)
    after = typeof seen === 'string' ? undefined : seen
    return after === undefined ? true : undefined
  })
  if (isGone || after === undefined) {
    return failed(`${host.launch.program} was started in tmux and ended at once: try it in a terminal to see why`)
  }
  return {
    state: 'done',
    evidence: `tmux new-window: pane ${id}, process ${pid}, window ${index} of tmux session ${quoted(pane.sessionName)}`,
    place: { pane: id, terminal: place.socket, ...(host.launch.isView && viewOf(after.pid)) },
  }
}

/** tmux passes a command on in one piece of 16 KiB. */
function tooLong(why: string): string {
  return why.includes('command too long')
    ? `${why}; the prompt has to be shorter: put most of it into a file and name its path`
    : why
}

function viewOf(pid: number) {
  const sight = lookUp(pid)
  return sight === 'absent' || sight === 'hidden' ? {} : { view: { pid, start: sight.start } }
}

/** tmux expands formats in names. */
export function windowName(name: string): string {
  return name.replace(/[#\u0000-\u001f\u007f]/g, '')
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 48))
}
