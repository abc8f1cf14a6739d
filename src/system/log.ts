/** The log: one JSON object per line, to a file and to stderr. Never stdout, which belongs to the protocol. */

import { closeSync, fstatSync, mkdirSync, openSync, readSync, renameSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export type LogFields = Readonly<Record<string, unknown>>
export type Log = Readonly<Record<Exclude<LogLevel, 'silent'>, (event: string, fields?: LogFields) => void>>

export interface LogOptions {
  /** Appended to, mode 0600. Its folder is made when only that one is missing. */
  readonly file?: string
  /** Entries of this weight and heavier are written. */
  readonly level: LogLevel
  /** The file descriptor to write to as well (2 in the product), or undefined for none. */
  readonly stderr: number | undefined
  /** Ms since the epoch. */
  readonly now?: () => number
}

/** At this size (bytes) the file becomes `<file>.1`, replacing the one before. */
const ROTATE_BYTES = 1_048_576
/** A longer entry loses its fields (bytes): one entry must not push all others out. */
const ENTRY_BYTES = 16_384

/**
 * A log of `{t, level, event, ...fields}`. Fields cannot replace the first three; errors among them become their name
 * and message. Several processes may share the file: entries never mix, and the torn end a killed writer left behind
 * spoils only itself. Nothing here throws: an entry that cannot be written is lost.
 */
export function createLog({ file, level, stderr, now = Date.now }: LogOptions): Log {
  const weight = LOG_LEVELS.indexOf(level)
  const at = (name: Exclude<LogLevel, 'silent'>) => (event: string, fields?: LogFields) => {
    if (LOG_LEVELS.indexOf(name) > weight) return
    try {
      const line = entry({ t: new Date(now()).toISOString(), level: name, event }, fields)
      if (file !== undefined) quietly(() => append(file, line))
      if (stderr !== undefined && stderr !== 1) quietly(() => writeSync(stderr, line))
    } catch {
      // A clock or an event that cannot be written down: still no reason to fail the caller.
    }
  }
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') }
}

function entry(head: LogFields, fields: LogFields | undefined): string {
  try {
    const line = `${JSON.stringify({ ...head, ...fields, ...head }, plain)}\n`
    const bytes = Buffer.byteLength(line)
    return bytes <= ENTRY_BYTES ? line : `${JSON.stringify({ ...head, droppedBytes: bytes })}\n`
  } catch (fault) {
    return `${JSON.stringify({ ...head, unwritable: String(fault) })}\n` // a cycle or a getter that throws
  }
}

function plain(_key: string, value: unknown): unknown {
  if (value instanceof Error) return String(value)
  return typeof value === 'bigint' ? String(value) : value
}

function append(file: string, line: string): void {
  if (!appendOnce(file, line, true)) appendOnce(file, line, false)
}

/** @returns false when the file was full and moved away instead. */
function appendOnce(file: string, line: string, mayRotate: boolean): boolean {
  const fd = openLog(file)
  try {
    const { size, ino } = fstatSync(fd)
    if (mayRotate && size >= ROTATE_BYTES) {
      // Another process may have rotated since we opened it; its fresh file must not replace the full one.
      if (statSync(file).ino === ino) renameSync(file, `${file}.1`)
      return false
    }
    writeSync(fd, isTorn(fd, size) ? `\n${line}` : line)
    return true
  } finally {
    closeSync(fd)
  }
}

function isTorn(fd: number, size: number): boolean {
  const last = Buffer.alloc(1)
  return size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a
}

function openLog(file: string): number {
  try {
    return openSync(file, 'a+', 0o600)
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'ENOENT') throw fault
    mkdirSync(dirname(file), { mode: 0o700 })
    return openSync(file, 'a+', 0o600)
  }
}

function quietly(write: () => void): void {
  try {
    write()
  } catch {
    // A full disk, a read-only home, a closed pipe: a log is never worth a failed call.
  }
}
