/** What a send does beside storing: asking the hosts of its recipients to start a turn, each by its own door. */

import type { Addressee } from './address.ts'
import type { Delivery, WakeAnswer } from './answers.ts'
import type { Context } from './context.ts'
import { ring } from './door.ts'
import { decide, retract } from './due.ts'
import { fenced, speaker } from './fence.ts'
import { LIMITS } from './limits.ts'
import { finished } from './liveness.ts'
import type { Message } from './message.ts'
import { noteOutOfWakes } from './notices.ts'
import { answerOf, perform, targetOf } from './perform.ts'
import type { Entry } from './ports.ts'
import { countWakes, planWake } from './wake.ts'
import { outOfReach } from './window.ts'

export async function wakeAll(
  context: Context,
  from: Message['from'],
  message: Pick<Message, 'activate' | 'activationMessage' | 'intent' | 'hops'>,
  stored: readonly Addressee[],
): Promise<readonly Delivery[]> {
  const senderId = from.id
  const nowMs = context.clock.now()
  const before = message.activate === 'never' ? {} : countWakes(await wakesBefore(context, senderId, stored), [], nowMs)
  const woken: string[] = []
  const deliveries: Delivery[] = []
  for (const { id, entry } of stored) {
    if (entry === undefined) {
      deliveries.push({
        id,
        stored: true,
        activity: 'unknown',
        wake: { outcome: 'none', evidence: 'the person reads it with `session-mcp inbox`' },
      })
      continue
    }
    // Looked at again after the message is there: a turn that ended meanwhile did not see it, one that ends now will.
    const now = entry.session.host.doors.length === 0 ? entry : ((await context.find(id)) ?? entry)
    const seen = context.observe(now)
    const plan = planWake({
      activate: message.activate,
      intent: message.intent,
      hops: message.hops,
      recipient: now.session,
      activity: now.activity,
      observed: seen.state,
      recentWakesMs: before[id] ?? [],
      wokenSoFar: woken.length,
    })
    // Hooks that have nothing to look at do not even start; and the turn that is asked for next takes the mark away again.
    if (entry.session.host.hooked) await context.store.hosts.mark(entry.session.host.hostKey).catch(() => undefined)
    let wake = plan.answer
    if (plan.touch) {
      wake = await requestWake(context, now, {
        from,
        text: message.activationMessage,
        isAlways: message.activate === 'always',
        planned: plan.answer,
      })
      if (wake.outcome === 'unknown') woken.push(id)
    }
    // A budget that nobody is told of looks like a peer that does not answer.
    const isPair = (before[id]?.length ?? 0) >= LIMITS.wakesPerPair || message.hops > LIMITS.wakeHops
    if (wake.outcome === 'budget' && isPair) await noteOutOfWakes(context, now, from.name).catch(() => undefined)
    const done = finished(entry, seen)
    deliveries.push({
      id,
      ...(entry.session.name !== undefined && { name: entry.session.name }),
      stored: true,
      activity: seen.state,
      ...(done !== undefined && { finished: done }),
      wake,
    })
  }
  if (woken.length > 0)
    await context.store.sent.setWakes(senderId, countWakes(before, woken, nowMs)).catch(() => undefined)
  return deliveries
}

/** Only who has a door can be woken, so only then is there anything to count. A person’s prompt begins the count anew. */
async function wakesBefore(context: Context, senderId: string, stored: readonly Addressee[]) {
  if (!stored.some(({ entry }) => (entry?.session.host.doors.length ?? 0) > 0)) return {}
  const prompted = (await context.find(senderId))?.activity?.lastHumanPrompt
  const sinceMs = prompted === undefined ? 0 : Date.parse(prompted)
  const wakes = await context.store.sent.wakes(senderId)
  return Object.fromEntries(Object.entries(wakes).map(([id, times]) => [id, times.filter((ms) => ms > sinceMs)]))
}

/** The door of hosts whose front end shows the wake itself, as an action. */
const PUSH = 'push'

interface Wanted {
  readonly from: Message['from']
  readonly text: string | undefined
  readonly isAlways: boolean
  readonly planned: WakeAnswer
}

/** The message is stored by now: a wake that failed must not look like a send that failed. */
async function requestWake(context: Context, entry: Entry, wanted: Wanted): Promise<WakeAnswer> {
  try {
    if (wanted.planned.door === PUSH) return await push(context, entry, wanted)
    return await ring(context, entry)
  } catch (fault) {
    const why = fault instanceof Error ? fault.message : String(fault)
    return { outcome: 'unavailable', evidence: `the wake could not be requested: ${why}` }
  }
}

/** The host shows the line in the recipient's tab and starts its turn. Only its own tabs' sends reach it. */
async function push(context: Context, entry: Entry, { from, text, isAlways, planned }: Wanted): Promise<WakeAnswer> {
  const { executor, kind } = entry.session.host
  const sender = await context.find(from.id)
  if (executor === undefined || outOfReach(context, kind, executor, sender?.session.host.executor) !== undefined) {
    return {
      outcome: 'unavailable',
      evidence: `stored only: ${kind} pushes only for its own tabs, in the same window; it is told at its next turn`,
    }
  }
  const due = await decide(context, entry, { midTurn: isAlways })
  if (!('text' in due)) return { ...due, ...(due.outcome === 'unknown' && { door: PUSH }) }
  const said = text === undefined ? '' : `\nMessage ${speaker(from)}: ${fenced(text, LIMITS.activationBytes)}`
  const by = { id: from.id, name: from.name }
  const wanted = { kind: 'send_message', by, target: targetOf(entry), params: { text: due.text + said } } as const
  const { action } = await perform(context, { queue: executor }, wanted).catch(async (fault: unknown) => {
    await retract(context, entry, due)
    throw fault
  })
  if (action.state === 'failed' || action.state === 'unsupported') {
    await retract(context, entry, due)
    return {
      outcome: 'unavailable',
      door: PUSH,
      evidence: `stored only: ${action.evidence ?? 'the host did not do it'}`,
    }
  }
  return { ...planned, action: answerOf(action, undefined) }
}
