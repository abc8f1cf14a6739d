/** Windows of tmux that show a session whose client is a server elsewhere. */

import type { ActionTarget } from '../../core/action.ts'
import type { Environment } from '../host.ts'
import type { View } from '../view.ts'
import { within } from './keys.ts'
import { lookAt, showsOnly } from './pane.ts'
import { placeAt } from './place.ts'
import { textOn } from './screen.ts'
import { renameWindow } from './windows.ts'

/** How long a program may take to show what it was told, ms. */
const SHOW_MS = 2_000

export function tmuxView({ env }: { readonly env: Environment }): View {
  const windowOf = async (target: ActionTarget) => {
    const place = placeAt(env, target)
    if (typeof place === 'string') return undefined
    const pane = await lookAt(place)
    return typeof pane === 'string' || !showsOnly(pane, target) ? undefined : { place, pane }
  }
  return {
    async shows(target, text) {
      const window = await windowOf(target)
      if (window === undefined) return false
      const seen = await within(SHOW_MS, async () => ((await textOn(window.place)).includes(text) ? true : undefined))
      return seen === true
    },
    async close(target) {
      const window = await windowOf(target)
      const said = await window?.place.tmux(['kill-pane', '-t', window.pane.id])
      return said?.ok ? `tmux kill-pane ${window?.pane.id}` : undefined
    },
    async rename(target, name) {
      const window = await windowOf(target)
      return window && renameWindow(window.place, window.pane, name)
    },
  }
}
