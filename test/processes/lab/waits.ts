/** Waits long enough that what ends one is never in doubt. */

import type { WaitAnswer } from '../../../src/lib.ts'

/** The longest that a wait may be told to last. */
export const LONG_WAIT = '50s'
export const LONG_WAIT_MS = 50_000

/**
 * Whether something was noticed while the wait went on. A wait that is deaf until its time is up looks once more then, and
 * would be told the same.
 */
export function isEarly({ waitedMs, timeoutMs }: WaitAnswer): boolean {
  return waitedMs < timeoutMs / 2
}
