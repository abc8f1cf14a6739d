/** What is on the bus: sessions, mail, and everything that could not be read. */

import { HUMAN } from '../../core/caller.ts'
import type { OpenedBus } from '../../open.ts'
import { oneLine } from '../safe-text.ts'
import { allSessions, countsOf, nameOf } from '../session-rows.ts'
import { count, duration, listing, typed } from '../words.ts'
import { type Check, ok, warn } from './check.ts'

const KEPT = 'The files are kept as they are; look at them, then move them out of the home.'
/** Unread mail older than this waits for somebody who may never look (ms). */
const OLD_MS = 24 * 3_600_000

export async function checkSessions({ bus, store }: OpenedBus): Promise<Check[]> {
  const { sessions } = await allSessions(bus, HUMAN, { limit: 200 })
  const { skipped } = await store.sessions.list()
  const checks = [ok('sessions', sessions.length === 0 ? 'No session is on the bus.' : `${countsOf(sessions)}.`)]
  if (skipped.length > 0) {
    const files = skipped.slice(0, 5).map(({ what, why }) => `${oneLine(what)} (${oneLine(why)})`)
    checks.push(warn('sessions', `${count(skipped.length, 'file')} left out of every list: ${files.join('; ')}.`, KEPT))
  }
  const unread = sessions.reduce((sum, row) => sum + row.unread, 0)
  if (unread === 0) return [...checks, ok('mail', 'No mail waits for a session.')]
  const oldest = sessions.reduce((a, b) => ((b.oldestUnreadSeconds ?? 0) > (a.oldestUnreadSeconds ?? 0) ? b : a))
  const ageMs = (oldest.oldestUnreadSeconds ?? 0) * 1000
  const text = `${count(unread, 'message')} unread; the oldest, ${duration(ageMs)} old, waits for ${nameOf(oldest)}.`
  const look = `Look at it with session-mcp inbox ${typed(nameOf(oldest))}; wake the session or close it.`
  return [...checks, ageMs > OLD_MS ? warn('mail', text, look) : ok('mail', text)]
}

export async function checkMail({ store }: OpenedBus): Promise<Check[]> {
  const checks: Check[] = []
  const damaged: string[] = []
  let skipped = 0
  for (const id of await store.inbox.owners()) {
    const set = await store.inbox.damaged(id)
    if (set.length > 0) damaged.push(`${set.length} in the inbox of ${id}`)
    skipped += (await store.inbox.unread(id)).skipped.length
  }
  if (damaged.length > 0)
    checks.push(
      warn(
        'mail',
        `Messages that could not be read: ${listing(damaged)}.`,
        `${KEPT} They lie in inboxes/<id>/damaged.`,
      ),
    )
  if (skipped > 0) checks.push(warn('mail', `${count(skipped, 'file')} in inboxes left out.`, KEPT))
  return checks.length > 0 ? checks : [ok('mail', 'No message is damaged.')]
}
