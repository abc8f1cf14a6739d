/** The directory that holds the bus: made, checked, and made again when someone removed it. */

import fs from 'node:fs'
import path from 'node:path'
import { BusError } from '../../core/errors.ts'
import { type Durability, errorCode, publish, readIfThere } from '../../system/atomic-file.ts'
import { writeFault } from './fault.ts'
import { DIRECTORIES, inside, LAYOUT_VERSION, type Layout } from './layout.ts'
import { removeEmpty } from './retention.ts'

export interface Home {
  readonly at: Layout
  readonly durability: Durability
  /** A new name in tmp/, telling who made it. */
  tmp(): string
  /** Runs a write; when home was removed meanwhile, makes it again and runs it once more. Faults become refusals. */
  write<T>(run: () => T): T
  /** Makes a directory below home, if it is not there. */
  directory(directory: string): void
  /** Removes what only this process used. */
  close(): void
  /** What is wrong with who may change home; empty = nothing. */
  readonly warnings: readonly string[]
}

/**
 * A process that writes more than this gets a folder of its own under tmp/: a directory is locked while a name is made in it,
 * and four senders that share one send a third less.
 */
const SHARED_NAMES = 32

export interface HomeOptions {
  readonly at: Layout
  readonly durability: Durability
  /** Names this process in temporary files. */
  readonly tag: string
  readonly allowForeign: boolean
}

/**
 * Opens home, making what is missing. A home that cannot be written is opened all the same: reads work, writes say why not.
 * @throws BusError HOME_UNSAFE when other users could change it, HOME_NEWER for a layout this version does not know.
 */
export function openHome(options: HomeOptions): Home {
  const { at, durability, tag } = options
  const warnings = checkOwners(at.home, options.allowForeign)
  let counter = 0
  const own = inside(at.tmp, tag)
  let hasOwn = false
  const tmp = () => {
    const name = (counter++).toString(36)
    if (counter <= SHARED_NAMES) return `${own}~${name}`
    if (!hasOwn) makeDirectory(own)
    hasOwn = true
    return inside(own, name)
  }
  const ensure = () => {
    hasOwn = false
    makeHome(at.home)
    for (const name of DIRECTORIES) makeDirectory(path.join(at.home, name))
    publish(tmp(), at.format, `${JSON.stringify({ version: LAYOUT_VERSION })}\n`, durability)
  }
  const known = readFormat(at)
  // A home of an earlier version lacks the newest folders.
  if (known === undefined || statIfThere(at.turns, at.home) === undefined) {
    try {
      ensure()
    } catch (fault) {
      // Reads may still work, and the cause may go away: the first write will say what is wrong.
      if (!(writeFault(fault, at.home) instanceof BusError)) throw fault
    }
  }
  return {
    at,
    durability,
    tmp,
    warnings,
    write(run) {
      try {
        try {
          return run()
        } catch (fault) {
          if (errorCode(fault) !== 'ENOENT') throw fault
          ensure()
          return run()
        }
      } catch (fault) {
        throw writeFault(fault, at.home)
      }
    },
    directory(directory) {
      makeDirectory(directory)
    },
    close() {
      if (hasOwn) removeEmpty(own)
    },
  }
}

function readFormat(at: Layout): number | undefined {
  let text: string | undefined
  try {
    text = readIfThere(at.format, 4096)?.text
  } catch {
    return undefined
  }
  if (text === undefined) return undefined
  let version: unknown
  try {
    version = (JSON.parse(text) as { version?: unknown } | null)?.version
  } catch {
    throw new BusError(
      'STORE_UNREADABLE',
      `${at.format} is damaged.`,
      `Write {"version":${LAYOUT_VERSION}} into it, or point --home to another directory.`,
    )
  }
  if (typeof version !== 'number' || version > LAYOUT_VERSION) {
    throw new BusError(
      'HOME_NEWER',
      `The bus at ${at.home} has layout ${String(version)}; this version knows ${LAYOUT_VERSION}.`,
      'Update session-mcp, or point --home to another directory.',
    )
  }
  return version
}

function makeHome(home: string): void {
  fs.mkdirSync(home, { recursive: true, mode: 0o700 })
}

function makeDirectory(directory: string): void {
  try {
    fs.mkdirSync(directory, { mode: 0o700 })
  } catch (fault) {
    if (errorCode(fault) !== 'EEXIST') throw fault
  }
}

/** Undefined also for what would lie below a file: the file itself is met next. */
function statIfThere(directory: string, home: string): fs.Stats | undefined {
  try {
    return fs.statSync(directory, { throwIfNoEntry: false })
  } catch (fault) {
    if (errorCode(fault) === 'ENOTDIR') return undefined
    throw writeFault(fault, home)
  }
}

/**
 * Home must be ours and closed to others; whoever can rename a parent could swap it.
 * A directory with the sticky bit lets nobody rename what is not theirs.
 */
function checkOwners(home: string, allowForeign: boolean): string[] {
  const uid = process.getuid?.()
  if (uid === undefined) return []
  const problems: string[] = []
  for (let directory = home; ; directory = path.dirname(directory)) {
    const stat = statIfThere(directory, home)
    if (stat?.isDirectory()) {
      const isHome = directory === home
      const owned = stat.uid === uid || (stat.uid === 0 && !isHome)
      if (!owned) problems.push(`${directory} belongs to another user (uid ${stat.uid})`)
      else if ((stat.mode & 0o022) !== 0 && (isHome || (stat.mode & 0o1000) === 0)) {
        problems.push(`${directory} can be changed by other users (mode ${(stat.mode & 0o7777).toString(8)})`)
      }
    } else if (stat !== undefined) {
      throw new BusError(
        'HOME_UNWRITABLE',
        `${directory} is not a directory.`,
        'Point --home or SESSION_MCP_HOME to a directory.',
      )
    }
    if (path.dirname(directory) === directory) break
  }
  if (problems.length > 0 && !allowForeign) {
    throw new BusError(
      'HOME_UNSAFE',
      `The bus at ${home} is not safe: ${problems.join('; ')}.`,
      'Use a directory of your own (--home), take the rights away (chmod go-w), or accept the risk with --allow-foreign-home.',
    )
  }
  return problems
}
