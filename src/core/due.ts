/** The recipient's half of a wake: is a turn due, and what starts it. Whoever performs it, these are the recipient's rules. */

import type { Activity } from './activity.ts'
import type { WakeAnswer } from './answers.ts'
import type { Context } from './context.ts'
import { LIMITS } from './limits.ts'
import type { Message } from './message.ts'
import type { Entry } from './ports.ts'
import { ungate } from './prompt-gate.ts'
import { unreadMessages } from './tell.ts'
import { countWakes } from './wake.ts'
import { wakeText } from './wake-text.ts'

/** A turn that is due is written down as asked for: nobody else starts it for the same messages. */
export interface Due {
  readonly wakeId: string
  /** The prompt of the turn. */
  readonly text: string
  /** Ids of the messages it is for. */
  readonly messages: readonly string[]
  /** Ids of their senders. */
  readonly senders: readonly string[]
}

export interface DueOptions {
  /** The host takes text in the middle of a turn, and the sender wanted that. */
  readonly midTurn?: boolean
}

/** Somebody asked for a turn: its text, if one is due. */
export async function wake(context: Context, entry: Entry, options: DueOptions = {}): Promise<string | undefined> {
  const decided = await decide(context, entry, options)
  return 'text' in decided ? decided.text : undefined
}

/** A working session is told within its turn, and nobody is woken twice for one message. */
export async function decide(context: Context, entry: Entry, options: DueOptions = {}): Promise<Due | WakeAnswer> {
  const { id } = entry.session
  const current = await context.find(id)
  const activity = current?.activity
  if (current === undefined || activity === undefined)
    return { outcome: 'unavailable', evidence: 'stored only: nothing is known of what it does' }
  if (activity.state === 'working' && !options.midTurn) {
    return { outcome: 'deferred', evidence: `working since ${activity.since}; it is told within its turn` }
  }
  if (activity.state === 'ended')
    return { outcome: 'unavailable', evidence: `stored only: its conversation ended at ${activity.since}` }
  if (!current.session.wakeable)
    return { outcome: 'unavailable', evidence: 'stored only: the session asked not to be woken' }
  const nowMs = context.clock.now()
  const asked = askedAlready(activity, nowMs)
  if (asked !== undefined) return asked
  const unread = await unreadMessages(context, id)
  const wokenBy = countWakes(activity.wokenBy ?? {}, [], nowMs)
  const spent = await outOfWakes(context, activity, wokenBy)
  const boundAt = (await context.store.hosts.find(current.session.host.hostKey))?.boundAt ?? ''
  let due: readonly Message[] = []
  await context.store.shown.change(id, (shown) => {
    // What lay there when the conversation began was told then, and waits for its first turn.
    const isOld = ({ id: each, sentAt }: Message) => sentAt < boundAt && shown.messages.includes(each)
    due = unread.filter(
      (message) =>
        wantsTurn(message) &&
        !shown.pressed.includes(message.id) &&
        !isOld(message) &&
        !spent.includes(message.from.id),
    )
    return due.length === 0 ? undefined : { ...shown, pressed: [...shown.pressed, ...due.map((message) => message.id)] }
  })
  const [first] = due
  if (first === undefined) {
    return spent.length > 0
      ? { outcome: 'budget', evidence: 'stored only: mail of this sender started as many turns as one pair may have' }
      : { outcome: 'none', evidence: 'the session was told of it already, or a turn was asked for it' }
  }
  const wakeId = context.random.token(10)
  const messages = due.map((message) => message.id)
  // The prompt that follows is the proof, and only a hook can see it.
  await ungate(context, current)
  const senders = [...new Set(due.map(({ from }) => from.id))]
  // Of two that decide at the same moment one asks.
  let others: WakeAnswer | undefined
  await context.store.sessions.change(id, (now) => {
    if (now?.activity === undefined) return undefined
    others = askedAlready(now.activity, nowMs)
    if (others !== undefined) return undefined
    const at = new Date(nowMs).toISOString()
    return {
      activity: {
        ...now.activity,
        wokenBy: countWakes(wokenBy, senders, nowMs),
        lastWake: { wakeId, from: first.from.id, at, door: now.session.host.doors[0] ?? 'none' },
      },
    }
  })
  if (others !== undefined) {
    await unpress(context, id, messages)
    return others
  }
  return { wakeId, text: wakeText(wakeId, unread.length), messages, senders }
}

/** A turn that was asked for and has not begun: it will find what came since. */
function askedAlready({ lastWake }: Activity, nowMs: number): WakeAnswer | undefined {
  if (lastWake === undefined || lastWake.turnAt !== undefined) return undefined
  // Absolute: a clock that was set back must not keep a session asleep.
  if (Math.abs(nowMs - Date.parse(lastWake.at)) >= LIMITS.wakePatienceMs) return undefined
  return { outcome: 'unknown', evidence: `the wake of ${lastWake.at} has started no turn yet; it will find this too` }
}

/** The same messages may ask again. */
async function unpress(context: Context, id: string, messages: readonly string[]): Promise<void> {
  await context.store.shown.change(id, (shown) => ({
    ...shown,
    pressed: shown.pressed.filter((each) => !messages.includes(each)),
  }))
}

/** Takes back a turn that could not be started: the same messages may ask again. */
export async function retract(context: Context, { session }: Entry, due: Due): Promise<void> {
  await unpress(context, session.id, due.messages)
  await context.store.sessions.change(session.id, (now) => {
    if (now?.activity?.lastWake?.wakeId !== due.wakeId) return undefined
    const { lastWake: _, wokenBy = {}, ...activity } = now.activity
    const before = Object.entries(wokenBy).map(([id, times]): [string, readonly number[]] => [
      id,
      due.senders.includes(id) ? times.slice(0, -1) : times,
    ])
    return { activity: { ...activity, wokenBy: Object.fromEntries(before) } }
  })
}

/**
 * Senders whose mail started as many turns as one pair may have. They count here too: what comes in the middle of a turn
 * costs its sender nothing, and two that always catch each other at work would never stop. A person’s prompt to either resets it.
 */
async function outOfWakes(
  context: Context,
  { lastHumanPrompt }: Activity,
  wokenBy: Readonly<Record<string, readonly number[]>>,
): Promise<readonly string[]> {
  const spent: string[] = []
  for (const [id, times] of Object.entries(wokenBy)) {
    if (times.length < LIMITS.wakesPerPair) continue
    const prompts = [lastHumanPrompt, (await context.find(id))?.activity?.lastHumanPrompt]
    const sinceMs = Math.max(...prompts.map((iso) => (iso === undefined ? 0 : Date.parse(iso))))
    if (times.filter((ms) => ms > sinceMs).length >= LIMITS.wakesPerPair) spent.push(id)
  }
  return spent
}

export function wantsTurn({ activate, intent, hops }: Message): boolean {
  return activate !== 'never' && intent !== 'ack' && hops <= LIMITS.wakeHops
}
