/** Session and activity files: read without a lock, changed under the session's own. */

import { type Activity, decodeActivity, withTurn } from '../../core/activity.ts'
import { BusError } from '../../core/errors.ts'
import { utf8Bytes } from '../../core/json.ts'
import { LIMITS } from '../../core/limits.ts'
import type { Entry, EntryChange, Listing, SessionStore } from '../../core/ports.ts'
import { decodeSession, type Session } from '../../core/session.ts'
import { removeIfThere, replace } from '../../system/atomic-file.ts'
import { readFault } from './fault.ts'
import type { Home } from './home.ts'
import { fileName, idOfJson } from './layout.ts'
import type { Locks } from './lock.ts'
import { createRecords, type Scan } from './records.ts'
import { createTurns } from './turns.ts'
import { waitersIn } from './waiters.ts'
import { watchDirectories } from './watch.ts'

export function fileSessions(home: Home, locks: Locks, uid: number | undefined): SessionStore {
  const { at } = home
  // A record of a newer version may have grown beyond what this one would write.
  const maxBytes = LIMITS.sessionBytes * 4
  const sessions = createRecords({ directory: at.sessions, file: at.session, decode: decodeSession, maxBytes, uid })
  const activities = createRecords({
    directory: at.activity,
    file: at.activityOf,
    decode: decodeActivity,
    maxBytes,
    uid,
  })

  const turns = createTurns(at)

  const read = (id: string): Entry | undefined => {
    const session = sessions.read(id)
    return session === undefined ? undefined : entryOf(session, readActivity(id), turns.at)
  }

  /** A damaged activity file is only forgotten observations; they are observed again. */
  const readActivity = (id: string) => {
    try {
      return activities.read(id)
    } catch (fault) {
      if (fault instanceof BusError && fault.code === 'STORE_UNREADABLE') return undefined
      throw fault
    }
  }

  const write = (id: string, current: Entry | undefined, change: EntryChange): Entry | undefined => {
    const { session, activity } = change
    if (session !== undefined && session !== current?.session) {
      const text = JSON.stringify(session)
      const bytes = utf8Bytes(text)
      if (bytes > LIMITS.sessionBytes) {
        throw new BusError(
          'RECORD_TOO_LARGE',
          `The record of session ${id} would be ${bytes} bytes; at most ${LIMITS.sessionBytes} fit. Nothing was changed.`,
          'Shorten result, metadata or tags.',
        )
      }
      home.write(() => replace(home.tmp(), at.session(id), text, home.durability))
    }
    if (activity !== undefined && activity !== current?.activity) {
      // What was observed can be observed again: it needs no fsync.
      home.write(() => replace(home.tmp(), at.activityOf(id), JSON.stringify(activity), 'process'))
    }
    const now = session ?? current?.session
    return now === undefined ? undefined : { session: now, activity: activity ?? current?.activity }
  }

  let joined: { from: Scan<unknown>; and: Scan<unknown>; turned: unknown; listing: Listing } | undefined

  return {
    async read(id) {
      return read(id)
    },
    async list() {
      try {
        const [from, and] = [await sessions.scan(), await activities.scan()]
        const turned = turns.all()
        if (joined?.from === from && joined.and === and && joined.turned === turned) return joined.listing
        const entries: Entry[] = []
        for (const [id, session] of from.values)
          entries.push(entryOf(session, and.values.get(id), (hostKey) => turned.get(hostKey)))
        const listing = { entries, skipped: from.skipped }
        joined = { from, and, turned, listing }
        return listing
      } catch (fault) {
        throw readFault(fault, `The directory ${at.sessions}`)
      }
    },
    async waitersOf(target) {
      return waitersIn(at.activity, target, maxBytes, uid)
    },
    async change(id, decide) {
      return locks.hold(fileName(id), () => {
        const current = read(id)
        const change = decide(current)
        return change === undefined ? current : write(id, current, change)
      })
    },
    async remove(id, still) {
      return locks.hold(fileName(id), () => {
        const entry = read(id)
        if (entry !== undefined && still(entry)) return false
        home.write(() => removeIfThere(at.session(id)))
        removeIfThere(at.activityOf(id))
        removeIfThere(at.shown(id))
        return true
      })
    },
    watch(hint) {
      // A turn is noted under the host's key: whose it is, the look that follows finds out.
      return watchDirectories([at.sessions, at.activity, at.turns], (name) =>
        hint(name === undefined ? undefined : idOfJson(name)),
      )
    },
  }
}

function entryOf(
  session: Session,
  activity: Activity | undefined,
  turnAt: (hostKey: string) => string | undefined,
): Entry {
  const { hooked, hostKey } = session.host
  if (activity === undefined || hooked !== true) return { session, activity }
  return { session, activity: withTurn(activity, turnAt(hostKey)) }
}
