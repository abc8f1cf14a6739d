/** One install or uninstall after the other on one home: the record of each is that of what stands in the files. */

import { isDeepStrictEqual } from 'node:util'
import { BusError } from '../../core/errors.ts'
import { openHome } from '../../store/files/home.ts'
import { layout } from '../../store/files/layout.ts'
import { createLocks } from '../../store/files/lock.ts'
import { createProcesses, processTag } from '../../system/process.ts'
import { ChangedMeanwhile } from './host-file.ts'
import { findRecord, type Known, type Look } from './look.ts'
import { unreadable } from './refuse.ts'

/** How often a plan is made again because the host, or another install, wrote to a file at that moment. */
const PLANS = 3

/** How often a lock is waited for, a second each time. */
const TRIES = 20

/**
 * Runs `work` while nobody else installs or uninstalls with this home. Where the home takes no lock, `work` runs without one:
 * what cannot be written it will say itself, and what is only taken out of a host's files needs no home.
 * @throws BusError STORE_BUSY, and whatever `work` throws.
 */
export async function inTurn<T>(home: string, work: () => T): Promise<T> {
  let hasBegun = false
  const begin = () => {
    hasBegun = true
    return work()
  }
  for (let tries = 1; ; tries++) {
    try {
      return await locksOf(home).hold('install', begin)
    } catch (fault) {
      if (hasBegun) throw fault
      if (!(fault instanceof BusError) || fault.code !== 'STORE_BUSY') return work()
      if (tries === TRIES) throw fault
    }
  }
}

function locksOf(home: string) {
  const { self } = createProcesses()
  const tag = processTag(self)
  const at = layout(home)
  return createLocks(openHome({ at, durability: 'process', tag: `${tag}~install`, allowForeign: true }), self, tag)
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

/** @throws ChangedMeanwhile where another install made or took away the record since `known` was read. */
export function requireKnown(known: Known | undefined, key: string, looks: readonly Look[], home: string): void {
  if (isDeepStrictEqual(findRecord(key, looks, home), known)) return
  throw new ChangedMeanwhile(`The record of the install at ${known?.home ?? home} was changed by another program`)
}
