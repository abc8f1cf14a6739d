/** Peer text inside a reminder: one JSON string that nothing can break out of, with its speaker before it. */

import { isId } from './ids.ts'
import { isName } from './name.ts'
import { withoutSequences } from './sequences.ts'
import { clip } from './text.ts'

const QUOTED_CHARS = 120

/**
 * Invisible, reordering or control characters, tags and variation selectors: they change what a reader sees or carry what
 * nobody sees. U+FE0F only asks for the coloured form of an emoji.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]|(?!\ufe0f)\p{Default_Ignorable_Code_Point}/gu

/**
 * The first `chars` characters (120) as one JSON string on one line. `<`, `>` and `&` are escaped, so that no tag, fence or marker of
 * a host can begin inside; invisible characters are dropped, line breaks and tabs become spaces.
 */
export function fenced(text: string, chars = QUOTED_CHARS): string {
  // In a file made by hand it may be anything.
  return asString(clip(typeof text === 'string' ? visible(text) : '', chars))
}

/** The same of a whole text, in which line breaks stay what they are. */
export function fencedWhole(text: string): string {
  return asString(
    text
      .trim()
      .split(/\r\n?|\n/)
      .map(visible)
      .join('\n'),
  )
}

function asString(text: string): string {
  return JSON.stringify(text).replace(/[<>&`]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`)
}

function visible(text: string): string {
  return withoutSequences(text)
    .replace(/[\r\n\t\u2028\u2029]+/g, ' ')
    .replace(UNSEEN, '')
    .trim()
}

/** A name or id as it is: in their grammar nothing can hide. What a file calls a name without being one goes into the fence. */
export function called(name: string): string {
  const isPlain = typeof name === 'string' && (isName(name) || isId(name)) && visible(name) === name
  return isPlain ? name : fenced(name)
}

/** The same where a name stands in quotes. */
export function quoted(name: string): string {
  const safe = called(name)
  return safe === name ? `"${name}"` : safe
}

/** Who speaks, and that it is not the user. */
export function speaker(from: { readonly id: string; readonly name: string; readonly verified: boolean }): string {
  if (from.id === 'human') return 'from the person at this machine, through the shell'
  return `from session ${quoted(from.name)} (not the user${from.verified ? '' : ', sender not verified'})`
}
