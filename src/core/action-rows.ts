/** What query_session tells of actions: how the session was opened, and what did not simply get done. */

import type { Action } from './action.ts'
import type { ActionAnswer, ActionRow } from './answers-actions.ts'
import type { Context } from './context.ts'
import { refusal } from './errors.ts'
import { LIMITS } from './limits.ts'
import type { Observed } from './liveness.ts'
import type { Session, Spawn } from './session.ts'
import { label } from './session.ts'
import { neverRegistered } from './spawn.ts'
import { clip } from './text.ts'

const ASKED_CHARS = 120

/** How the opening of a created session went. One that never showed itself has failed, whatever its executor said. */
export async function openingOf(context: Context, spawn: Spawn, seen: Observed): Promise<ActionAnswer> {
  const base = { id: spawn.action, kind: 'create' } as const
  if (spawn.boundAt !== undefined) return { ...base, state: 'done', evidence: `registered at ${spawn.boundAt}` }
  if (seen.state === 'ended') return { ...base, state: 'failed', evidence: seen.evidence, next: NEVER_REGISTERED }
  let action: Action | undefined
  try {
    action = await context.store.actions.find(spawn.executor, spawn.action)
  } catch (fault) {
    // The session can be told of all the same.
    return { ...base, state: 'unknown', evidence: `${refusal(fault).error.message} Not registered yet.` }
  }
  const state = action?.state === 'unknown' ? 'unknown' : 'requested'
  return { ...base, state, evidence: `${action?.evidence ?? 'asked for'}; not registered yet` }
}

/** Of what a session asked for, and of what was to be done to its tab: all that has no good end, the newest first. */
export async function actionRows(
  context: Context,
  session: Session,
): Promise<{ readonly actions?: readonly ActionRow[]; readonly actionsFault?: string }> {
  const rows: ActionRow[] = []
  try {
    for (const action of await context.store.actions.about(session.id)) {
      if (rows.length >= LIMITS.shownActions) break
      // Its own opening is told as such.
      const row = action.id === session.spawn?.action ? undefined : await rowOf(context, action)
      if (row !== undefined) rows.push(row)
    }
  } catch (fault) {
    return { actionsFault: refusal(fault).error.message }
  }
  return rows.length === 0 ? {} : { actions: rows }
}

async function rowOf(context: Context, action: Action): Promise<ActionRow | undefined> {
  const { id, kind, state, evidence, by, target, params, requestedAt, finishedAt } = action
  const base = {
    id,
    kind,
    target: target.name ?? target.id,
    ...(kind !== 'create' && asked(params)),
    by: by.name,
    requestedAt,
    ...(finishedAt !== undefined && { finishedAt }),
  }
  if (kind === 'create' && state !== 'failed') {
    const made = (await context.find(target.id).catch(() => undefined))?.session
    if (made?.spawn?.boundAt !== undefined) return undefined
    if (made !== undefined && neverRegistered(made, context.clock.now())) {
      const lost = `${label(made)} never registered within ${LIMITS.spawnWaitMs / 1000} s`
      const said = state === 'unknown' && evidence !== undefined ? `${evidence}; ${lost}` : lost
      return { ...base, state: 'failed', evidence: said, next: NEVER_REGISTERED }
    }
  }
  if (state === 'done' || state === 'unsupported') return undefined
  return { ...base, state, evidence: evidence ?? 'its host has not said yet how it went', next: NEXT[state] }
}

/** The one parameter the operation takes. */
function asked({ text, model, scene, name }: Action['params']): { asked?: string } {
  const value = text ?? model ?? scene ?? name
  return value === undefined ? {} : { asked: clip(value, ASKED_CHARS) }
}

const NEVER_REGISTERED =
  'Most often its host waits for its person: bring its window to the front, or have the person look. It registers as soon as it goes on, and its mail is kept for it.'

/** What to do about something that was asked for and has no good end. */
export const NEXT = {
  requested: 'Look again with query_session: it is done, or given up, by itself.',
  failed: 'Ask again if it is still wanted.',
  unknown: 'See with query_session how things stand before you ask again: nobody does it a second time.',
} as const
