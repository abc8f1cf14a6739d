/** wait_for_sessions: blocks until sessions reach a state, mail arrives, or the time is up. */

import type { WaitAnswer, WaitRow } from './answers.ts'
import type { WaitInput, WaitOptions } from './bus.ts'
import { type Caller, HUMAN_ID } from './caller.ts'
import { type Context, notRegistered } from './context.ts'
import { BusError } from './errors.ts'
import { LIMITS } from './limits.ts'
import { finished } from './liveness.ts'
import type { Entry } from './ports.ts'
import { declaredState } from './session.ts'
import { clip } from './text.ts'
import { parseTtl } from './ttl.ts'
import { addEdge, endEdge } from './wait-edge.ts'
import { checkUntil, type Seen, seqOf, type Target, targetsOf } from './wait-target.ts'

const DEFAULT_TIMEOUT_MS = 50_000
/** Between two looks without any hint, ms: bounds how late the death of a client is noticed. */
const LOOK_MS = 1_000
const PROGRESS_MS = 3_000

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

function mailboxOf(caller: Caller): string {
  if (caller.kind === 'human') return HUMAN_ID
  if (caller.kind === 'session' && caller.session !== undefined) return caller.id
  throw notRegistered('wait for mail')
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
