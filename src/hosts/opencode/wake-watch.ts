/** Watching the wake files of a bus from a long-lived process: events as hints, and a slow look underneath. */

import fs from 'node:fs'
import path from 'node:path'

/** Between two looks, ms. Where the system sends no events (some network shares, watches used up) this is all there is. */
const LOOK_MS = 2_000

export interface WakeWatch {
  /** From now on a touch of the file counts. */
  add(file: string): void
  drop(file: string): void
  close(): void
}

/** Calls `touched` with a file that was added and has changed since. Never keeps the process alive. */
export function watchWakes(touched: (file: string) => void): WakeWatch {
  const seen = new Map<string, number>()
  const watchers = new Map<string, fs.FSWatcher>()

  const look = (file: string) => {
    const before = seen.get(file)
    const now = touchedAt(file)
    if (before === undefined || now === before) return
    seen.set(file, now)
    // Swept away: the next touch makes it again.
    if (now !== 0) touched(file)
  }
  const lookAtAll = () => {
    for (const file of seen.keys()) look(file)
  }
  const arm = (directory: string) => {
    if (watchers.has(directory)) return
    try {
      const watcher = fs.watch(directory, { persistent: false }, (_, name) =>
        name === null ? lookAtAll() : look(path.join(directory, name)),
      )
      watchers.set(directory, watcher)
      const disarm = () => {
        watcher.close()
        watchers.delete(directory)
      }
      watcher.on('error', disarm)
      watcher.unref()
    } catch {
      // Refused or not there: the timer looks instead, and tries again.
    }
  }
  const timer = setInterval(() => {
    for (const directory of new Set([...seen.keys()].map((file) => path.dirname(file)))) arm(directory)
    lookAtAll()
  }, LOOK_MS)
  timer.unref()

  return {
    add(file) {
      if (seen.has(file)) return
      seen.set(file, touchedAt(file))
      arm(path.dirname(file))
    },
    drop(file) {
      seen.delete(file)
    },
    close() {
      clearInterval(timer)
      for (const watcher of watchers.values()) watcher.close()
      watchers.clear()
      seen.clear()
    },
  }
}

function touchedAt(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
