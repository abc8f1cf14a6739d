/** wait_for_sessions: blocks until sessions reach a state, mail arrives, or the time is up. */

import { ACTIVITIES } from './activity.ts'
import { resolve } from './address.ts'
import type { WaitAnswer, WaitRow } from './answers.ts'
import type { WaitInput, WaitOptions } from './bus.ts'
import { type Caller, HUMAN_ID } from './caller.ts'
import { type Context, notRegistered } from './context.ts'
import { BusError } from './errors.ts'
import { quote } from './ids.ts'
import { LIMITS } from './limits.ts'
import { finished } from './liveness.ts'
import type { Entry } from './ports.ts'
import { declaredState, label, STATUSES } from './session.ts'
import { clip } from './text.ts'
import { parseTtl } from './ttl.ts'
import { addEdge, endEdge } from './wait-edge.ts'

const DEFAULT_TIMEOUT_MS = 50_000
/** Between two looks without any hint, ms: bounds how late the death of a client is noticed. */
const LOOK_MS = 1_000
const PROGRESS_MS = 3_000
const STATES = ['finished', 'closed', 'changed', ...STATUSES, ...ACTIVITIES] as const

/** How far the caller had seen one session: statusSeq and activitySeq. */
type Seen = readonly [number, number]

interface Target {
  readonly id: string
  readonly label: string
  /** Changes after this count for `changed` and for states that came and went. */
  readonly since: Seen
}

export async function wait(
  context: Context,
  caller: Caller,
  input: WaitInput,
  options: WaitOptions = {},
): Promise<WaitAnswer> {
  const until = checkUntil(input.until)
  const mode = input.mode ?? 'all'
  const ceilingMs = options.ceilingMs ?? DEFAULT_TIMEOUT_MS
  const timeoutMs = Math.min(
    input.timeout === undefined ? DEFAULT_TIMEOUT_MS : parseTtl(input.timeout, 'timeout'),
    ceilingMs,
  )
  const mailbox = input.orMessage ? mailboxOf(caller) : undefined
  const targets = await targetsOf(context, caller, input)
  const startedMs = context.clock.steady()
  const elapsedMs = () => Math.round(context.clock.steady() - startedMs)

  const look = async () => {
    const rows = await Promise.all(targets.map((target) => rowOf(context, target, until)))
    const reached = rows.filter(({ row }) => row.reached !== undefined).length
    const isReached = mode === 'all' ? reached === rows.length : reached > 0
    const unread = mailbox === undefined ? 0 : (await context.store.inbox.unread(mailbox)).ids.length
    const reason = isReached ? 'reached' : unread > 0 ? 'message' : undefined
    return { rows, reached, unread, reason } as const
  }
  type Look = Awaited<ReturnType<typeof look>>
  const answer = (seen: Look, reason: WaitAnswer['reason']): WaitAnswer => ({
    done: reason !== 'timeout',
    reason,
    sessions: seen.rows.map(({ row }) => row),
    pending: seen.rows.flatMap(({ row }) => (row.reached === undefined ? [row.name ?? row.id] : [])),
    cursor: seen.rows.map(({ row, at }) => `${row.id}:${at[0]}.${at[1]}`).join(','),
    waitedMs: elapsedMs(),
    timeoutMs,
    ...(mailbox !== undefined && { unread: seen.unread }),
    ...(reason === 'timeout' && {
      hint: 'Not done yet, and nothing is wrong: call wait_for_sessions again with this cursor.',
    }),
    ...(reason === 'message' && { hint: 'Mail has arrived: call read_inbox.' }),
  })

  const first = await look()
  if (first.reason !== undefined) return answer(first, first.reason)
  const edge = await addEdge(context, caller, {
    targets: targets.map(({ id }) => id),
    mode,
    orMessage: mailbox !== undefined,
    untilMs: context.clock.now() + timeoutMs + LIMITS.edgeGraceMs,
  })
  let graceMs = 0
  try {
    const last = await block(context, targets, mailbox, look, {
      timeoutMs,
      signal: options.signal,
      onLook: (seen) =>
        options.progress?.(`${seen.reached}/${targets.length} done, ${Math.round(elapsedMs() / 1000)} s`),
    })
    if (last.reason === undefined) graceMs = LIMITS.edgeGraceMs
    return answer(last, last.reason ?? 'timeout')
  } finally {
    await endEdge(context, edge, graceMs)
  }
}

/** Looks at every hint, and each second without one, until there is a reason to stop or the time is up. */
async function block<L extends { readonly reason: string | undefined }>(
  context: Context,
  targets: readonly Target[],
  mailbox: string | undefined,
  look: () => Promise<L>,
  options: { timeoutMs: number; signal: AbortSignal | undefined; onLook: (seen: L) => void },
): Promise<L> {
  const { clock, store } = context
  const ids = new Set(targets.map(({ id }) => id))
  let wakeUp: (() => void) | undefined
  let isHinted = false
  const hint = () => {
    isHinted = true
    wakeUp?.()
  }
  // The watches first, then the look: a change in between raises a hint, an earlier one is seen by the look.
  const watches = [
    store.sessions.watch((id) => {
      if (id === undefined || ids.has(id)) hint()
    }),
    ...(mailbox === undefined ? [] : [store.inbox.watch(mailbox, hint)]),
  ]
  options.signal?.addEventListener('abort', hint)
  const deadlineMs = clock.steady() + options.timeoutMs
  let reportedMs = clock.steady()
  try {
    for (;;) {
      if (options.signal?.aborted)
        throw new BusError('CANCELLED', 'The wait was cancelled.', 'Call again to go on waiting.')
      isHinted = false
      const seen = await look()
      const nowMs = clock.steady()
      if (seen.reason !== undefined || nowMs >= deadlineMs) return seen
      if (nowMs - reportedMs >= PROGRESS_MS) {
        reportedMs = nowMs
        options.onLook(seen)
      }
      if (isHinted) continue
      await new Promise<void>((resolve) => {
        const cancel = clock.after(Math.min(LOOK_MS, deadlineMs - nowMs), () => wakeUp?.())
        wakeUp = () => {
          cancel()
          resolve()
        }
        if (options.signal?.aborted) wakeUp()
      })
      wakeUp = undefined
    }
  } finally {
    options.signal?.removeEventListener('abort', hint)
    for (const watch of watches) watch.close()
  }
}

