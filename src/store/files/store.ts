/** The embedded store: plain files under one home, no daemon. The algorithm is described in docs/on-disk-layout.md. */

import fs from 'node:fs'
import path from 'node:path'
import type { ProcessRef, Store } from '../../core/ports.ts'
import { type Durability, namesIn, removeIfThere } from '../../system/atomic-file.ts'
import { checkTag, processTag } from '../../system/process.ts'
import { systemRandom } from '../../system/random.ts'
import { fileActions } from './actions.ts'
import { createClaims } from './claims.ts'
import { refusing } from './fault.ts'
import { fileFollow } from './follow.ts'
import { openHome } from './home.ts'
import { fileHosts } from './hosts.ts'
import { fileInbox } from './inbox.ts'
import { inside, layout } from './layout.ts'
import { createLocks } from './lock.ts'
import { fileNames } from './names.ts'
import { removeEmpty } from './retention.ts'
import { fileSent } from './sent.ts'
import { fileSessions } from './sessions.ts'
import { fileShown } from './shown.ts'

export interface FileStoreOptions {
  /** Absolute. Made when it is not there. */
  readonly home: string
  readonly self: ProcessRef
  /** Default `power`: an acknowledged send survives power loss. */
  readonly durability?: Durability
  /** Unread messages an inbox may hold; default 10 000. */
  readonly inboxLimit?: number
  /** Go on although other users could change home. */
  readonly allowForeignHome?: boolean
}

export interface FileStore extends Store {
  /** What is unsafe about home, accepted with `allowForeignHome`. */
  readonly warnings: readonly string[]
}

/** A temporary file without a living owner is removed after this, ms. */
const TMP_AGE_MS = 3_600_000

/**
 * Opens the bus at `home`. Any number of processes may have it open.
 * @throws BusError HOME_UNSAFE, HOME_NEWER, HOME_UNWRITABLE (something else is there), STORE_UNREADABLE
 */
export function fileStore(options: FileStoreOptions): FileStore {
  const { self, durability = 'power', inboxLimit = 10_000, allowForeignHome = false } = options
  const at = layout(options.home)
  const tag = processTag(self)
  // Two stores of one process must not meet in a temporary name, not even those of two bundles, which share no counter.
  const home = openHome({ at, durability, tag: `${tag}~${systemRandom.token(6)}`, allowForeign: allowForeignHome })
  const uid = allowForeignHome ? undefined : process.getuid?.()
  const locks = createLocks(home, self, tag)
  const claims = createClaims(home, self, tag)
  const said = <T extends object>(part: T): T => refusing(part, at.home)
  return {
    warnings: home.warnings,
    sessions: said(fileSessions(home, locks, uid)),
    inbox: said(fileInbox({ home, uid, limit: inboxLimit, claims })),
    sent: said(fileSent(home)),
    names: said(fileNames(home, locks)),
    follow: said(fileFollow(home)),
    shown: said(fileShown(home, locks)),
    hosts: said(fileHosts(home)),
    actions: said(fileActions(home, self, tag)),
    ...said({
      async tidy() {
        let removed = 0
        for (const directory of [at.tmp, at.locks]) {
          for (const name of namesIn(directory)) {
            const file = path.join(directory, name)
            const owner = directory === at.tmp ? name.split('~')[0] : undefined
            if (isLeftover(file, owner, self) && removeIfThere(file)) removed += 1
            removed += removeOwnFolder(file, owner, self)
          }
        }
        return removed
      },
    }),
    close() {
      home.close()
    },
  }
}

/** The folder of a process that is gone, with what it left in it. @returns how many files. */
function removeOwnFolder(folder: string, owner: string | undefined, self: ProcessRef): number {
  if (owner === undefined || checkTag(owner, self) !== 'gone') return 0
  if (!fs.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return 0
  const removed = namesIn(folder).filter((name) => removeIfThere(inside(folder, name))).length
  removeEmpty(folder)
  return removed
}

function isLeftover(file: string, owner: string | undefined, self: ProcessRef): boolean {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false })
  if (stat === undefined || stat.isDirectory()) return false // of a directory see above
  if (owner !== undefined && checkTag(owner, self) === 'gone') return true
  return Date.now() - stat.mtimeMs > TMP_AGE_MS
}
