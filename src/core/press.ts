/** Mail that does not wait: it holds a turn open at its end. */

import type { Context } from './context.ts'
import { ring } from './door.ts'
import { wantsTurn } from './due.ts'
import type { ContinueMoment, Injection } from './host-plugin.ts'
import { LIMITS } from './limits.ts'
import type { Message } from './message.ts'
import { observeAs, observeEnd } from './observing.ts'
import type { Entry } from './ports.ts'
import { settleGate, ungate } from './prompt-gate.ts'
import { compose } from './reminder.ts'
import { unreadMessages } from './tell.ts'

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
  // A turn that was held or woken may not be held again: the next one is asked for.
  if (due.length > 0 && moment.isHeld) await ring(context, entry)
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

function isPressing({ intent, priority }: Message): boolean {
  return intent === 'request' || priority === 'high'
}
