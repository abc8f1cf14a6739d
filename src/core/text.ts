/** What text may be stored, and how it is cut and shown. */

import { BusError } from './errors.ts'
import { utf8Bytes } from './json.ts'

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

/** A line: a task, a progress note, a tag. @throws BusError BAD_INPUT or RECORD_TOO_LARGE naming the field. */
export function requireLine(text: string, field: string, maxBytes: number): string {
  requireUnicode(text, field)
  if (CONTROL.test(text)) {
    throw new BusError(
      'BAD_INPUT',
      `${field} holds a control character or line break.`,
      `Send ${field} as one line of plain text.`,
    )
  }
  requireBytes(text, field, maxBytes)
  return text.trim()
}

/** A body: line breaks and tabs are fine. @throws BusError BAD_INPUT or RECORD_TOO_LARGE naming the field. */
export function requireBody(text: string, field: string, maxBytes: number): string {
  requireUnicode(text, field)
  if (text.includes('\0')) {
    throw new BusError(
      'BAD_INPUT',
      `${field} holds the character U+0000.`,
      'Send text. Refer to binary data by the path of a file.',
    )
  }
  requireBytes(text, field, maxBytes)
  return text
}

export function requireUnicode(text: string, field: string): void {
  if (LONE_SURROGATE.test(text)) {
    throw new BusError(
      'BAD_INPUT',
      `${field} holds half of a surrogate pair, which is not valid Unicode.`,
      'Send whole characters; the text was probably cut in the middle of one.',
    )
  }
}

function requireBytes(text: string, field: string, maxBytes: number): void {
  // A code unit is at most three bytes: measure only what could be too long.
  if (text.length * 3 <= maxBytes) return
  const bytes = utf8Bytes(text)
  if (bytes > maxBytes) {
    throw new BusError(
      'RECORD_TOO_LARGE',
      `${field} is ${bytes} bytes; at most ${maxBytes} fit.`,
      'Shorten it, or put the text into a file and name its path.',
    )
  }
}

/** At most `max` characters, cut between characters, with an ellipsis where something was cut. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text
  let end = max - 1
  const last = text.charCodeAt(end - 1)
  if (last >= 0xd800 && last <= 0xdbff) end -= 1
  return `${text.slice(0, end)}…`
}
