/**
 * What a session is told once about itself: that two programs use its id, that its mail no longer wakes it, how something
 * it asked for ended after all.
 */

import type { Action } from './action.ts'
import type { Activity, Clash, EndedAction } from './activity.ts'
import { HUMAN_ID } from './caller.ts'
import type { Context } from './context.ts'
import { fenced, quoted } from './fence.ts'
import { LIMITS } from './limits.ts'
import type { Entry } from './ports.ts'

/** Telling it marks it: of two calls at once one tells it. */
export async function noticesFor(context: Context, own: Entry): Promise<readonly string[]> {
  if (!hasNotice(own.activity)) return []
  let told: Activity | undefined
  await context.store.sessions.change(own.session.id, (current) => {
    const { activity } = current ?? {}
    if (activity === undefined || !hasNotice(activity)) return undefined
    told = activity
    const { clash: _, ...rest } = activity
    const { outOfWakes, endedActions } = activity
    return {
      activity: {
        ...rest,
        ...(outOfWakes && { outOfWakes: { ...outOfWakes, told: true } }),
        ...(endedActions && { endedActions: endedActions.map((ended) => ({ ...ended, told: true })) }),
      },
    }
  })
  if (told === undefined) return []
  const { clash, outOfWakes, endedActions = [] } = told
  return [
    ...(clash !== undefined && Object.hasOwn(CLASHES, clash.outcome) // a newer version may know others
      ? [CLASHES[clash.outcome](timeOf(clash.at), Number(clash.pid))]
      : []),
    ...(outOfWakes !== undefined && !outOfWakes.told
      ? [
          `Mail from ${quoted(outOfWakes.from)} is stored but starts no more turns here: ${LIMITS.wakesPerPair} in ${LIMITS.wakeWindowMs / 60_000} min, or ${LIMITS.wakeHops} replies in a chain, are the most until a person writes a prompt.`,
        ]
      : []),
    ...endedActions.filter((ended) => !ended.told).map(endedLine),
  ]
}

/** Not as it stands in the file: what a program can read as a time may hold other words. */
function timeOf(iso: string): string {
  const ms = Date.parse(iso)
  return Number.isNaN(ms) ? 'an unknown time' : new Date(ms).toISOString()
}

export function hasNotice(activity: Activity | undefined): boolean {
  if (activity?.clash !== undefined || activity?.outOfWakes?.told === false) return true
  return activity?.endedActions?.some(({ told }) => !told) === true
}

/** Leaves word with the session that asked; once, however many find it out. The person looks for themselves. */
export async function noteEnded(context: Context, action: Action): Promise<void> {
  const { id, kind, by, target, requestedAt, state, evidence = '' } = action
  if (by.id === HUMAN_ID || (await context.find(by.id)) === undefined) return
  const ended = { id, kind, target: target.name ?? target.id, requestedAt, state, evidence, told: false }
  let isNew = false
  const entry = await context.store.sessions.change(by.id, (current) => {
    const known = current?.activity?.endedActions ?? []
    isNew = current?.activity !== undefined && !known.some((each) => each.id === id)
    if (!isNew || current?.activity === undefined) return undefined
    return { activity: { ...current.activity, endedActions: [...known, ended].slice(-LIMITS.endedActions) } }
  })
  if (!isNew || entry?.session.host.hooked !== true) return
  const { hosts } = context.store
  await hosts.ungate(entry.session.host.hostKey)
  await hosts.mark(entry.session.host.hostKey).catch(() => undefined)
}

function endedLine({ kind, target, requestedAt, state, evidence }: EndedAction): string {
  const isWake = kind === 'send_message'
  const what = `${isWake ? 'a wake' : quoted(kind)} of session ${quoted(target)}, which this session asked for at ${requestedAt},`
  if (state === 'done') return `${what} was done after all: ${fenced(evidence)}`
  if (state === 'unknown')
    return `Nobody knows whether ${what} was done: ${fenced(evidence)}. Nobody does it again; query_session shows how things stand.`
  const next = isWake ? 'The message is stored, and told at its next turn' : 'It can be asked for again'
  return `${what} was not done: ${fenced(evidence)}. ${next}.`
}

/** Leaves word with a session that wakes by this sender are used up; once while that lasts. */
export async function noteOutOfWakes(context: Context, { session, activity }: Entry, from: string): Promise<void> {
  const nowMs = context.clock.now()
  const isNoted = ({ outOfWakes }: Activity) =>
    outOfWakes?.from === from && Math.abs(nowMs - Date.parse(outOfWakes.at)) < LIMITS.wakeWindowMs
  if (activity === undefined || isNoted(activity)) return
  const outOfWakes = { from, at: new Date(nowMs).toISOString(), told: false }
  await context.store.sessions.change(session.id, (current) =>
    current?.activity === undefined || isNoted(current.activity)
      ? undefined
      : { activity: { ...current.activity, outOfWakes } },
  )
}

const CLASHES: Readonly<Record<Clash['outcome'], (at: string, pid: number) => string>> = {
  refused: (at, pid) =>
    `At ${at} process ${pid} tried to act as this session and was refused. Two programs use one session id.`,
  'taken-over': (at, pid) =>
    `At ${at} process ${pid} took this session over from another server. Two programs use one session id.`,
  'opened-twice': (at, pid) =>
    `At ${at} this conversation was opened in process ${pid} too. What is said there belongs to another session; this one keeps its name and mail.`,
  branched: (at, pid) =>
    `At ${at} this conversation was still open in process ${pid}, which keeps its session and mail. Here it is a session of its own, whatever was said before.`,
}
