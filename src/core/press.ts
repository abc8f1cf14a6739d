/** Mail that does not wait: it holds a turn open at its end, or starts one in an idle session. */

import type { Activity } from './activity.ts'
import type { Context } from './context.ts'
import type { ContinueMoment, Injection } from './host-plugin.ts'
import { LIMITS } from './limits.ts'
import type { Message } from './message.ts'
import { observeAs, observeEnd } from './observing.ts'
import type { Entry } from './ports.ts'
import { settleGate, ungate } from './prompt-gate.ts'
import { compose } from './reminder.ts'
import { unreadMessages } from './tell.ts'
import { countWakes } from './wake.ts'
import { wakeText } from './wake-text.ts'

export async function turnEnds(
  context: Context,
  entry: Entry,
  moment: ContinueMoment,
  isGated: boolean,
): Promise<Injection | undefined> {
  const { id, host } = entry.session
  const background = moment.background ?? 0
  // First idle, then the look: a sender that comes later sees an idle session and wakes it.
  await observeEnd(context, entry, background > 0 ? 'working' : 'idle', 'the turn ended', background)
  const unread = await unreadMessages(context, id)
  if (unread.length === 0) {
    if (isGated) await settleGate(context, id, moment.isScheduled)
    return undefined
  }
  if (isGated) await ungate(context, entry)
  let due: readonly Message[] = []
  let holds = false
  await context.store.shown.change(id, (shown) => {
    // Senders are told that a working session hears of it within its turn: this is the last moment for that.
    const isNews = (message: Message) => wantsTurn(message) && !shown.messages.includes(message.id)
    due = unread.filter((message) => !shown.pressed.includes(message.id) && (isPressing(message) || isNews(message)))
    holds = due.length > 0 && !moment.isHeld && shown.holds < LIMITS.holdsInARow
    if (!holds) return undefined
    const seen = due.map((message) => message.id)
    return {
      ...shown,
      holds: shown.holds + 1,
      pressed: [...shown.pressed, ...seen],
      messages: [...new Set([...shown.messages, ...seen])],
    }
  })
  // A turn that was held or woken may not be held again; the wake file starts the next one, if one is due.
  if (due.length > 0 && moment.isHeld) await context.store.hosts.touchWake(host.hostKey)
  if (!holds) return undefined
  // Not what `entry` knows: it was set to idle above.
  await observeAs(context, { ...entry, activity: undefined }, 'working', 'the turn goes on: mail came')
  const text = compose({
    identity: {
      id,
      name: entry.session.name,
      task: entry.session.task,
      neighbours: [],
      passesId: host.shared === true,
    },
    introduce: false,
    fresh: due,
    changes: [],
    notices: [],
    nowMs: context.clock.now(),
  })
  return text === undefined ? undefined : { text, continues: true }
}

/**
 * Somebody asked for a turn: is one due? A working session is told within its turn, except where its host takes text in the
 * middle of one and the sender wanted that; and nobody is woken twice for one message.
 */
export async function wake(
  context: Context,
  entry: Entry,
  options: { readonly midTurn?: boolean } = {},
): Promise<string | undefined> {
  const { id } = entry.session
  const current = await context.find(id)
  const activity = current?.activity
  if (current === undefined || activity === undefined || !current.session.wakeable) return undefined
  if (activity.state === 'ended' || (activity.state === 'working' && !options.midTurn)) return undefined
  const nowMs = context.clock.now()
  const pendingWake = activity.lastWake?.turnAt === undefined ? activity.lastWake : undefined
  // Absolute: a clock that was set back must not keep a session asleep.
  if (pendingWake !== undefined && Math.abs(nowMs - Date.parse(pendingWake.at)) < LIMITS.wakePatienceMs)
    return undefined
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
  if (first === undefined) return undefined
  const wakeId = context.random.token(10)
  // The prompt that follows is the proof, and only a hook can see it.
  await ungate(context, current)
  await context.store.sessions.change(id, (now) =>
    now?.activity === undefined
      ? undefined
      : {
          activity: {
            ...now.activity,
            wokenBy: countWakes(wokenBy, [...new Set(due.map(({ from }) => from.id))], nowMs),
            lastWake: {
              wakeId,
              from: first.from.id,
              at: new Date(nowMs).toISOString(),
              door: now.session.host.doors[0] ?? 'none',
            },
          },
        },
  )
  return wakeText(wakeId, unread.length)
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

function isPressing({ intent, priority }: Message): boolean {
  return intent === 'request' || priority === 'high'
}

function wantsTurn({ activate, intent, hops }: Message): boolean {
  return activate !== 'never' && intent !== 'ack' && hops <= LIMITS.wakeHops
}
