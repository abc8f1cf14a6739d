/** Refusals about files that belong to a host. */

import { BusError, type ErrorCode } from '../../core/errors.ts'
import { oneLine } from '../safe-text.ts'

const UNREADABLE: ErrorCode = 'STORE_UNREADABLE'
const UNWRITABLE: ErrorCode = 'HOME_UNWRITABLE'

/** `why` is a sentence; what was not done is added to it. */
export function unreadable(why: string, hint: string, cause?: unknown): BusError {
  return new BusError(UNREADABLE, `${oneLine(why)} Nothing was changed.`, hint, { cause })
}

export function unwritable(why: string, hint: string, cause?: unknown): BusError {
  return new BusError(UNWRITABLE, oneLine(why), hint, { cause })
}
