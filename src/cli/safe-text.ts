/** Text of others made harmless for a terminal: whatever could move, colour, reorder or hide is gone, as a whole. */

import { withoutSequences } from '../core/sequences.ts'

/** Every control character but tab and line feed, and everything Unicode calls ignorable (bidi, zero-width, tags). */
const UNSEEN = new RegExp(
  [
    '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f]',
    // U+FE0F only asks for the coloured form of the emoji before it.
    '(?!\\ufe0f)\\p{Default_Ignorable_Code_Point}',
    '[\\ufff9-\\ufffb]',
  ].join('|'),
  'gu',
)
const LONE_SURROGATE = /\p{Surrogate}/gu
const LINE_ENDS = /\r\n?|[\u0085\u2028\u2029]/gu

/** Text of several lines: line breaks and tabs stay. */
export function safeText(text: string): string {
  return withoutSequences(text.replace(LINE_ENDS, '\n')).replace(UNSEEN, '').replace(LONE_SURROGATE, '\ufffd')
}

/** The same as one line. */
export function oneLine(text: string): string {
  return safeText(text).replace(/\s+/gu, ' ').trim()
}

/** A copy of an answer in which every text is safe, keys included: what a command's text is made from. */
export function safeAnswer<T>(answer: T): T {
  return copy(answer) as T
}

function copy(value: unknown): unknown {
  if (typeof value === 'string') return safeText(value)
  if (Array.isArray(value)) return value.map(copy)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [safeText(key), copy(entry)]))
}

const RAW_IN_JSON = /[\u007f-\u009f\u2028\u2029\ufff9-\ufffb]|\p{Default_Ignorable_Code_Point}/gu

/** JSON that says the same to a parser and nothing to a terminal: what JSON leaves raw is escaped as well. */
export function safeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(RAW_IN_JSON, (character) =>
    [...Array(character.length).keys()]
      .map((i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}
