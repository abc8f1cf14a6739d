/** Waiting for something to become true, instead of for a time to pass. */
import { setTimeout as delay } from 'node:timers/promises'

/** Resolves to the first answer that is neither undefined nor false. @throws Error naming `what`, after `patienceMs`. */
export async function until<Answer>(
  what: string,
  ask: () => Answer | Promise<Answer>,
  patienceMs = 30_000,
): Promise<Exclude<Awaited<Answer>, undefined | false>> {
  const deadline = Date.now() + patienceMs
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer as Exclude<Awaited<Answer>, undefined | false>
    if (Date.now() > deadline) throw new Error(`waited ${patienceMs} ms in vain: ${what}`)
    await delay(25)
  }
}
