/** Which command an argument list means. Options may stand on either side of the command word. */

import { SETTING_NAMES, SETTINGS } from '../config.ts'
import { quote } from '../core/ids.ts'
import { COMMAND_NAMES } from './commands.ts'
import { kebab, nearestOf, wrongUsage } from './options.ts'

export type Route =
  | { readonly kind: 'command'; readonly name: string; readonly argv: readonly string[] }
  | { readonly kind: 'help'; readonly topic: string | undefined; readonly argv: readonly string[] }
  | { readonly kind: 'version' }
  /** No command word: what that means depends on who is at the other end of stdin. */
  | { readonly kind: 'bare'; readonly argv: readonly string[] }

/** Settings that take a value: the word after one is never the command. */
const TAKES_VALUE = new Set(
  SETTING_NAMES.filter((name) => SETTINGS[name].kind !== 'flag').map((name) => `--${kebab(name)}`),
)

/** @throws BusError BAD_INPUT for a command that does not exist, naming the nearest. */
export function route(argv: readonly string[]): Route {
  const end = argv.indexOf('--')
  const options = end === -1 ? argv : argv.slice(0, end)
  const at = wordIndex(options)
  const word = at === undefined ? undefined : argv[at]
  if (at === undefined || word === undefined) {
    if (options.includes('--version') || options.includes('-v')) return { kind: 'version' }
    if (options.includes('--help') || options.includes('-h')) return { kind: 'help', topic: undefined, argv }
    return { kind: 'bare', argv }
  }
  const rest = [...argv.slice(0, at), ...argv.slice(at + 1)]
  if (word === 'help') {
    const topicAt = wordIndex(rest)
    return {
      kind: 'help',
      topic: topicAt === undefined ? undefined : rest[topicAt],
      argv: rest.filter((_, i) => i !== topicAt),
    }
  }
  if (COMMAND_NAMES.includes(word)) return { kind: 'command', name: word, argv: rest }
  throw unknownCommand(word)
}

export function unknownCommand(word: string) {
  const near = nearestOf(word, COMMAND_NAMES)
  return wrongUsage(
    `There is no command ${quote(word)}.`,
    near === undefined
      ? `Commands: ${COMMAND_NAMES.join(', ')}.`
      : `Did you mean session-mcp ${near}? session-mcp help lists all commands.`,
  )
}

/** The first command word; else the first word at all, unless it may be the value of an option nobody knows yet. */
function wordIndex(argv: readonly string[]): number | undefined {
  let firstWord: number | undefined
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i] ?? ''
    if (arg.startsWith('-') && arg !== '-') {
      if (TAKES_VALUE.has(arg)) i++
      continue
    }
    if (arg === 'help' || COMMAND_NAMES.includes(arg)) return i
    const previous = argv[i - 1] ?? ''
    const maybeValue = previous.startsWith('--') && !previous.includes('=')
    if (!maybeValue) firstWord ??= i
  }
  return firstWord
}