function checkUntil(until: readonly string[] | undefined): readonly string[] {
  if (until === undefined || until.length === 0) return ['finished']
  for (const state of until) {
    if (!(STATES as readonly string[]).includes(state)) {
      throw new BusError('BAD_INPUT', `until ${quote(state)} is not a state.`, `One or more of: ${STATES.join(', ')}.`)
    }
  }
  return until
}

function mailboxOf(caller: Caller): string {
  if (caller.kind === 'human') return HUMAN_ID
  if (caller.kind === 'session' && caller.session !== undefined) return caller.id
  throw notRegistered('wait for mail')
}

async function targetsOf(context: Context, caller: Caller, input: WaitInput): Promise<readonly Target[]> {
  if (input.sessions.length === 0)
    throw new BusError('BAD_INPUT', 'sessions is empty.', 'Name the sessions to wait for, by id or name.')
  if (input.sessions.length > LIMITS.targets) {
    throw new BusError(
      'BAD_INPUT',
      `sessions names ${input.sessions.length}; at most ${LIMITS.targets} are accepted.`,
      'Wait for fewer at a time.',
    )
  }
  const since = input.cursor === undefined ? new Map<string, Seen>() : decodeCursor(input.cursor)
  // The cursor keeps the order of the call it answers, so it still knows the id of a name that is gone by now.
  const ids = since.size === input.sessions.length ? [...since.keys()] : []
  const targets = new Map<string, Target>()
  for (const [index, text] of input.sessions.entries()) {
    const isSelf = caller.kind === 'session' && text.trim() === 'me'
    const entry = await resolve(context, isSelf ? caller.id : text).catch((fault) => {
      if (ids[index] === undefined) throw fault
    })
    const id = entry?.session.id ?? ids[index] ?? text
    if (caller.kind === 'session' && id === caller.id) {
      throw new BusError(
        'WAIT_CYCLE',
        'A session cannot wait for itself.',
        'Leave yourself out of sessions; to wait for mail alone, read_inbox later.',
      )
    }
    const now = entry === undefined ? ([0, 0] as const) : seqOf(entry)
    targets.set(id, { id, label: entry === undefined ? id : label(entry.session), since: since.get(id) ?? now })
  }
  if (input.cursor !== undefined && ![...targets.keys()].some((id) => since.has(id))) {
    throw new BusError(
      'BAD_CURSOR',
      'cursor belongs to a wait for other sessions.',
      'Pass the cursor together with the sessions it was made for, or leave it out.',
    )
  }
  return [...targets.values()]
}

function decodeCursor(text: string): Map<string, Seen> {
  const seen = new Map<string, Seen>()
  for (const part of text.split(',')) {
    const [, id, status, activity] = /^([A-Za-z0-9_-]+):(\d{1,15})\.(\d{1,15})$/.exec(part) ?? []
    if (id === undefined)
      throw new BusError(
        'BAD_CURSOR',
        `cursor ${quote(text)} is not one of this tool.`,
        'Pass the cursor of the answer before, or leave it out.',
      )
    seen.set(id, [Number(status), Number(activity)])
  }
  return seen
}

function seqOf(entry: Entry): Seen {
  return [entry.session.statusSeq, entry.activity?.activitySeq ?? 0]
}

async function rowOf(context: Context, target: Target, until: readonly string[]): Promise<{ row: WaitRow; at: Seen }> {
  const base = { id: target.id, ...(target.label !== target.id && { name: target.label }) }
  let entry: Entry | undefined
  try {
    entry = await context.store.sessions.read(target.id)
  } catch {
    // Unreadable is not gone: it stays awaited.
    return { row: { ...base, status: 'unknown', activity: 'unknown' }, at: target.since }
  }
  if (entry === undefined)
    return {
      row: { ...base, status: 'unknown', activity: 'ended', finished: 'gone', reached: 'gone' },
      at: target.since,
    }
  const { session, activity } = entry
  const seen = context.observe(entry)
  const done = context.isHidden(entry) ? 'expired' : finished(entry, seen)
  const at = seqOf(entry)
  const hasChanged = at[0] > target.since[0] || at[1] > target.since[1]
  const states = new Set<string>([declaredState(session), session.status, seen.state])
  for (const { seq, state } of session.trail) if (seq > target.since[0]) states.add(state)
  for (const { seq, state } of activity?.trail ?? []) if (seq > target.since[1]) states.add(state)
  // Whoever is finished reaches nothing more: the wait for it is over whatever it was for.
  const reached = done ?? until.find((state) => (state === 'changed' ? hasChanged : states.has(state)))
  return {
    row: {
      ...base,
      status: session.status,
      activity: seen.state,
      ...(done !== undefined && { finished: done }),
      ...(session.result !== undefined && { result: clip(session.result, 2_000) }),
      ...(reached !== undefined && { reached }),
    },
    at,
  }
}
