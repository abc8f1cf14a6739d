/** Typing into a pane: the last resort, and never more than one line's worth before a look at the screen. */

import { setTimeout as delay } from 'node:timers/promises'
import { utf8Bytes } from '../../core/json.ts'
import { lookAt } from './pane.ts'
import type { Place } from './place.ts'
import type { Said } from './run.ts'

/** Modes that may lie over each other in one pane, such as a list over the scrolled screen. */
const MOST_MODES = 4

/**
 * Makes sure that keys reach the program in the pane, as it is now, and nothing else. While a pane scrolls back its keys go
 * to tmux: that is left. A clock or a list has no command that leaves it, and each key would do something in it.
 */
export async function clearWay(place: Place): Promise<Said> {
  const not = (why: string): Said => ({ ok: false, why, isOpen: false })
  for (let n = 0; n <= MOST_MODES; n++) {
    const pane = await lookAt(place)
    if (typeof pane === 'string') return not(pane)
    if (pane.isDeaf) return not(`pane ${pane.id} takes no keys (select-pane -d)`)
    if (pane.isSynchronized && pane.panesInWindow > 1) {
      return not(`the window of pane ${pane.id} sends keys to all of its panes (synchronize-panes)`)
    }
    if (!pane.isInMode) return { ok: true, out: '' }
    const left = await place.tmux(['send-keys', '-t', pane.id, '-X', 'cancel'])
    if (!left.ok) break
  }
  return not(`pane ${place.pane} shows something of tmux itself, which would get the keys`)
}

/** Bytes beyond which text is pasted: a command of tmux takes no more than 16 KiB in all. */
const MOST_KEYS = 8 * 1024

/** Text, and never Enter. Line breaks and tabs travel as a bracketed paste: as keys they would submit and complete. */
export async function type({ tmux, pane }: Place, text: string, buffer: string): Promise<Said> {
  if (!/[\n\t]/.test(text) && utf8Bytes(text) <= MOST_KEYS) return tmux(['send-keys', '-t', pane, '-l', '--', text])
  const loaded = await tmux(['load-buffer', '-b', buffer, '-'], { input: text })
  return loaded.ok ? tmux(['paste-buffer', '-p', '-d', '-b', buffer, '-t', pane]) : loaded
}

export function press({ tmux, pane }: Place, key: 'Enter' | 'Escape'): Promise<Said> {
  return tmux(['send-keys', '-t', pane, key])
}

const LOOK_MS = 100

/** Looks until `look` gives something, at most so long. */
export async function within<T>(limitMs: number, look: () => Promise<T | undefined>): Promise<T | undefined> {
  const untilMs = performance.now() + limitMs
  for (;;) {
    const seen = await look()
    if (seen !== undefined || performance.now() >= untilMs) return seen
    await delay(LOOK_MS)
  }
}

/** Terminal programs take a burst of text and Enter for a paste, and swallow the Enter. */
export function pause(): Promise<void> {
  return delay(400)
}
