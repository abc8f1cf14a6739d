/**
 * Pinned windows stand first. A window gets there by changing places with its neighbours one by one, so that the order of
 * all others and the numbers in use stay as they are; an option of the window remembers which ones it stood behind.
 */

import type { Outcome } from '../../core/action.ts'
import type { Pane } from './pane.ts'
import type { Place } from './place.ts'
import { type Argument, THEN } from './run.ts'
import { notDone } from './windows.ts'

const OPTION = '@sm_pinned'
/** The option of a window that stood first. */
const FIRST = 'first'

interface Window {
  readonly id: string
  readonly isActive: boolean
  readonly pinned: string
}

export async function pin(place: Place, pane: Pane): Promise<Outcome> {
  const windows = await windowsOf(place, pane)
  const at = windows.findIndex(({ id }) => id === pane.window)
  if (at === -1) return { state: 'failed', evidence: 'its window is not in the list of tmux' }
  if (windows[at]?.pinned !== '') return { state: 'done', evidence: 'its window is pinned already' }
  const to = windows.findIndex(({ pinned }) => pinned === '')
  const mark: Argument[] = ['set-option', '-w', '-t', pane.window, OPTION, idsBefore(windows, at)]
  const said = await place.tmux([...mark, ...walk(windows, at, to, pane)])
  if (!said.ok) return notDone(said)
  return {
    state: 'done',
    evidence: `tmux set-option ${OPTION}${to === at ? '; its window stands in front already' : `; its window went ${at - to} to the front, the order of the others is kept`}`,
  }
}

export async function unpin(place: Place, pane: Pane): Promise<Outcome> {
  const windows = await windowsOf(place, pane)
  const at = windows.findIndex(({ id }) => id === pane.window)
  const before = windows[at]?.pinned ?? ''
  if (before === '') return { state: 'done', evidence: 'its window is not pinned' }
  const stoodBehind = before.split(',')
  const others = windows.filter((_, n) => n !== at)
  // Never among those that are still pinned.
  const pinned = others.filter((window) => window.pinned !== '').length
  const to = Math.max(others.findLastIndex(({ id }) => stoodBehind.includes(id)) + 1, pinned)
  const said = await place.tmux(['set-option', '-w', '-u', '-t', pane.window, OPTION, ...walk(windows, at, to, pane)])
  if (!said.ok) return notDone(said)
  return { state: 'done', evidence: `tmux set-option -u ${OPTION}; its window stands where it stood` }
}

function idsBefore(windows: readonly Window[], at: number): string {
  const ids = windows.slice(0, at).map(({ id }) => id)
  return ids.length === 0 ? FIRST : ids.join(',')
}

/** Swaps from one place to another. Afterwards the window in front is the one that was. */
function walk(windows: readonly Window[], from: number, to: number, { session }: Pane): readonly Argument[] {
  const moving = windows[from]
  const active = windows.find(({ isActive }) => isActive)
  if (moving === undefined || from === to) return []
  const passed = from > to ? windows.slice(to, from).reverse() : windows.slice(from + 1, to + 1)
  const swaps = passed.flatMap<Argument>(({ id }) => [
    THEN,
    'swap-window',
    '-d',
    '-s',
    `${session}:${moving.id}`,
    '-t',
    `${session}:${id}`,
  ])
  return active === undefined ? swaps : [...swaps, THEN, 'select-window', '-t', `${session}:${active.id}`]
}

async function windowsOf({ tmux }: Place, { session }: Pane): Promise<readonly Window[]> {
  const said = await tmux(['list-windows', '-t', session, '-F', `#{window_id} #{window_active} #{${OPTION}}`])
  if (!said.ok) return []
  return said.out.split('\n').flatMap((row) => {
    const [, id, active, pinned = ''] = /^(@\d+) ([01]) (.*)$/.exec(row) ?? []
    return id === undefined ? [] : [{ id, isActive: active === '1', pinned }]
  })
}
