/** Getting an action done: by an executor of this process, or by the host's own plugin from its queue. */

import {
  type Action,
  type ActionKind,
  type ActionParams,
  type ActionTarget,
  type Outcome,
  TAKER_GONE,
} from './action.ts'
import { NEXT } from './action-rows.ts'
import { comesToTurn, inTheWay } from './alone.ts'
import type { ActionAnswer } from './answers-actions.ts'
import type { Context } from './context.ts'
import { LIMITS } from './limits.ts'
import { observeEnd } from './observing.ts'
import type { Entry } from './ports.ts'
import type { Executor, HostExecutor } from './ports-actions.ts'
import { ungate } from './prompt-gate.ts'
import { isClosed } from './session.ts'
import { outOfReach } from './window.ts'

/** Who can do it, or why nobody can. */
export type Route =
  | { readonly local: Executor }
  | { readonly queue: HostExecutor }
  | { readonly reason: string; readonly byHand?: string }

export interface Asked {
  readonly kind: ActionKind
  readonly target: ActionTarget
  readonly params: ActionParams
}

/** The way to a session's tab, the host's own plugin first. */
export async function routeTo(
  context: Context,
  { kind, target, params }: Asked,
  host: HostExecutor | undefined,
  callers: HostExecutor | undefined,
): Promise<Route> {
  let refused: { readonly reason: string; readonly byHand?: string } | undefined
  if (host?.kinds.includes(kind)) {
    const reason = outOfReach(context, target.hostKind, host, callers)
    if (reason === undefined) return { queue: host }
    refused = { reason }
  }
  for (const executor of context.executors) {
    const offer = await executor.offers(kind, target, params)
    if (offer?.can === true) return { local: executor }
    if (offer !== undefined) refused ??= offer
  }
  return refused ?? { reason: `nothing on this machine can do that to a tab of ${target.hostKind}` }
}

export function targetOf({ session, activity }: Entry): ActionTarget {
  const { host } = session
  return {
    id: session.id,
    ...(session.name !== undefined && { name: session.name }),
    hostKind: host.kind,
    hostSessionId: host.hostSessionId ?? host.hostKey,
    ...(host.client !== undefined && { client: host.client }),
    ...(host.pane !== undefined && { pane: host.pane }),
    ...(host.terminal !== undefined && { terminal: host.terminal }),
    ...(host.job !== undefined && { job: host.job }),
    ...(host.view !== undefined && { view: host.view }),
    ...(host.folder !== undefined && { folder: host.folder }),
    ...(activity !== undefined && { activity: activity.state }),
  }
}

export type NewAction = Pick<Action, 'kind' | 'by' | 'target' | 'params'> & Partial<Pick<Action, 'id'>>

/** Requests it and, where that is ours to do or soon done by another, waits for the end. */
export async function perform(
  context: Context,
  route: Exclude<Route, { reason: string }>,
  wanted: NewAction,
): Promise<{ readonly action: Action; readonly outcome?: Outcome }> {
  const { store } = context
  const action: Action = {
    ...wanted,
    id: wanted.id ?? newActionId(context),
    executor: 'local' in route ? route.local.id : route.queue.id,
    requestedAt: context.nowIso(),
    state: 'requested',
  }
  await store.actions.request(action)
  if ('queue' in route) {
    if (!route.queue.watches) return { action }
    const now = (await whenDone(context, action)) ?? action
    // The answer says it: nobody need find it out and tell it once more.
    if (now.state === 'unknown' && now.finishedAt === undefined) await finishAction(context, now, TAKER_GONE)
    return { action: now }
  }
  await comesToTurn(context, action)
  const claimed = await store.actions.claim(action.executor, action.id)
  if (claimed === undefined) return { action: (await found(context, action)) ?? action }
  const outcome = (await inTheWay(context, claimed)) ?? (await runOnce(route.local, claimed))
  // It happened: an end that could not be written down must not look like an action that was not done.
  await finishAction(context, claimed, outcome).catch((fault: unknown) =>
    context.log?.('error', 'action', { id: claimed.id, fault: String(fault) }),
  )
  return { action: { ...claimed, state: outcome.state, evidence: outcome.evidence }, outcome }
}

export function newActionId(context: Context): string {
  return `act-${context.clock.now().toString(36).padStart(9, '0')}${context.random.token(10)}`
}

/** What it throws is how it ended. */
export async function runOnce(executor: Pick<Executor, 'perform'>, action: Action): Promise<Outcome> {
  try {
    return await executor.perform(action)
  } catch (fault) {
    return { state: 'failed', evidence: fault instanceof Error ? fault.message : String(fault) }
  }
}

/** Writes down how it ended, and what that says of the session. */
export async function finishAction(context: Context, action: Action, outcome: Outcome): Promise<void> {
  await context.store.actions.finish(action, outcome, context.nowIso())
  if (outcome.state !== 'done') return
  const { kind, target, params } = action
  if (kind === 'close' || kind === 'cancel') await noteEnd(context, action)
  if (kind === 'set_model' || kind === 'set_scene') {
    const { model, scene } = params
    await context.store.sessions.change(target.id, (entry) =>
      entry === undefined || isClosed(entry.session)
        ? undefined
        : { session: { ...entry.session, ...(model && { model }), ...(scene && { scene }) } },
    )
  }
}

/** Hosts report the end of a turn, and not that it was broken off; nor do all of them report that they were closed. */
async function noteEnd(context: Context, { kind, target, by }: Action): Promise<void> {
  const entry = await context.find(target.id)
  const state = entry?.activity?.state
  if (entry === undefined || state === undefined || state === 'ended') return
  if (kind === 'close') return observeEnd(context, entry, 'ended', `closed by ${by.name}`)
  if (state !== 'working') return
  await observeEnd(context, entry, 'idle', `its turn was cancelled by ${by.name}`)
  await ungate(context, entry)
}

/** An action as its host's plugin left it, once that is more than a request. Undefined when the time is over. */
async function whenDone(context: Context, action: Action): Promise<Action | undefined> {
  const untilMs = context.clock.steady() + LIMITS.actionWaitMs
  for (;;) {
    // Looked at once more after the time: what ends later than that is told as news.
    const isOver = context.clock.steady() >= untilMs
    const now = await found(context, action)
    if (isOver || (now !== undefined && now.state !== 'requested')) return now
    await new Promise<void>((resolve) => context.clock.after(LIMITS.actionLookMs, resolve))
  }
}

/** What cannot be read was asked for all the same: whoever asked is told no more than that. */
async function found(context: Context, { executor, id }: Action): Promise<Action | undefined> {
  return context.store.actions.find(executor, id).catch(() => undefined)
}

export function answerOf(action: Action, outcome: Outcome | undefined): ActionAnswer {
  const { id, kind, state, evidence } = action
  return {
    id,
    kind,
    state,
    evidence: evidence ?? WAITING,
    ...(outcome?.byHand !== undefined && { byHand: outcome.byHand }),
    ...((state === 'requested' || state === 'unknown') && { next: NEXT[state] }),
  }
}

const WAITING = 'handed to the host, which has not said yet how it went'

export function unsupported(kind: ActionKind, { reason, byHand }: { reason: string; byHand?: string }): ActionAnswer {
  const next = 'Tell the session with send_message what is wanted, or ask the person.'
  return { kind, state: 'unsupported', evidence: reason, ...(byHand === undefined ? { next } : { byHand }) }
}
