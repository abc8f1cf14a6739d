/**
 * The script in front of hooks, `gate.sh`, as hosts are told to start it. Hosts take the exit code 2 for a verdict: the prompt
 * is refused, the result of a tool is replaced, the turn may not end. And 2 is what `sh` ends with where a script is not there
 * (dash; seen with Codex 0.171, November 2026). So it is looked for first: what was removed, or is being updated, says nothing.
 */

import { endsWith, GATE, homeIn } from './entries.ts'
import type { Launch } from './wiring.ts'

const IF_THERE = '[ -r "$0" ] && command . "$0"; exit 0'

/** Where the gate stands in front of a prompt, and where the hook has to look whatever the gate sees. */
export const AT_PROMPT = 'prompt'
export const ALWAYS = 'always'
/** The host gives its hooks no id. */
export const ANY = '--any'
const FLAGS: readonly string[] = [ANY, AT_PROMPT, ALWAYS]

/** The words that start it; what it is given follows: flags, the home or nothing, and the hook with its arguments. */
export function startOfGate(gate: string): readonly [string, ...string[]] {
  return ['sh', '-c', IF_THERE, gate]
}

/** What a command starts, also one of an earlier install, which named the gate right after `sh`. */
export function launchOfHook([command = '', ...words]: readonly string[]): Launch | undefined {
  const [first = '', ...rest] = words[0] === '-c' ? words.slice(2) : words
  if (command === '' || first === '') return undefined
  const home = homeIn(words)
  if (!endsWith(first, GATE)) return { command, node: command, scripts: [first], home }
  const [gateHome, node = '', script = ''] = rest.slice(rest.findIndex((word) => !FLAGS.includes(word)))
  return { command, node, scripts: [first, script], home: home ?? (gateHome || undefined) }
}
