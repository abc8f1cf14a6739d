/** One look at the bus: everyone, the mail of those on the screen, one’s own mail, and what the page on top shows. */

import type { InboxAnswer, MessageView } from '../../core/answers.ts'
import type { Bus, GlanceInput } from '../../core/bus.ts'
import type { Caller } from '../../core/caller.ts'
import { LIMITS } from '../../core/limits.ts'
import { type Loaded, type Mail, type Page, pageOf, type State } from './state.ts'
import type { Looked } from './update.ts'

interface Asked {
  readonly bus: Bus
  readonly caller: Caller
  acting(): Caller
  readonly filter: GlanceInput
  told(fault: unknown): string
}

/** So many of one's own unread messages are looked at for who asks something. */
const OWN_LOOKED_AT = 100

/** @param mailOf ids of the sessions whose unread mail is counted. */
export async function look(asked: Asked, state: State, mailOf: readonly string[]): Promise<Looked> {
  const { bus, caller, filter } = asked
  const text = state.filter.trim() === '' ? filter.text : state.filter.trim()
  const page = pageOf(state)
  const loaded = await loadedOf(asked, page)
  const [glance, own] = await Promise.all([bus.glance(caller, { ...filter, text, mailOf }), ownMail(bus, caller)])
  const counted = glance.sessions.flatMap(({ id, unread, oldestUnreadSeconds }): [string, Mail][] =>
    unread === undefined ? [] : [[id, { unread, ...(oldestUnreadSeconds !== undefined && { oldestUnreadSeconds }) }]],
  )
  const asking = new Map<string, string>()
  for (const { intent, from, sentAt } of own.messages)
    if (intent === 'request' && !asking.has(from.id)) asking.set(from.id, sentAt)
  const [oldest] = own.messages
  return {
    board: { sessions: glance.sessions, asking },
    partial: glance.partial ?? [],
    mailOf: new Map(counted),
    own: {
      unread: own.messages.length + own.remaining,
      ...(oldest !== undefined && { oldestUnreadSeconds: oldest.ageSeconds }),
    },
    page,
    loaded,
  }
}

async function ownMail(bus: Bus, caller: Caller): Promise<InboxAnswer> {
  const handOver = await bus.read(caller, { peek: true, limit: OWN_LOOKED_AT })
  await handOver.notHandedOver()
  return handOver.answer
}

async function loadedOf(asked: Asked, page: Page | undefined): Promise<Loaded | undefined> {
  if (page === undefined || page.kind === 'help') return undefined
  const { bus, caller } = asked
  try {
    if (page.kind === 'session') return { kind: 'session', id: page.id, view: await bus.query(caller, page.id) }
    if (page.kind === 'own') return await readOwn(asked)
    const handOver = await bus.read(caller, { inbox: page.id, peek: true })
    await handOver.notHandedOver()
    const { messages, remaining } = handOver.answer
    return { kind: 'mail', id: page.id, messages, remaining }
  } catch (fault) {
    return { kind: 'trouble', text: asked.told(fault) }
  }
}

/** What is new becomes read: it is on the screen from now on, with what was read before. */
async function readOwn({ bus, acting }: Asked): Promise<Loaded> {
  const reader = acting()
  const taken = await bus.read(reader, {})
  await taken.handedOver()
  const before = await bus.read(reader, { history: LIMITS.historyRows })
  await before.notHandedOver()
  const byId = new Map<string, MessageView>(before.answer.messages.map((message) => [message.id, message]))
  for (const message of taken.answer.messages) byId.set(message.id, message)
  const messages = [...byId.values()].sort((a, b) => Date.parse(a.sentAt) - Date.parse(b.sentAt))
  const fresh = new Set(taken.answer.messages.map(({ id }) => id))
  return { kind: 'own', messages, fresh, remaining: taken.answer.remaining }
}
