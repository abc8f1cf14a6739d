/** One thing at a time is done to a tab from here: of two that type into one input line neither would arrive. */

import type { Action, Outcome } from './action.ts'
import type { Context } from './context.ts'
import { quoted } from './fence.ts'
import { LIMITS } from './limits.ts'

/** Waits until what came before is over, for as long as an answer may take. */
export async function comesToTurn(context: Context, action: Action): Promise<void> {
  const untilMs = context.clock.steady() + LIMITS.actionWaitMs
  while ((await before(context, action)).length > 0 && context.clock.steady() < untilMs)
    await new Promise<void>((resolve) => context.clock.after(LIMITS.actionLookMs, resolve))
}

/** For an action that was taken: how it ends where another is being performed on the same tab. Of two at one moment neither is. */
export async function inTheWay(context: Context, action: Action): Promise<Outcome | undefined> {
  const [other] = (await others(context, action)).filter(({ isTaken }) => isTaken)
  if (other === undefined) return undefined
  const { kind, by } = other.action
  return {
    state: 'failed',
    evidence: `nothing was done: ${kind}, asked for by ${quoted(by.name)}, is being done to it`,
  }
}

async function before(context: Context, action: Action): Promise<readonly Action[]> {
  const found = await others(context, action)
  return found.flatMap((other) => (other.isTaken || other.action.id < action.id ? [other.action] : []))
}

async function others(context: Context, { id, executor, target }: Action) {
  const unfinished = await context.store.actions.unfinished()
  return unfinished
    .filter(({ action }) => action.id !== id && action.executor === executor && action.target.id === target.id)
    .filter(({ taker }) => taker === undefined || taker === 'alive')
    .map(({ action, taker }) => ({ action, isTaken: taker !== undefined }))
}
