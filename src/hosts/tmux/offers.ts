/** What tmux can do to the tab of each host, from what is known of the host alone. */

import type { ActionKind, ActionParams } from '../../core/action.ts'
import type { Offer } from '../../core/ports-actions.ts'
import type { Screen } from '../host.ts'
import { HOSTS } from '../table.ts'

type Done = Exclude<ActionKind, 'create' | 'send_message'>

/** What a person does instead, in the tab itself. */
export const BY_HAND: Readonly<Record<Done, string>> = {
  switch: 'Bring its window to the front.',
  close: 'Close it in its own window.',
  cancel: 'Press Escape in its window.',
  set_model: 'Change the model in its window.',
  set_scene: 'A terminal has no scenes; tell it with send_message.',
  set_input: 'Type it into its window, or tell it with send_message.',
  pin: 'Move its window to the front of the list.',
  unpin: 'Move its window back.',
  rename: 'Rename it in its own window.',
}

export function offersOn(kind: Done, hostKind: string, params: ActionParams): Offer {
  const screen = screenOf(hostKind)
  if (kind === 'set_scene') return { can: false, reason: 'a terminal has no scenes', byHand: BY_HAND.set_scene }
  if (kind === 'set_model') {
    return {
      can: false,
      reason: `no way is known to change the model of a ${hostKind} tab without a person looking on`,
      byHand: screen?.setModel?.(params.model ?? '') ?? BY_HAND.set_model,
    }
  }
  if ((kind === 'set_input' || kind === 'cancel') && screen === undefined) {
    const reason = `nobody has recorded what the terminal of ${hostKind} shows, so nothing is typed into it`
    return { can: false, reason, byHand: BY_HAND[kind] }
  }
  return { can: true }
}

export function screenOf(hostKind: string): Screen | undefined {
  return HOSTS.find(({ kind }) => kind === hostKind)?.screen
}
