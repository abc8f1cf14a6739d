/** Typing into a pane: the last resort, and never more than one line's worth before a look at the screen. */

import { setTimeout as delay } from 'node:timers/promises'
import type { Pane } from './pane.ts'
import type { Place } from './place.ts'
import type { Said } from './run.ts'

/** While a pane scrolls back its keys go to tmux. */
export async function leaveMode({ tmux, pane }: Place, { isInMode }: Pane): Promise<Said> {
  return isInMode ? tmux(['send-keys', '-t', pane, '-X', 'cancel']) : { ok: true, out: '' }
}

/** Text, and never Enter. Line breaks and tabs travel as a bracketed paste: as keys they would submit and complete. */
export async function type({ tmux, pane }: Place, text: string, buffer: string): Promise<Said> {
  if (!/[\n\t]/.test(text)) return tmux(['send-keys', '-t', pane, '-l', '--', text])
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
