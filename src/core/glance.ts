/** Everyone at once: from the records alone, with a look only into the inboxes that were asked for. */

import type { GlanceInput } from './bus.ts'
import type { Context } from './context.ts'
import type { Skipped } from './ports.ts'
import { filterOf, sightOf, skippedBy, unreadOf, waitingFor } from './roster.ts'
import type { GlanceAnswer, Sight } from './sight.ts'

/** @throws BusError BAD_INPUT as `list` does. */
export async function glance(context: Context, input: GlanceInput): Promise<GlanceAnswer> {
  const check = context.checker()
  const matches = filterOf(context, input, check)
  const wanted = new Set(input.mailOf)
  const { entries, skipped } = await context.live(check)
  const partial: Skipped[] = [...skipped]
  const sessions: Sight[] = []
  for (const entry of entries.filter(matches)) {
    const { session, activity } = entry
    const mail = wanted.has(session.id)
      ? await unreadOf(context, session.id).catch((fault) => skippedBy(fault, entry))
      : undefined
    if (mail !== undefined && 'why' in mail) partial.push(mail)
    const sight = sightOf(context, entry, check)
    sessions.push({
      ...sight,
      ...(activity !== undefined && sight.activity === activity.state && { since: activity.since }),
      waitingFor: sight.finished === undefined ? waitingFor(context, activity, check) : [],
      ...(mail !== undefined && !('why' in mail) && mail),
    })
  }
  return { sessions, ...(partial.length > 0 && { partial }) }
}
