/** Every way the bus refuses, in one table. Tools, command line and docs/errors.md all read it from here. */

export const ERRORS = {
  BAD_INPUT: 'A parameter is missing, unknown, of the wrong type or outside its limits.',
  BAD_ID: 'An id does not match the grammar of ids, or is a device name.',
  BAD_NAME: 'A name does not match the grammar of names, or is reserved.',
  BAD_TTL: 'A duration is not a whole number followed by s, m, h or d.',
  BAD_PATH: 'A project path is relative, empty, the file system root, or holds a control character.',
  BAD_CURSOR: 'A cursor was not made by this tool, or belongs to other sessions.',
  NOT_REGISTERED: 'The caller has no session yet.',
  SESSION_NOT_FOUND: 'No unexpired session answers to this id, name or alias.',
  SESSION_CLOSED: 'The session is closed, and closed sessions are read-only.',
  SESSION_IN_USE: 'Another live client owns the session.',
  IDENTITY_MISMATCH: 'The call names a session that is not the caller’s own.',
  SUBAGENT: 'A subagent may list and send, but not act for its parent.',
  NAME_TAKEN: 'An unexpired session already has this name or alias.',
  MESSAGE_NOT_FOUND: 'No message with this id is known here.',
  MESSAGE_TOO_LARGE: 'The message is larger than one message may be.',
  RECORD_TOO_LARGE: 'A field of the session record is larger than allowed.',
  INBOX_FULL: 'The recipient has too many unread messages.',
  NO_RECIPIENT: 'Nobody is left to send to.',
  WAIT_CYCLE: 'The wait would never end, because its targets wait for the caller.',
  STORE_BUSY: 'Another process held the session’s lock for longer than a second.',
  STORE_UNREADABLE: 'Something exists on the bus but could not be read.',
  HOME_UNWRITABLE: 'The home directory cannot be written.',
  HOME_UNSAFE: 'The home directory or a parent of it can be changed by other users.',
  HOME_NEWER: 'The home was written by a newer version of session-mcp.',
  DISK_FULL: 'The file system has no space or no inodes left.',
  TOO_MANY_FILES: 'The process or the system has no file handles left.',
  CANCELLED: 'The call was cancelled by its client.',
  INTERNAL: 'A fault of session-mcp itself.',
} as const

export type ErrorCode = keyof typeof ERRORS

/**
 * A refusal. `message` says what was asked and what is true, `hint` what to do next.
 * Nothing was changed on the bus when a call throws one, unless the message says otherwise.
 */
export class BusError extends Error {
  readonly code: ErrorCode
  readonly hint: string

  constructor(code: ErrorCode, message: string, hint: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'BusError'
    this.code = code
    this.hint = hint
  }
}

export interface Refusal {
  readonly ok: false
  readonly error: { readonly code: ErrorCode; readonly message: string; readonly hint: string }
}

/** The shape a refusal has in every answer. A fault that is not a {@link BusError} becomes `INTERNAL` without its stack. */
export function refusal(fault: unknown): Refusal {
  if (fault instanceof BusError) {
    return { ok: false, error: { code: fault.code, message: fault.message, hint: fault.hint } }
  }
  const text = fault instanceof Error ? fault.message : String(fault)
  return {
    ok: false,
    error: {
      code: 'INTERNAL',
      message: `Something went wrong inside session-mcp: ${text}`,
      hint: 'Try again; if it stays, run `session-mcp doctor` and report what it prints.',
    },
  }
}
