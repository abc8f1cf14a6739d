/** The shell in front of a hook, as a host is told to start it. */

import { endsWith, GATE } from './entries.ts'

/** The gate's first argument where the hook has to look whatever the gate sees. */
export const ALWAYS = 'always'

/**
 * What `sh` runs. It may be that the gate is gone: its checkout moved, or is being built. A shell that cannot open its script
 * ends with 2, and hosts take that for a refusal: of every prompt, every tool, and every end of a turn.
 */
const IF_THERE = '[ -r "$0" ] && command . "$0"; exit 0'

/** The words after `sh`. */
export function gated(gate: string, ...words: readonly string[]): readonly string[] {
  return ['-c', IF_THERE, gate, ...words]
}

/** The words behind the gate, with the gate: of what {@link gated} made, and of what older versions did, which named the gate at once. */
export function behindGate(
  words: readonly string[],
): { readonly gate: string; readonly words: readonly string[] } | undefined {
  const [gate = '', ...rest] = words[0] === '-c' ? words.slice(2) : words
  return endsWith(gate, GATE) ? { gate, words: rest } : undefined
}
