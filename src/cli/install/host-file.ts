/** Files of a host, read with everything that must stay as it is, and replaced all together or not at all. */

import fs from 'node:fs'
import path from 'node:path'
import { errorCode, namesIn, removeIfThere, replace } from '../../system/atomic-file.ts'
import { lookUp } from '../../system/process-table.ts'
import { unreadable, unwritable } from './refuse.ts'

export interface HostFile {
  /** As the host knows it. */
  readonly path: string
  /** Where it really is: a settings file is often a link into a repository of dot files. */
  readonly target: string
  /** Undefined where there is none. */
  readonly text: string | undefined
}

export interface Change extends HostFile {
  /** What it is to hold; undefined where it is to go. */
  readonly next: string | undefined
}

/** Thrown when a file is not what it was when the change was planned: plan again. */
export class ChangedMeanwhile extends Error {}

/** @throws BusError for what is there and cannot be read, or is no text. */
export function readHostFile(file: string): HostFile {
  try {
    const target = realTarget(file)
    const bytes = readBytes(target)
    // With the mark some editors put in front: it is written back like everything else.
    const text = bytes && new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return { path: file, target, text }
  } catch (fault) {
    const why = errorCode(fault) ?? 'not text'
    throw unreadable(`${file} cannot be read (${WORDS[why] ?? why}).`, 'Look at the file, then try again.', fault)
  }
}

const WORDS: Readonly<Record<string, string>> = {
  ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not UTF-8 text',
  EFTYPE: 'it is no file',
}

function readBytes(file: string): Buffer | undefined {
  try {
    const stat = fs.statSync(file)
    // The other end of a pipe may never come.
    if (!stat.isFile() && !stat.isDirectory()) throw Object.assign(new Error(file), { code: 'EFTYPE' })
    return fs.readFileSync(file)
  } catch (fault) {
    if (errorCode(fault) === 'ENOENT') return undefined
    throw fault
  }
}

/** Through links, also through the last one when nothing is there yet. */
function realTarget(file: string, depth = 0): string {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false })
  if (stat === undefined || !stat.isSymbolicLink() || depth > 40) return file
  return realTarget(path.resolve(path.dirname(file), fs.readlinkSync(file)), depth + 1)
}

/**
 * Writes every file, or none. @returns the directories that had to be made, outermost first.
 * @throws ChangedMeanwhile; BusError where the system refuses, or a file is read-only. Both leave everything as it was.
 */
export function changeFiles(changes: readonly Change[]): string[] {
  for (const change of changes) {
    requireUnchanged(change)
    requireWritable(change.target)
  }
  const done: Change[] = []
  const made: string[] = []
  try {
    for (const change of changes) {
      requireUnchanged(change)
      if (change.next !== undefined) makeDirectories(path.dirname(change.target), made)
      put(change.target, change.next)
      done.push(change)
    }
    return made
  } catch (fault) {
    const lost = done.reverse().filter((change) => !isPutBack(change))
    removeDirectories(made)
    if (fault instanceof ChangedMeanwhile && lost.length === 0) throw fault
    const which = changes.find((change) => !done.includes(change))?.target ?? ''
    throw unwritable(
      `${which} cannot be written (${errorCode(fault) ?? String(fault)}). ${
        lost.length === 0
          ? 'Nothing was changed.'
          : `What was written before it could not be taken back: ${lost.map(({ target }) => target).join(', ')}.`
      }`,
      'Make the file and its directory writable for you, then try again.',
      fault,
    )
  }
}

function requireUnchanged({ path: file, target, text }: Change): void {
  const now = readHostFile(file)
  if (now.target !== target || now.text !== text) throw new ChangedMeanwhile(`${file} was changed by another program`)
}

/** A new file is renamed into its place, which the system allows over one that a person made read-only. */
function requireWritable(target: string): void {
  const stat = fs.statSync(target, { throwIfNoEntry: false })
  if (stat === undefined || (stat.mode & 0o222) !== 0) return
  throw unwritable(
    `${target} is read-only (mode ${(stat.mode & 0o777).toString(8)}). Nothing was changed.`,
    'Whoever made it so may write it anew, such as a manager of dot files: make the change there, or make the file writable and try again.',
  )
}

function isPutBack({ target, text, next }: Change): boolean {
  try {
    // What another program wrote since then is not ours to undo.
    if (readBytes(target)?.toString('utf8') === next) put(target, text)
    return true
  } catch {
    return false // told with the fault that made us go back
  }
}

/** Whole or not at all, with the rights and the owner it had. */
function put(target: string, text: string | undefined): void {
  if (text === undefined) {
    removeIfThere(target)
    return
  }
  const before = fs.statSync(target, { throwIfNoEntry: false })
  const tmp = path.join(path.dirname(target), `${temporary(target)}${process.pid}`)
  removeIfThere(tmp) // left by a process of the same number that was killed
  replace(tmp, target, text, 'power')
  if (before === undefined) return
  fs.chmodSync(target, before.mode & 0o7777)
  const { uid, gid } = fs.statSync(target)
  if (uid === before.uid && gid === before.gid) return
  try {
    fs.chownSync(target, before.uid, before.gid)
  } catch {
    // Only root may give files away; to be the owner of one's own settings does no harm.
  }
}

function temporary(target: string): string {
  return `.${path.basename(target)}.session-mcp-`
}

/** What processes left beside these files that were killed while they wrote: copies of what a person keeps in them. */
export function removeLeftovers(files: readonly HostFile[]): void {
  for (const { target } of files) {
    const [directory, start] = [path.dirname(target), temporary(target)]
    try {
      for (const name of namesIn(directory)) {
        const pid = name.startsWith(start) ? name.slice(start.length) : ''
        if (/^\d{1,10}$/.test(pid) && lookUp(Number(pid)) === 'absent') removeIfThere(path.join(directory, name))
      }
    } catch {
      // A directory that cannot be read or written: whoever has to write there says so.
    }
  }
}

function makeDirectories(directory: string, made: string[]): void {
  if (fs.existsSync(directory)) return
  makeDirectories(path.dirname(directory), made)
  fs.mkdirSync(directory, { mode: 0o700 })
  made.push(directory)
}

/** Those that are empty, innermost first. */
export function removeDirectories(directories: readonly string[]): void {
  for (const directory of directories.toReversed()) {
    try {
      fs.rmdirSync(directory)
    } catch {
      // Somebody uses it by now, and with it stay all around it, which are not empty either.
    }
  }
}
