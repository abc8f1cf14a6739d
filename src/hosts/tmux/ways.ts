/** What tmux adds to the capabilities of a host, derived from what its executor offers. */

import type { Capability, Way } from '../capability.ts'
import type { Host } from '../host.ts'
import { offersOn } from './offers.ts'

const DOOR = 'tmux'

export type Derived = { readonly way: Way } | { readonly not: string }

/** Undefined for what is no action, and for hosts that are no programs of a terminal. */
export function tmuxOffers({ kind, launch, screen }: Host, capability: Capability): Derived | undefined {
  if (launch === undefined) return undefined
  const offered = (note: string, byKeys = false): Derived => {
    const offer = offersOn(capability as Parameters<typeof offersOn>[0], kind, {})
    return offer.can ? { way: { door: DOOR, note: byKeys ? `${note}, as keystrokes` : note } } : { not: offer.reason }
  }
  switch (capability) {
    case 'create':
      return { way: { door: DOOR, note: `\`${launch.program}\` in a new window` } }
    case 'switch':
      return offered('its window')
    case 'close':
      return offered('its pane')
    case 'pin':
      return offered('its window, moved to the front')
    case 'cancel':
      return offered('Escape', true)
    case 'set_input':
      return offered('never Enter', true)
    case 'rename':
      return offered(
        screen?.rename === undefined ? 'its window alone' : `\`${screen.rename.line('NAME')}\`, and its window`,
      )
    case 'set_model':
    case 'set_scene':
      return offered('')
    default:
      return undefined
  }
}
