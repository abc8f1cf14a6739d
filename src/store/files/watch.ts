/**
 * Directory watches that admit what they are: hints. The system may drop events without a word (its queue overflows, the
 * directory is replaced, a network share sends none), so the directory is looked at in between, and where watches are
 * refused (128 inotify instances per user by default on Linux) that is all there is.
 */

import fs from 'node:fs'
import type { Watch } from '../../core/ports.ts'

/** Between two looks while events flow, ms. */
const CHECK_MS = 2_000
/** Between two looks where there are no events, ms. */
const POLL_MS = 250

/** File systems whose remote changes raise no event, by statfs type. Linux magic.h, read 2026-11. */
const REMOTE = new Set([0x6969, 0xff534d42, 0xfe534d42, 0x517b, 0x65735546, 0x01021997])
const REMOTE_PATH = /^(\\\\|\/\/)/

/**
 * Calls `hint` with the name of a changed file, or without one when any may have changed. Never keeps the process alive.
 */
export function watchDirectories(directories: readonly string[], hint: (name: string | undefined) => void): Watch {
  const watches = directories.map((directory) => watchDirectory(directory, hint))
  return {
    get mode() {
      return watches.every((watch) => watch.mode === 'events') ? 'events' : 'polling'
    },
    close() {
      for (const watch of watches) watch.close()
    },
  }
}

function watchDirectory(directory: string, hint: (name: string | undefined) => void): Watch {
  let watcher: fs.FSWatcher | undefined
  let seen = stamp(directory)
  let timer: NodeJS.Timeout | undefined
  let closed = false
  const silent = sendsNoEvents(directory)

  const arm = () => {
    if (silent) return
    try {
      watcher = fs.watch(directory, { persistent: false }, (_, name) => hint(name ?? undefined))
      watcher.on('error', disarm)
    } catch {
      // Refused (EMFILE, ENOSPC) or not there (ENOENT): the timer below looks instead.
    }
  }
  const disarm = () => {
    watcher?.close()
    watcher = undefined
  }
  const look = () => {
    const now = stamp(directory)
    if (now !== seen) {
      // Another inode is another directory: the old watch is deaf.
      if (now?.split(' ')[0] !== seen?.split(' ')[0]) disarm()
      seen = now
      hint(undefined)
    }
    if (watcher === undefined && now !== undefined) arm()
    schedule()
  }
  const schedule = () => {
    if (closed) return
    timer = setTimeout(look, watcher === undefined ? POLL_MS : CHECK_MS)
    timer.unref()
  }

  arm()
  schedule()
  return {
    get mode() {
      return watcher === undefined ? 'polling' : 'events'
    },
    close() {
      closed = true
      clearTimeout(timer)
      disarm()
    },
  }
}

function stamp(directory: string): string | undefined {
  try {
    const stat = fs.statSync(directory)
    return `${stat.ino} ${stat.mtimeMs}`
  } catch {
    return undefined
  }
}

/** True where changes made elsewhere raise no event. */
export function sendsNoEvents(directory: string): boolean {
  if (REMOTE_PATH.test(directory)) return true
  try {
    return REMOTE.has(fs.statfsSync(directory).type)
  } catch {
    return false
  }
}
