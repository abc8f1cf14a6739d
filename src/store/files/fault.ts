/** The system's error codes as refusals a person can act on. */

import { BusError } from '../../core/errors.ts'
import { errorCode } from '../../system/atomic-file.ts'

const MOVE =
  'Free or fix it, or point to another directory with --home or SESSION_MCP_HOME. The same process goes on once the cause is gone.'

/** What a failed write means. Anything unknown is passed on as it is. */
export function writeFault(fault: unknown, home: string): unknown {
  if (fault instanceof BusError) return fault
  const code = errorCode(fault)
  const options = { cause: fault }
  if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM' || code === 'EBUSY') {
    return new BusError(
      'HOME_UNWRITABLE',
      `Cannot write to the bus at ${home} (${code}). Nothing was changed.`,
      MOVE,
      options,
    )
  }
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new BusError(
      'DISK_FULL',
      `No space is left for the bus at ${home} (${code}). Nothing was changed.`,
      MOVE,
      options,
    )
  }
  if (code === 'EMFILE' || code === 'ENFILE') {
    return new BusError(
      'TOO_MANY_FILES',
      `No file handle is left (${code}). Nothing was changed.`,
      'Raise `ulimit -n`, or try again in a moment.',
      options,
    )
  }
  if (code === 'ENOENT') {
    return new BusError(
      'HOME_UNWRITABLE',
      `The bus at ${home} was removed while it was written, and again when it was made anew. Nothing was changed.`,
      'Find out what removes it, and try again.',
      options,
    )
  }
  if (code === 'ENOTDIR' || code === 'EISDIR' || code === 'ELOOP' || code === 'EEXIST') {
    return new BusError(
      'STORE_UNREADABLE',
      `Something at ${home} is in the way (${code}). Nothing was changed.`,
      'Run `session-mcp doctor` to see which file.',
      options,
    )
  }
  return fault
}

/** What a failed read means: never "empty". */
export function readFault(fault: unknown, what: string): BusError {
  if (fault instanceof BusError) return fault
  const code = errorCode(fault)
  if (code === 'EMFILE' || code === 'ENFILE') {
    return new BusError(
      'TOO_MANY_FILES',
      `No file handle is left to read ${what} (${code}).`,
      'Raise `ulimit -n`, or try again in a moment.',
      { cause: fault },
    )
  }
  const why = code ?? (fault instanceof Error ? fault.message : String(fault))
  return new BusError(
    'STORE_UNREADABLE',
    `${what} is there but cannot be read (${why}).`,
    'Run `session-mcp doctor`; the file is kept as it is.',
    { cause: fault },
  )
}

/** Runs a read whose failure must not pass for "nothing there". */
export function reading<T>(what: string, read: () => T): T {
  try {
    return read()
  } catch (fault) {
    throw readFault(fault, what)
  }
}

/** The same calls, with every error of the system as a refusal. What is no error of the system is a fault of ours and stays one. */
export function refusing<T extends object>(part: T, home: string): T {
  const told = (fault: unknown): unknown => {
    if (fault instanceof BusError || errorCode(fault) === undefined) return fault
    const written = writeFault(fault, home)
    return written instanceof BusError ? written : readFault(fault, `Something of the bus at ${home}`)
  }
  const entries = Object.entries(part).map(([name, call]: [string, unknown]) => {
    if (typeof call !== 'function') return [name, call]
    const refused = (...args: unknown[]): unknown => {
      try {
        const answer: unknown = call.apply(part, args)
        if (!(answer instanceof Promise)) return answer
        return answer.catch((fault: unknown) => {
          throw told(fault)
        })
      } catch (fault) {
        throw told(fault)
      }
    }
    return [name, refused]
  })
  return Object.fromEntries(entries) as T
}
