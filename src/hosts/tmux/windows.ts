/** What tmux itself does to the window of a session: no key reaches the program in it. */

import type { Action, Outcome } from '../../core/action.ts'
import { commandLine } from '../command-line.ts'
import { type Environment, terminalIn } from '../host.ts'
import { windowName } from './create.ts'
import { within } from './keys.ts'
import { lookAt, type Pane } from './pane.ts'
import { type Place, placeAt } from './place.ts'
import { type Argument, type Said, THEN } from './run.ts'

/** How long a program may take to end, ms. */
const END_MS = 4_000

export async function switchTo(place: Place, pane: Pane, env: Environment): Promise<Outcome> {
  const { tmux } = place
  const said = await tmux(['select-window', '-t', pane.id, THEN, 'select-pane', '-t', pane.id])
  if (!said.ok) return notDone(said)
  const where = `pane ${pane.id} of tmux session ${JSON.stringify(pane.sessionName)}`
  if (pane.clients > 0) return { state: 'done', evidence: `tmux select-window: ${where} is in front` }
  // No terminal shows its session: those that show the one of whoever asks go there.
  const own = placeAt(env, terminalIn(env))
  const from = typeof own === 'string' || own.socket !== place.socket ? undefined : await lookAt(own)
  const clients = typeof from === 'object' && from.session !== pane.session ? await clientsOf(place, from) : []
  for (const client of clients) {
    const moved = await tmux(['switch-client', '-c', client, '-t', pane.id])
    if (!moved.ok) return notDone(moved)
  }
  if (clients.length > 0) return { state: 'done', evidence: `tmux switch-client: ${where} is in front` }
  return {
    state: 'done',
    evidence: `tmux select-window: ${where} will be in front, but no terminal shows that session now`,
    byHand: commandLine(['tmux', '-S', place.socket, 'attach', '-t', pane.session], false),
  }
}

async function clientsOf({ tmux }: Place, { session }: Pane): Promise<readonly string[]> {
  const said = await tmux(['list-clients', '-t', session, '-F', '#{client_name}'])
  return said.ok ? said.out.split('\n').filter((name) => name !== '') : []
}

/** Its pane alone: other panes of the window are somebody's. */
export async function close(place: Place, pane: Pane, { target }: Action, isGone: () => boolean): Promise<Outcome> {
  const said = await place.tmux(['kill-pane', '-t', pane.id])
  if (!said.ok) return notDone(said)
  const ended = await within(END_MS, async () => (isGone() ? true : undefined))
  const shell = pane.pid === target.client?.pid ? '' : ', with the shell it was started from'
  return ended
    ? { state: 'done', evidence: `tmux kill-pane ${pane.id}${shell}; its process ${target.client?.pid} has ended` }
    : { state: 'unknown', evidence: `tmux kill-pane ${pane.id}${shell}; its process ${target.client?.pid} goes on` }
}

/** The name in the list of windows. @returns what was done, or why not. */
export async function renameWindow(place: Place, pane: Pane, name: string): Promise<string | undefined> {
  if (pane.panesInWindow > 1) return undefined
  const off = ['automatic-rename', 'allow-rename'].flatMap<Argument>((option) => [
    'set-option',
    '-w',
    '-t',
    pane.id,
    option,
    'off',
    THEN,
  ])
  const said = await place.tmux([...off, 'rename-window', '-t', pane.id, '--', windowName(name)])
  return said.ok ? `tmux rename-window: window ${pane.window} is called that` : undefined
}

export function notDone(said: Extract<Said, { ok: false }>): Outcome {
  return { state: said.isOpen ? 'unknown' : 'failed', evidence: said.why }
}
