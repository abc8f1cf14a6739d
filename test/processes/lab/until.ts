/** Waiting for a condition instead of for time. */

/**
 * Looks every few milliseconds until `look` gives something. @throws Error naming `what` when the time is up, which is a net
 * for what never comes, and no bound on a slow machine.
 */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  timeoutMs = 60_000,
): Promise<T> {
  const startedMs = performance.now()
  for (;;) {
    const seen = await look()
    if (seen !== undefined && seen !== false) return seen
    if (performance.now() - startedMs > timeoutMs) throw new Error(`not within ${timeoutMs} ms: ${what}`)
    await pause(5)
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
