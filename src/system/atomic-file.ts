/**
 * Files that readers see whole or not at all. All calls are synchronous: one small file costs less than a thread hop,
 * and directories of thousands are read several times faster that way.
 */

import fs from 'node:fs'
import path from 'node:path'

/** `power` survives power loss; `process` survives the death of any process. */
export type Durability = 'power' | 'process'

/** Never through a link, and never waiting for the other end of a pipe that lies where a file should. */
const READ = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0)
/** Node takes flags as numbers here too (docs, "File system flags", read 2026-11); its types do not know. */
const READ_AS_TEXT = { encoding: 'utf8', flag: READ as unknown as string } as const

/**
 * Writes `text` to `tmp`, which must lie on the file system of the final place.
 * On failure nothing is left behind.
 */
function prepare(tmp: string, text: string, durability: Durability): void {
  const fd = fs.openSync(tmp, 'wx', 0o600)
  try {
    fs.writeFileSync(fd, text)
    if (durability === 'power') fs.fsyncSync(fd)
  } catch (fault) {
    fs.closeSync(fd)
    removeIfThere(tmp)
    throw fault
  }
  fs.closeSync(fd)
}

/**
 * Publishes a new file under `final`, never over an existing one.
 * Of two writers one gets true, the other false; readers see all of it or nothing.
 * @throws the system's error, e.g. ENOENT when the directory is not there; nothing is left behind then.
 */
export function publish(tmp: string, final: string, text: string, durability: Durability): boolean {
  prepare(tmp, text, durability)
  try {
    fs.linkSync(tmp, final)
  } catch (fault) {
    if (hasNoLinks(fault)) return publishWithoutLinks(tmp, final, durability)
    removeIfThere(tmp)
    if (errorCode(fault) === 'EEXIST') return false
    throw fault
  }
  if (durability === 'power') syncDirectory(path.dirname(final))
  removeIfThere(tmp)
  return true
}

/**
 * The same where the text is kept under a name of its own as well, and under those in `also`: three names cost less than two
 * files. Killed in between, `kept` may be torn or stand alone; `final` is whole or not there.
 * `tmp` gives a name for file systems without links.
 */
export function publishKept(
  names: {
    readonly kept: string
    readonly also: readonly string[]
    readonly final: string
    readonly tmp: () => string
  },
  text: string,
  durability: Durability,
): boolean {
  const { kept, also, final, tmp } = names
  try {
    prepare(kept, text, durability)
  } catch (fault) {
    // The same message once more: whether it was published the link will tell.
    if (errorCode(fault) !== 'EEXIST') throw fault
  }
  try {
    for (const name of also) linkOver(kept, name)
    fs.linkSync(kept, final)
  } catch (fault) {
    if (errorCode(fault) === 'EEXIST') return false
    if (hasNoLinks(fault)) {
      for (const name of also) fs.writeFileSync(name, text, { mode: 0o600 })
      return publish(tmp(), final, text, durability)
    }
    removeIfThere(kept)
    throw fault
  }
  if (durability === 'power') syncDirectory(path.dirname(final))
  return true
}

function hasNoLinks(fault: unknown): boolean {
  return ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(errorCode(fault) ?? '')
}

function linkOver(file: string, name: string): void {
  try {
    fs.linkSync(file, name)
  } catch (fault) {
    if (errorCode(fault) !== 'EEXIST') throw fault
    removeIfThere(name)
    fs.linkSync(file, name)
  }
}

/** File systems without hard links (exFAT, some network shares): the name is random, so a check is as good as a link. */
function publishWithoutLinks(tmp: string, final: string, durability: Durability): boolean {
  try {
    if (fs.existsSync(final)) {
      removeIfThere(tmp)
      return false
    }
    renamePatiently(tmp, final)
  } catch (fault) {
    removeIfThere(tmp)
    throw fault
  }
  if (durability === 'power') syncDirectory(path.dirname(final))
  return true
}

