/** Waiting for something to become true, instead of for a time to pass. */
import { setTimeout as delay } from 'node:timers/promises'

/** How long the lab waits for anything: so long that a machine many times slower passes, and only what never comes fails. */
export const patienceMs = 180_000

/** Resolves to the first answer that is neither undefined nor false. @throws Error naming `what`, after `limitMs`. */
export async function until<Answer>(
  what: string,
  ask: () => Answer | Promise<Answer>,
  limitMs = patienceMs,
): Promise<Exclude<Awaited<Answer>, undefined | false>> {
  const startedMs = performance.now()
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer as Exclude<Awaited<Answer>, undefined | false>
    const waitedMs = performance.now() - startedMs
    if (waitedMs > limitMs) throw new Error(`waited ${limitMs} ms in vain: ${what}`)
    // Some questions start a process: what takes long is asked less often, so that the asking does not slow it down.
    await delay(Math.min(Math.max(waitedMs / 10, 25), 250))
  }
}
