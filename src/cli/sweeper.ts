/** The housekeeping of a running server: what has expired goes, a few seconds after the start and every few minutes. */

import type { Bus } from '../core/bus.ts'
import type { Log } from '../system/log.ts'

export interface SweepTimes {
  /** Soonest first sweep (ms): the client's first calls come before it. */
  readonly firstMs: number
  /** Shortest pause between two (ms). Each pause is longer by up to its own length, so that servers drift apart. */
  readonly everyMs: number
}

const TIMES: SweepTimes = { firstMs: 4_000, everyMs: 5 * 60_000 }

/** Never keeps the process alive, never throws. @returns stops it. */
export function startSweeps(bus: Pick<Bus, 'sweep'>, log: Log, times = TIMES, random = Math.random): () => void {
  let timer: NodeJS.Timeout
  const arm = (pauseMs: number): void => {
    timer = setTimeout(run, pauseMs * (1 + random())).unref()
  }
  const run = async (): Promise<void> => {
    try {
      const { sessions, messages, leftovers } = await bus.sweep()
      const facts = { sessions: sessions.length, unread: messages.unread, read: messages.read, leftovers }
      if (messages.unread > 0) log.warn('sweep.unread', facts)
      else if (Object.values(facts).some((n) => n > 0)) log.info('sweep', facts)
    } catch (fault) {
      log.error('sweep', { fault })
    }
    if (!isStopped) arm(times.everyMs)
  }
  let isStopped = false
  arm(times.firstMs)
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}