/** Replaces a file. Readers see the old or the new text, never a mix. Not a lock: of two writers the later one wins. */
export function replace(tmp: string, final: string, text: string, durability: Durability): void {
  prepare(tmp, text, durability)
  try {
    renamePatiently(tmp, final)
  } catch (fault) {
    removeIfThere(tmp)
    throw fault
  }
  if (durability === 'power') syncDirectory(path.dirname(final))
}

/** Windows refuses to rename a file that anyone has open, for as long as it is open (EPERM, EACCES, EBUSY). */
const RENAME_RETRIES_MS = [10, 20, 50, 100, 200]

/**
 * Renames; where the target may be open elsewhere, tries again for less than half a second.
 * `rename` and `windows` are parameters so that a test can refuse.
 */
export function renamePatiently(
  from: string,
  to: string,
  rename: typeof fs.renameSync = fs.renameSync,
  windows = process.platform === 'win32',
): void {
  for (const pauseMs of [...RENAME_RETRIES_MS, undefined]) {
    try {
      rename(from, to)
      return
    } catch (fault) {
      const code = errorCode(fault)
      // On POSIX EPERM and EACCES mean what they say.
      const busy = windows && (code === 'EBUSY' || code === 'EPERM' || code === 'EACCES')
      if (!busy || pauseMs === undefined) throw fault
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
    }
  }
}

/** Renames if the source is there. @returns false when someone else was faster. */
export function moveIfThere(from: string, to: string): boolean {
  try {
    renamePatiently(from, to)
    return true
  } catch (fault) {
    if (errorCode(fault) === 'ENOENT') return false
    throw fault
  }
}

export function removeIfThere(file: string): boolean {
  try {
    fs.unlinkSync(file)
    return true
  } catch (fault) {
    if (errorCode(fault) === 'ENOENT') return false
    throw fault
  }
}

export interface FileFacts {
  readonly ino: number
  readonly size: number
  readonly mtimeMs: number
  readonly uid: number
  readonly regular: boolean
}

/**
 * The text of a file with its facts, taken before: a file that is replaced in between looks changed the next time. Never
 * follows a link. Undefined when there is none. Two calls into the system, since lists read thousands.
 * @throws an error with code EFTYPE for what is no regular file, EFBIG above `maxBytes`, else the system's.
 */
export function readIfThere(file: string, maxBytes: number): { text: string; facts: FileFacts } | undefined {
  const facts = factsIfThere(file)
  if (facts === undefined) return undefined
  if (!facts.regular) throw Object.assign(new Error('not a regular file'), { code: 'EFTYPE' })
  if (facts.size > maxBytes) throw Object.assign(new Error(`larger than ${maxBytes} bytes`), { code: 'EFBIG' })
  try {
    return { text: fs.readFileSync(file, READ_AS_TEXT), facts }
  } catch (fault) {
    if (errorCode(fault) === 'ENOENT') return undefined
    throw fault
  }
}

/** Facts of a file without opening or following it. */
export function factsIfThere(file: string): FileFacts | undefined {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false })
  return stat === undefined ? undefined : factsOf(stat)
}

function factsOf(stat: fs.Stats): FileFacts {
  return { ino: stat.ino, size: stat.size, mtimeMs: stat.mtimeMs, uid: stat.uid, regular: stat.isFile() }
}

/** Names in a directory; a directory that is not there has none. */
export function namesIn(directory: string): string[] {
  if (factsIfThere(directory) === undefined) return []
  try {
    return fs.readdirSync(directory)
  } catch (fault) {
    if (errorCode(fault) === 'ENOENT') return []
    throw fault
  }
}

/** Makes entries of a directory durable. Windows cannot, and does not need to. */
export function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return
  const fd = fs.openSync(directory, fs.constants.O_RDONLY)
  try {
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

export function errorCode(fault: unknown): string | undefined {
  return typeof fault === 'object' && fault !== null && 'code' in fault ? String(fault.code) : undefined
}
