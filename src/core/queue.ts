/** The queue of a host's plugin, worked off in its own process: one action after the other, each once. */

import type { Action } from './action.ts'
import type { Context } from './context.ts'
import { LIMITS } from './limits.ts'
import { noteEnded } from './notices.ts'
import { finishAction, runOnce } from './perform.ts'
import type { Executor } from './ports-actions.ts'
import { take } from './settle.ts'

export interface Worker extends Pick<Executor, 'id' | 'perform'> {
  /** A queue that could not be read, or an end that could not be written down. */
  report(fault: unknown): void
}

/** Performs what waits and what comes, until it is closed. What is being performed then is finished. */
export function workOff(context: Context, worker: Worker): { close(): void } {
  const { actions } = context.store
  let isClosed = false
  let isDue = false
  let tail = Promise.resolve()

  const drain = async () => {
    isDue = false
    for (const id of isClosed ? [] : await actions.waiting(worker.id)) {
      if (isClosed) return
      try {
        const action = await take(context, worker.id, id)
        if (action === undefined) continue
        const outcome = await inTime(context, worker, action)
        await finishAction(context, action, outcome)
        if (isNews(context, action)) await noteEnded(context, { ...action, ...outcome })
      } catch (fault) {
        worker.report(fault)
      }
    }
  }
  const look = () => {
    if (isDue) return
    isDue = true
    tail = tail.then(drain).catch(worker.report)
  }
  const watch = actions.watch(worker.id, look)
  look()
  return {
    close() {
      isClosed = true
      watch.close()
    },
  }
}

/** Whoever asked was answered by then that nobody had said how it went. Of a wake the turn itself is the news. */
function isNews(context: Context, { kind, requestedAt }: Action): boolean {
  return kind !== 'send_message' && context.clock.now() - Date.parse(requestedAt) > LIMITS.actionWaitMs
}

/** A host that never answers must not keep the next one waiting. */
async function inTime(context: Context, worker: Worker, action: Action) {
  let cancel: () => void = () => {}
  const over = new Promise<{ readonly state: 'unknown'; readonly evidence: string }>((resolve) => {
    const evidence = `its host has not answered for ${LIMITS.actionLimitMs / 1000} s`
    cancel = context.clock.after(LIMITS.actionLimitMs, () => resolve({ state: 'unknown', evidence }))
  })
  try {
    return await Promise.race([runOnce(worker, action), over])
  } finally {
    cancel()
  }
}
