/**
 * Actions that end without anybody saying so: nobody took them in time, or whoever did is gone. The next one who looks writes
 * the end down and leaves word with the session that asked.
 */

import { type Action, type Outcome, TAKER_GONE, tooLate } from './action.ts'
import type { Context } from './context.ts'
import { LIMITS } from './limits.ts'
import { noteEnded } from './notices.ts'
import type { Unfinished } from './ports-actions.ts'

/** Writes down the ends that nobody said. A fault is logged: whoever looks came for something else. @returns who asked. */
export async function settle(context: Context): Promise<ReadonlySet<string>> {
  const askers = new Set<string>()
  const orLog = (work: Promise<void>) =>
    work.catch((fault: unknown) => context.log?.('warn', 'settle', { fault: String(fault) }))
  await orLog(
    (async () => {
      for (const each of await context.store.actions.unfinished()) {
        if (!isOver(context, each)) continue
        askers.add(each.action.by.id)
        await orLog(endOne(context, each))
      }
    })(),
  )
  return askers
}

function isOver(context: Context, { action, taker }: Unfinished): boolean {
  const nowMs = context.clock.now()
  if (taker === undefined) return tooLate(action, nowMs) !== undefined
  // Whoever cannot be looked for gets the time that any host would need.
  const isSilent = Math.abs(nowMs - Date.parse(action.requestedAt)) > LIMITS.takerPatienceMs
  return taker === 'gone' || (taker === 'unknown' && isSilent)
}

async function endOne(context: Context, { action, taker }: Unfinished): Promise<void> {
  const { executor, id } = action
  if (taker === undefined) await take(context, executor, id)
  // It may have said how it went since the look.
  else if ((await context.store.actions.find(executor, id))?.finishedAt === undefined)
    await endUnsaid(context, action, taker === 'gone' ? TAKER_GONE : TAKER_SILENT)
}

const TAKER_SILENT = {
  state: 'unknown',
  evidence: `whoever took it cannot be checked from here, and has not said for ${LIMITS.takerPatienceMs / 60_000} min how it went`,
} as const

/** Takes an action to perform it. One that comes too late ends here, and is not given to anybody. */
export async function take(context: Context, executor: string, id: string): Promise<Action | undefined> {
  const action = await context.store.actions.claim(executor, id)
  const late = action && tooLate(action, context.clock.now())
  if (action === undefined || late === undefined) return action
  // Taken is taken: it ends now, also where no word of it can be left.
  await noteEnded(context, { ...action, ...late }).catch((fault: unknown) =>
    context.log?.('warn', 'settle', { id, fault: String(fault) }),
  )
  await context.store.actions.finish(action, late, context.nowIso())
  return undefined
}

/** Word first: who dies in between leaves it to the next one, and nobody is told twice. */
async function endUnsaid(context: Context, action: Action, outcome: Outcome): Promise<void> {
  await noteEnded(context, { ...action, ...outcome })
  await context.store.actions.finish(action, outcome, context.nowIso())
}
