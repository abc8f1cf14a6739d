/** The grammar of ids. Nothing that fails it ever reaches a path. */

import { BusError } from './errors.ts'
import { shortHash } from './hash.ts'

const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/
/** A capital takes two characters of a file name, and a file name holds 255 bytes. */
const MAX_CAPITALS = 64
/** Windows opens devices under these names, with any extension. Microsoft, "Naming Files", read 2026-11. */
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9]|lpt[0-9])$/i

/** What everybody else means by these is the person, everyone, or whoever asks: no session is called so. */
export const RESERVED: ReadonlySet<string> = new Set(['me', 'all', 'user', 'human', 'system'])

export function isId(text: string): boolean {
  if (!ID.test(text) || DEVICE.test(text)) return false
  return text.length <= MAX_CAPITALS || text.replace(/[^A-Z]/g, '').length <= MAX_CAPITALS
}

export function isDeviceName(text: string): boolean {
  return DEVICE.test(text)
}

/** @throws BusError BAD_ID naming `what` was given. */
export function requireId(text: string, what: string): string {
  if (isId(text)) return text
  throw new BusError(
    'BAD_ID',
    `${what} ${quote(text)} is not an id.`,
    'An id is 1 to 128 letters (at most 64 capitals), digits, "_" or "-", starting with a letter or digit, and not a device name such as nul.',
  )
}

/** Quotes untrusted text for an error: short, one line, control characters escaped. */
export function quote(text: string): string {
  const short = text.length > 60 ? `${text.slice(0, 57)}...` : text
  return JSON.stringify(short).replace(/[\u007f-\u009f\u2028\u2029]|\p{Default_Ignorable_Code_Point}/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

/** An id out of whatever a host calls a conversation: itself where it fits, else its letters and digits with a hash. */
export function cleanId(text: string): string {
  if (isId(text) && !RESERVED.has(text.toLowerCase())) return text
  const readable = text
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 60)
  return `${readable || 'id'}-${shortHash(text)}`
}
