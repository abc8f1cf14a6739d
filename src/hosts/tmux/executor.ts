/** tmux as the tab host of every program that runs in a terminal. */

import type { Action, ActionKind, ActionParams, ActionTarget, Outcome } from '../../core/action.ts'
import type { Processes } from '../../core/ports.ts'
import type { Executor, Offer } from '../../core/ports-actions.ts'
import { launchable, typedByHand } from '../launch.ts'
import { create, type Surroundings } from './create.ts'
import { BY_HAND, offersOn, screenOf } from './offers.ts'
import { lookAt, notIn, type Pane, showsOnly } from './pane.ts'
import { pin, unpin } from './pin.ts'
import { ownPlace, type Place, placeAt } from './place.ts'
import { cancel, renameInHost, setInput, type Tab } from './typing.ts'
import { close, renameWindow, switchTo } from './windows.ts'

export interface TmuxSurroundings extends Surroundings {
  readonly processes: Pick<Processes, 'check'>
}

export function tmuxExecutor(around: TmuxSurroundings): Executor {
  return {
    id: 'tmux',
    async offers(kind, target, params) {
      if (kind === 'create') return offersCreate(target, params, around)
      // A background job has no pane, whatever its environment says.
      if (kind === 'send_message' || target.job !== undefined) return undefined
      const place = placeAt(around.env, target)
      return typeof place === 'string'
        ? { can: false, reason: place, byHand: BY_HAND[kind] }
        : offersOn(kind, target.hostKind, params)
    },
    async perform(action) {
      return action.kind === 'create' ? create(action, around) : onPane(action, around)
    },
  }
}

function offersCreate(target: ActionTarget, params: ActionParams, { env }: Surroundings): Offer {
  const host = launchable(params.host)
  if (host === undefined) {
    return {
      can: false,
      reason: `how a session of ${params.host} is started in a terminal is not known`,
      byHand: `Open ${params.host} in ${params.projectPath} and give it the prompt.`,
    }
  }
  const place = ownPlace(env, target.beside)
  if (typeof place === 'object') return { can: true }
  return { can: false, reason: `no window can be opened beside you: ${place}`, byHand: typedByHand(host, params) }
}

/** What is done to a window without touching what runs in it. */
const MOVES: readonly ActionKind[] = ['switch', 'pin', 'unpin']

async function onPane(action: Action, { env, processes }: TmuxSurroundings): Promise<Outcome> {
  const { target } = action
  const failed = (evidence: string): Outcome => ({ state: 'failed', evidence })
  const place = placeAt(env, target)
  if (typeof place === 'string') return failed(place)
  const pane = await lookAt(place)
  if (typeof pane === 'string') return failed(pane)
  const isView = showsOnly(pane, target)
  const why = isView ? undefined : notIn(pane, target.client)
  if (why !== undefined) return failed(why)
  if (isView && !MOVES.includes(action.kind)) {
    const what = `pane ${pane.id} was opened to show it, and may show another conversation by now: its program cannot be asked`
    return { state: 'unsupported', evidence: what, byHand: BY_HAND[action.kind as keyof typeof BY_HAND] }
  }
  const screen = screenOf(target.hostKind)
  const tab = screen === undefined ? undefined : { place, pane, screen }
  const isGone = () => target.client !== undefined && processes.check(target.client) === 'gone'
  switch (action.kind) {
    case 'switch':
      return switchTo(place, pane, env)
    case 'close':
      return close(place, pane, action, isGone)
    case 'pin':
      return pin(place, pane)
    case 'unpin':
      return unpin(place, pane)
    case 'rename':
      return rename(action, place, pane, tab)
    case 'set_input':
      return tab === undefined ? failed('its screen is not known') : setInput(action, tab)
    case 'cancel':
      return tab === undefined ? failed('its screen is not known') : cancel(action, tab)
    default:
      return { state: 'unsupported', evidence: `tmux cannot ${action.kind}` }
  }
}

/** The host's own name for it where it can be told, and the window's where the window is its own. */
async function rename(action: Action, place: Place, pane: Pane, tab: Tab | undefined): Promise<Outcome> {
  const inHost = tab === undefined ? { not: 'its host was not told' } : await renameInHost(action, tab)
  const window = await renameWindow(place, pane, action.params.name ?? '')
  const said = [
    'done' in inHost ? inHost.done : inHost.not,
    window ?? 'its window keeps its name: other panes are in it, or tmux refused',
  ].join('; ')
  return { state: 'done' in inHost || window !== undefined ? 'done' : 'failed', evidence: said }
}
