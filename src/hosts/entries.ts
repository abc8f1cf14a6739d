/** Reading the entries of a host's configuration: what they start, and whether it is ours wherever it was installed. */

import type { JsonPath, Launch, Probe } from './wiring.ts'

/** Published, the package's directory is called session-mcp; a checkout is called anything, but its files end alike. */
export function isInOurPackage(path: string, ...tail: string[]): boolean {
  return endsWith(path, ...tail) || (endsWith(path, ...tail.slice(-1)) && parts(path).includes('session-mcp'))
}

export function endsWith(path: string, ...tail: string[]): boolean {
  const found = parts(path).slice(-tail.length)
  return found.length === tail.length && found.every((part, i) => part === tail[i])
}

/** The shell in front of hooks, in the folder of their scripts. */
export const GATE = 'gate.sh'

/**
 * For the script of a hook, the last of what its entry starts: the `current` one, or that of an older checkout or another
 * Node, which have other paths. Behind our gate in the same folder it is ours wherever the two lie.
 */
export function isOurHookScript(scripts: readonly string[], current: string, name: string): boolean {
  const script = scripts.at(-1)
  if (script === undefined) return false // it starts no script at all
  if (script === current) return true
  if (!endsWith(script, 'hooks', name)) return false
  return scripts[0] === script.slice(0, -name.length) + GATE || isInOurPackage(script, 'dist', 'hooks', name)
}

/** An end of a session that nobody has heard of: hosts say it in the same words, and it does nothing. */
export function probeOfHook({ node, scripts }: Launch, home: string, name: string): Probe | undefined {
  const script = scripts.at(-1) ?? ''
  if (!endsWith(script, name)) return undefined
  const moment = { transcript_path: '', cwd: home, hook_event_name: 'SessionEnd', reason: 'other' }
  return {
    node,
    args: [script, '--home', home],
    input: JSON.stringify({ session_id: 'session-mcp-doctor', ...moment }),
  }
}

/** Which handlers of a group of hooks are ours: `[[]]` where all of it is, nothing in a foreign one. */
export function oursIn(group: unknown, isOurs: (hook: unknown) => boolean): readonly JsonPath[] {
  const { hooks } = record(group)
  if (!Array.isArray(hooks)) return []
  const found = hooks.flatMap((hook: unknown, i) => (isOurs(hook) ? [i] : []))
  return found.length === hooks.length && found.length > 0 ? [[]] : found.map((i) => ['hooks', i])
}

/** The bus a command line names. */
export function homeIn(args: readonly string[]): string | undefined {
  const at = args.indexOf('--home')
  return at === -1 ? args.find((arg) => arg.startsWith('--home='))?.slice('--home='.length) : args[at + 1]
}

export function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
}

/** An object without what it inherits; empty for anything else. */
export function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

function parts(path: string): string[] {
  return path.split(/[\\/]/)
}
