/** Standard output belongs to the protocol: one stray line in it and the client drops the connection. */

import type { Writable } from 'node:stream'

/**
 * From now on whoever writes to `output` (console.log, a library) writes to `errors` instead. Only those who took hold of
 * `output.write` before still reach it. @returns how to undo it.
 */
export function divert(output: Writable, errors: Writable): () => void {
  const original = output.write
  output.write = errors.write.bind(errors) as typeof output.write
  return () => {
    output.write = original
  }
}
