/**
 * Sessions that start to wait for each other at the same moment, round after round. Holds when at least one of each round
 * is refused because it would close a cycle, and whoever is not refused still learns what it waits for.
 */

import { dice } from '../lab/random.ts'
import { type Remote, RemoteError, startRemote } from '../lab/remote.ts'
import { LONG_WAIT, LONG_WAIT_MS } from '../lab/waits.ts'

export interface WaitsOptions {
  readonly home: string
  readonly rounds: number
  /** Fewer rounds, down to twenty, where they take longer than this altogether, ms. */
  readonly enoughMs?: number
  readonly seed: number
  /** How many sessions make the circle: 2 wait for each other, 3 each for the next. */
  readonly circle: number
  readonly say?: (line: string) => void
}

export interface WaitsResult {
  readonly violations: readonly string[]
  /** Rounds in which one was refused, and in which several were. */
  readonly refusedOne: number
  readonly refusedMore: number
}

/** A refusal comes before a wait begins to block, and whoever waits is told at once: all of it long before a wait is over. */
const DETECT_MS = 0.8 * LONG_WAIT_MS

export async function runWaits(options: WaitsOptions): Promise<WaitsResult> {
  const { home, rounds, seed, circle, enoughMs = Number.POSITIVE_INFINITY, say = () => undefined } = options
  const random = dice(seed)
  const sessions: Waiter[] = []
  for (let n = 0; n < circle; n++) {
    const remote = await startRemote('library', { args: [home, JSON.stringify({ durability: 'process' })] })
    sessions.push({ remote, id: await remote.ask<string>('join', { name: `waiter-${circle}-${n}` }) })
  }
  const violations: string[] = []
  let refusedOne = 0
  let refusedMore = 0
  const startedMs = performance.now()
  for (let round = 0; round < rounds; round++) {
    if (round >= 20 && performance.now() - startedMs > enoughMs) break
    const refused = await oneRound(sessions, () => random.between(0, 600) / 1_000)
    if (typeof refused === 'string') violations.push(`round ${round}: ${refused}`)
    else if (refused === 1) refusedOne += 1
    else refusedMore += 1
    if (violations.length >= 3) break
    if (round % 250 === 249) say(`${round + 1} of ${rounds} rounds of ${circle}`)
  }
  for (const { remote } of sessions) {
    remote.kill()
    await remote.ended
  }
  return { violations, refusedOne, refusedMore }
}

interface Waiter {
  readonly remote: Remote
  readonly id: string
}

/** @returns how many were refused, or what went wrong. */
async function oneRound(sessions: readonly Waiter[], jitterMs: () => number): Promise<number | string> {
  const at = Date.now() + 4
  const refused = new Set<Waiter>()
  const waits = sessions.map((session, n) => {
    const next = sessions[(n + 1) % sessions.length] ?? session
    const wait = { sessions: [next.id], until: ['paused'], timeout: LONG_WAIT, at: at + jitterMs(), key: 'round' }
    return session.remote.ask<{ reason: string }>('wait', wait).catch((fault) => {
      if (!(fault instanceof RemoteError) || fault.code !== 'WAIT_CYCLE') throw fault
      refused.add(session)
      return { reason: 'refused' }
    })
  })
  // Whose wait is over goes on with its work, and that frees the one behind it, and so on around the circle.
  const turns = waits.map(async (wait, n) => {
    const answer = await wait
    await sessions[n]?.remote.ask('update', { status: 'paused' })
    return answer
  })
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, DETECT_MS, undefined)
  })
  const answers = await Promise.race([Promise.all(turns), late])
  clearTimeout(timer)
  for (const { remote } of answers === undefined ? sessions : []) await remote.ask('abort', 'round')
  await Promise.allSettled(turns)
  for (const { remote } of sessions) await remote.ask('update', { status: 'active' })
  if (answers === undefined)
    return refused.size === 0 ? 'a deadlock was not noticed' : 'a wait did not end with its cause'
  const wrong = answers.filter(({ reason }) => reason !== 'refused' && reason !== 'reached')
  return wrong.length > 0 ? `a wait ended with ${wrong.map(({ reason }) => reason).join(', ')}` : refused.size
}
