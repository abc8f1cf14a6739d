/** One line for the edge of a host's screen: who this session is, what is unread, who waits for it. Looks, and changes nothing. */

import { attached } from './attach.ts'
import type { Context } from './context.ts'
import type { Conversation } from './host-plugin.ts'
import { isClosed, label } from './session.ts'

export interface StatusFacts {
  readonly label: string
  readonly isClosed: boolean
  /** Undefined where the inbox cannot be read: that is not zero. */
  readonly unread: number | undefined
  /** Sessions that wait for this one at this moment; the names of the first few. */
  readonly waiters: { readonly count: number; readonly names: readonly string[] }
}

/** What the host itself says beside it. All of it is text of others. */
export interface StatusBeside {
  /** What the host calls the conversation. */
  readonly title?: string | undefined
  readonly model?: string | undefined
  /** How much of the context is used, percent. */
  readonly context?: number | undefined
}

/** Waiting sessions called by name; of the others only the number is told. */
const NAMED = 2

/** Undefined for a conversation that is on no bus. @throws BusError where the record cannot be read. */
export async function statusOf(context: Context, conversation: Conversation): Promise<StatusFacts | undefined> {
  const entry = await attached(context, conversation)
  if (entry === undefined) return undefined
  const { session } = entry
  return {
    label: label(session),
    isClosed: isClosed(session),
    unread: await context.store.inbox.count(session.id).catch(() => undefined),
    waiters: await waitersOf(context, session.id),
  }
}

async function waitersOf(context: Context, id: string): Promise<StatusFacts['waiters']> {
  const nowMs = context.clock.now()
  const check = context.checker()
  const waiting = (await context.store.sessions.waitersOf(id).catch(() => []))
    .filter((other) => other.id !== id)
    .filter(({ waitingFor }) =>
      waitingFor.some(
        ({ targets, until, owner }) =>
          targets.includes(id) && Date.parse(until) > nowMs && owner !== undefined && check(owner) !== 'gone',
      ),
    )
    .map((other) => other.id)
    .sort()
  const names: string[] = []
  for (const waiter of waiting.slice(0, NAMED)) {
    const found = await context.find(waiter).catch(() => undefined)
    names.push(found === undefined ? waiter : label(found.session))
  }
  return { count: waiting.length, names }
}

export type StatusTone = 'name' | 'plain' | 'good' | 'warn' | 'bad'

/** How one part can be said, longest first; empty leaves it out. A number is the columns the first form is cut to. */
export interface StatusPart {
  readonly forms: readonly (string | number)[]
  readonly tone: StatusTone
}

export type StatusParts = Readonly<Partial<Record<PartName, StatusPart>>>
export type PartName = 'name' | 'unread' | 'waiters' | 'context' | 'model'

/** In what order parts stand. */
export const PART_ORDER: readonly PartName[] = ['name', 'unread', 'waiters', 'context', 'model']

/** What gives way where the line is too long: each time it is named a part takes its next form. */
export const GIVES_WAY: readonly PartName[] = [
  'model',
  'waiters',
  'context',
  'name',
  'context',
  'name',
  'waiters',
  'unread',
  'name',
  'name',
]

/** What a name is cut to, step by step. In the end it goes: that something is unread is what the line is for. */
const NAME_COLUMNS = [24, 12, 5] as const

/** What of the bus there is to show: the session, no session, no answer, or no question. */
export type StatusSeen = StatusFacts | 'not-on-bus' | 'unreadable' | 'not-asked'

export function partsOf(seen: StatusSeen, beside: StatusBeside): StatusParts {
  return { ...busParts(seen, beside.title), ...contextPart(beside.context), ...modelPart(beside.model) }
}

function busParts(seen: StatusSeen, title: string | undefined): StatusParts {
  if (seen === 'unreadable') return offBus(title, 'the bus cannot be read: session-mcp doctor', 'bus unreadable', 'bad')
  if (seen === 'not-asked')
    return offBus(title, 'session-mcp: the host did not say who this is', 'who is this?', 'plain')
  if (seen === 'not-on-bus') return offBus(title, 'not on the session-mcp bus', 'not on the bus', 'plain')
  const { label: name, unread, waiters } = seen
  return {
    name: { forms: [seen.isClosed ? `${name} (closed)` : name, ...NAME_COLUMNS, ''], tone: 'name' },
    unread: {
      forms: [`${unread ?? '?'} unread`, `${unread ?? '?'}`],
      tone: unread === undefined ? 'bad' : unread > 0 ? 'warn' : 'plain',
    },
    ...(waiters.count > 0 && { waiters: { forms: [waitText(waiters), `${waiters.count} waiting`, ''], tone: 'warn' } }),
  }
}

function offBus(title: string | undefined, long: string, short: string, tone: StatusTone): StatusParts {
  return {
    ...(title !== undefined && { name: { forms: [title, ...NAME_COLUMNS, ''], tone: 'name' } }),
    unread: { forms: [long, short], tone },
  }
}

function waitText({ count, names }: StatusFacts['waiters']): string {
  const more = count - names.length
  return `${names.join(', ')}${more > 0 ? ` +${more}` : ''} ${count === 1 ? 'waits' : 'wait'} for it`
}

function contextPart(used: number | undefined): StatusParts {
  if (used === undefined) return {}
  const percent = `${Math.round(used)}%`
  return {
    context: { forms: [`${percent} context`, percent, ''], tone: used >= 90 ? 'bad' : used >= 75 ? 'warn' : 'plain' },
  }
}

function modelPart(model: string | undefined): StatusParts {
  return model === undefined ? {} : { model: { forms: [model, ''], tone: 'plain' } }
}
