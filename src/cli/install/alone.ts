/** One install or uninstall at a time: two that plan from the same files would each lose what the other has to put back. */

import fs from 'node:fs'
import path from 'node:path'
import { BusError } from '../../core/errors.ts'
import { writeFault } from '../../store/files/fault.ts'
import { layout } from '../../store/files/layout.ts'
import { createLocks, type Locks } from '../../store/files/lock.ts'
import { createProcesses, processTag } from '../../system/process.ts'
import { systemRandom } from '../../system/random.ts'
import { ChangedMeanwhile } from './host-file.ts'
import { unreadable } from './refuse.ts'

/** How often a plan is made again because the host wrote its own file at that moment. */
const PLANS = 3

/** How often the second that a lock is waited for is granted again: files of a host are written to the disk one by one. */
const SECONDS = 10

/**
 * Not the whole bus: an install can be taken back also where that has a newer layout. Where the home takes no lock, `work` runs
 * without one: what it cannot write it says itself, and what is only taken out of a host's files needs no home.
 * @param key of the record that `work` reads and writes.
 * @throws BusError STORE_BUSY where another one never ends, and whatever `work` throws.
 */
export async function alone<T>(home: string, key: string, work: () => T): Promise<T> {
  let hasBegun = false
  const begin = () => {
    hasBegun = true
    return work()
  }
  for (let tries = 1; ; tries++) {
    try {
      return await locksOf(home).hold(`installed-${key}`, begin)
    } catch (fault) {
      if (hasBegun) throw fault
      if (!(fault instanceof BusError) || fault.code !== 'STORE_BUSY') return work()
      if (tries === SECONDS) throw fault
    }
  }
}

/** @throws BusError HOME_UNWRITABLE */
function locksOf(home: string): Locks {
  const { self } = createProcesses()
  const tag = processTag(self)
  const at = layout(home)
  const write = <R>(run: () => R): R => {
    try {
      return run()
    } catch (fault) {
      throw writeFault(fault, home)
    }
  }
  write(() => [at.tmp, at.locks].map((directory) => fs.mkdirSync(directory, { recursive: true, mode: 0o700 })))
  const tmp = () => path.join(at.tmp, `${tag}~${systemRandom.token(6)}`)
  return createLocks({ at, tmp, write }, self, tag)
}

/** Runs what plans and then writes; once more when a file changed in between. */
export async function again<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run()
    } catch (fault) {
      if (!(fault instanceof ChangedMeanwhile)) throw fault
      if (tries === PLANS) throw unreadable(`${fault.message}, again and again.`, 'Close it, then try again.', fault)
    }
  }
}
