/** Peer text inside a reminder: one JSON string that nothing can break out of, with its speaker before it. */

import { clip } from './text.ts'

const QUOTED_CHARS = 120

/** Invisible, reordering or control characters: they change what a reader sees, never what is meant. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}]+/gu

/**
 * The first 120 characters as one JSON string on one line. `<`, `>` and `&` are escaped, so that no tag, fence or marker of
 * a host can begin inside; invisible characters are dropped, line breaks and tabs become spaces.
 */
export function fenced(text: string): string {
  const line = text
    .replace(/[\r\n\t\u2028\u2029]+/g, ' ')
    .replace(UNSEEN, '')
    .trim()
  const json = JSON.stringify(clip(line, QUOTED_CHARS))
  return json.replace(/[<>&`]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`)
}

/** Who speaks, and that it is not the user. Names follow the name grammar, so they need no fence. */
export function speaker(from: { readonly id: string; readonly name: string; readonly verified: boolean }): string {
  if (from.id === 'human') return 'from the person at this machine, through the shell'
  return `from session "${from.name}" (not the user${from.verified ? '' : ', sender not verified'})`
}
