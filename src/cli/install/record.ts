/** What an install did, kept in the home so that it can be undone to the byte. */

import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { writeFault } from '../../store/files/fault.ts'
import { errorCode, readIfThere, removeIfThere, replace } from '../../system/atomic-file.ts'
import type { Traces } from './format.ts'

export interface FileRecord extends Traces {
  readonly path: string
  readonly name: string
  /** False where there was no such file before. */
  readonly existed: boolean
  /** SHA-256 of the text before, and of the text that was written. */
  readonly before: string
  readonly wrote: string
  /**
   * From the text that was written to the one before: in place of `length` characters from `offset` on stood `text`. Not a
   * copy of the file, which may hold a person's tokens.
   */
  readonly undo: { readonly offset: number; readonly length: number; readonly text: string }
}

export interface InstallRecord {
  readonly version: 1
  readonly host: string
  readonly installedAt: string
  readonly by: string
  readonly files: readonly FileRecord[]
  /** Directories that were made, outermost first. */
  readonly directories: readonly string[]
}

const MAX_BYTES = 16 * 1024 * 1024

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** What has to be put back where, to get from `next` to `before`. */
export function undoOf(before: string, next: string): FileRecord['undo'] {
  const most = Math.min(before.length, next.length)
  let head = 0
  while (head < most && before[head] === next[head]) head++
  let tail = 0
  while (tail < most - head && before.at(-1 - tail) === next.at(-1 - tail)) tail++
  return { offset: head, length: next.length - head - tail, text: before.slice(head, before.length - tail) }
}

/** The text before, or undefined when `text` is not what was written, or the record does not fit it. */
export function undone(text: string, { wrote, before, undo }: FileRecord): string | undefined {
  if (sha256(text) !== wrote) return undefined
  const back = text.slice(0, undo.offset) + undo.text + text.slice(undo.offset + undo.length)
  return sha256(back) === before ? back : undefined
}

function fileOf(home: string, host: string): string {
  return path.join(home, 'installed', `${host}.json`)
}

/** A record that is missing or damaged only costs exactness: our entries are recognised without it. */
export function loadRecord(home: string, host: string): InstallRecord | undefined {
  try {
    const got = readIfThere(fileOf(home, host), MAX_BYTES)
    const raw = got === undefined ? undefined : (JSON.parse(got.text) as Partial<InstallRecord>)
    return raw?.version === 1 && raw.host === host && Array.isArray(raw.files) && raw.files.every(isFileRecord)
      ? (raw as InstallRecord)
      : undefined
  } catch {
    return undefined
  }
}

function isFileRecord(raw: Partial<FileRecord>): boolean {
  return (
    typeof raw.path === 'string' &&
    typeof raw.wrote === 'string' &&
    typeof raw.undo?.text === 'string' &&
    Array.isArray(raw.made) &&
    Array.isArray(raw.replaced)
  )
}

/** @throws BusError HOME_UNWRITABLE, DISK_FULL */
export function saveRecord(home: string, record: InstallRecord): void {
  const file = fileOf(home, record.host)
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    const tmp = `${file}.${process.pid}.tmp`
    removeIfThere(tmp)
    replace(tmp, file, `${JSON.stringify(record, undefined, 2)}\n`, 'power')
  } catch (fault) {
    throw writeFault(fault, home)
  }
}

export function dropRecord(home: string, host: string): void {
  try {
    removeIfThere(fileOf(home, host))
    fs.rmdirSync(path.dirname(fileOf(home, host)))
  } catch (fault) {
    const code = errorCode(fault)
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOENT') throw writeFault(fault, home)
  }
}
