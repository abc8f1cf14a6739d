/** A hook that costs a turn nothing, whatever goes wrong in it: OpenCode waits for hooks, and stops the turn at what they throw. */

export type Hook = (input: unknown, output: unknown) => Promise<void>

/** Nothing of ours may take longer out of a turn, ms. */
const LIMIT_MS = 1_200

/** Resolves in `limitMs`; a fault is one call of `report`, and so is what takes longer, which goes on by itself. */
export function failingOpen(
  name: string,
  hook: Hook,
  report: (event: string, fault: unknown) => void,
  limitMs = LIMIT_MS,
): Hook {
  return async (input, output) => {
    let timer: NodeJS.Timeout | undefined
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        report(name, new Error(`no answer within ${limitMs} ms`))
        resolve()
      }, limitMs)
    })
    try {
      await Promise.race([hook(input, output).catch((cause) => report(name, cause)), limit])
    } catch (cause) {
      report(name, cause)
    } finally {
      clearTimeout(timer)
    }
  }
}
