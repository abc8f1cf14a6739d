/** Durations as people write them. The pattern decides what is accepted; `ms` only converts. */

import ms from 'ms'
import { BusError } from './errors.ts'
import { quote } from './ids.ts'

const TTL = /^(\d{1,7})(s|m|h|d)?$/
const MIN_MS = 1_000
const MAX_MS = 3650 * 86_400_000

/**
 * Milliseconds of `4h`, `30m`, `300s`, `7d` or plain seconds (`14400`).
 * @throws BusError BAD_TTL for anything else, and outside 1 s to 3650 d.
 */
export function parseTtl(text: string, what = 'ttl'): number {
  const match = TTL.exec(text)
  const valueMs = match ? ms(`${Number(match[1])}${(match[2] ?? 's') as 's' | 'm' | 'h' | 'd'}`) : Number.NaN
  if (valueMs >= MIN_MS && valueMs <= MAX_MS) return valueMs
  const why = match ? 'is outside 1s to 3650d' : 'is not a duration'
  throw new BusError(
    'BAD_TTL',
    `${what} ${quote(text)} ${why}.`,
    'Write for example 300s, 30m, 4h, 7d, or plain seconds such as 14400.',
  )
}

const known = new Map<string, number>()

/** The same for a record that was accepted before; one that is damaged counts as `fallbackMs`, never as expired. */
export function storedTtl(text: string, fallbackMs: number): number {
  const before = known.get(text)
  if (before !== undefined) return before
  try {
    const valueMs = parseTtl(text)
    if (known.size < 1000) known.set(text, valueMs)
    return valueMs
  } catch {
    return fallbackMs
  }
}
