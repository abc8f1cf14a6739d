/**
 * The short lock of one session: whoever links the file holds it.
 *
 * Who is killed while holding it is found gone by the next one. To clear a stale lock one needs its ticket, a lock whose
 * name holds the hash of the stale text: so of many clearers one removes it, and never a lock that came later.
 */

import { BusError } from '../../core/errors.ts'
import { shortHash } from '../../core/hash.ts'
import { LIMITS } from '../../core/limits.ts'
import type { ProcessRef } from '../../core/ports.ts'
import { publish, readIfThere, removeIfThere } from '../../system/atomic-file.ts'
import { steadyMs } from '../../system/clock.ts'
import { checkTag } from '../../system/process.ts'
import type { Home } from './home.ts'

/** A holder that cannot be checked is given this long, ms: a hundred times what a change takes. */
const FOREIGN_LEASE_MS = 10_000

export interface Locks {
  /** Runs `work` alone. @throws BusError STORE_BUSY when the lock is not free within a second. */
  hold<T>(key: string, work: () => T): Promise<T>
}

export function createLocks(home: Pick<Home, 'at' | 'tmp' | 'write'>, self: ProcessRef, tag: string): Locks {
  const queues = new Map<string, Promise<unknown>>()
  let nonce = 0

  const take = (file: string) => {
    const text = `${tag} ${Date.now()} ${(nonce++).toString(36)}`
    return home.write(() => publish(home.tmp(), file, text, 'process'))
  }

  const isStale = (text: string) => {
    const [owner = '', since = '0'] = text.split(' ')
    const life = checkTag(owner, self)
    return life === 'gone' || (life === 'unknown' && Math.abs(Date.now() - Number(since)) > FOREIGN_LEASE_MS)
  }

  /** Whether nobody holds it any more, as far as could be seen. */
  const clearIfStale = (file: string): boolean => {
    const text = readIfThere(file, 4096)?.text
    if (text === undefined) return true
    if (!isStale(text)) return false
    const ticket = `${file}~${shortHash(text)}`
    if (!take(ticket)) {
      clearIfStale(ticket)
      return false
    }
    const isCleared = readIfThere(file, 4096)?.text === text && removeIfThere(file)
    removeIfThere(ticket)
    return isCleared
  }

  /** What was done under the lock is done; a lock that cannot be removed is cleared once this process is gone. */
  const release = (file: string): void => {
    try {
      removeIfThere(file)
    } catch {
      // home was made read-only or replaced meanwhile: the next write says so
    }
  }

  const alone = async <T>(key: string, work: () => T, startedMs: number): Promise<T> => {
    const file = home.at.lock(key)
    for (let pauseMs = 1; !take(file); pauseMs = Math.min(pauseMs * 1.5, 20)) {
      const isFree = clearIfStale(file)
      // A lock that nobody holds is no reason to give up, though this process may have been kept from the processor for longer.
      if (!isFree && steadyMs() - startedMs > LIMITS.lockWaitMs) {
        throw new BusError(
          'STORE_BUSY',
          `Another process has held the lock ${key} for over a second. Nothing was changed.`,
          'Try again; if it stays, run `session-mcp doctor`.',
        )
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + Math.random())))
    }
    try {
      return work()
    } finally {
      release(file)
    }
  }

  return {
    // Callers of one process queue here, so that they meet the file one at a time.
    hold(key, work) {
      const before = queues.get(key)
      // The second counts from here: waiting in the queue is waiting.
      const startedMs = steadyMs()
      const run = before === undefined ? alone(key, work, startedMs) : before.then(() => alone(key, work, startedMs))
      const settled = run.catch(() => undefined)
      queues.set(key, settled)
      void settled.then(() => {
        if (queues.get(key) === settled) queues.delete(key)
      })
      return run
    },
  }
}
