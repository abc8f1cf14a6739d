/** From arguments to values. Whatever is not understood is refused before anything is done. */

import { parseArgs } from 'node:util'
import { SETTING_NAMES, SETTINGS, type SettingName } from '../config.ts'
import { quote } from '../core/ids.ts'
import {
  type Args,
  kebab,
  nearestOf,
  type Option,
  type Positional,
  readValue,
  type Value,
  wrongUsage,
} from './options.ts'

export interface Parsed {
  readonly settings: Partial<Readonly<Record<SettingName, string>>>
  readonly values: Readonly<Record<string, Value>>
  readonly isJson: boolean
  readonly wantsHelp: boolean
}

/** Options that every command has beside its own and the settings. */
export const COMMON = {
  json: { kind: 'flag', help: 'print one JSON document instead of text' },
  help: { kind: 'flag', help: 'explain the command and do nothing' },
} as const satisfies Readonly<Record<string, Option>>

interface Known {
  readonly key: string
  readonly option: Option
  readonly group: 'setting' | 'common' | 'own'
}

/** @throws BusError BAD_INPUT, naming the nearest option where one is not known. */
export function parseArguments(command: string, args: Args, argv: readonly string[]): Parsed {
  const known = knownOptions(args)
  const settings: Partial<Record<SettingName, string>> = {}
  const values: Record<string, Value> = {}
  const words: string[] = []
  let isJson = false
  let wantsHelp = false
  for (const token of tokensOf(known, argv)) {
    if (token.kind === 'positional') words.push(token.value)
    if (token.kind !== 'option') continue
    const found = known.get(token.name)
    if (found === undefined) throw unknownOption(command, token.rawName, [...known.keys()])
    const { key, option, group } = found
    const text = valueText(option, token)
    const value = readValue(option, token.rawName, text)
    if (group === 'setting') settings[key as SettingName] = text
    else if (key === 'json') isJson = value === true
    else if (key === 'help') wantsHelp = value === true
    else if (option.kind === 'texts') values[key] = [...((values[key] as readonly string[] | undefined) ?? []), text]
    else values[key] = value
  }
  if (!wantsHelp) Object.assign(values, placeWords(command, args, words))
  for (const [key, arg] of Object.entries(args)) {
    if (arg.kind === 'flag') values[key] ??= false
    if (arg.kind === 'texts') values[key] ??= []
  }
  return { settings, values, isJson, wantsHelp }
}

function knownOptions(args: Args): Map<string, Known> {
  const known = new Map<string, Known>()
  for (const name of SETTING_NAMES) known.set(kebab(name), { key: name, option: SETTINGS[name], group: 'setting' })
  for (const [key, option] of Object.entries(COMMON)) known.set(key, { key, option, group: 'common' })
  // Last: where a command has an option of the same name as a setting (`update --name`), the command's own wins.
  for (const [key, arg] of Object.entries(args)) {
    if (arg.kind !== 'positional') known.set(kebab(key), { key, option: arg, group: 'own' })
  }
  return known
}

function tokensOf(known: ReadonlyMap<string, Known>, argv: readonly string[]) {
  const options: Record<string, { type: 'boolean' | 'string'; short?: string; multiple: true }> = {}
  for (const [name, { option }] of known) {
    options[name] = {
      type: option.kind === 'flag' ? 'boolean' : 'string',
      multiple: true,
      ...(name === 'help' && { short: 'h' }),
    }
  }
  return parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true }).tokens
}

type OptionToken = {
  readonly rawName: string
  readonly value?: string | undefined
  readonly inlineValue?: boolean | undefined
}

function valueText(option: Option, { rawName, value, inlineValue }: OptionToken): string {
  if (value === undefined) {
    if (option.kind === 'flag') return 'true'
    throw wrongUsage(`${rawName} stands without a value.`, `Write ${rawName}=${placeholder(option)}.`)
  }
  // `--file --json` is a forgotten value far more often than a file called --json.
  if (!inlineValue && value.startsWith('-') && value !== '-') {
    throw wrongUsage(
      `${rawName} is followed by ${quote(value)}, which looks like an option.`,
      `If it is the value, write ${rawName}=${value}.`,
    )
  }
  return value
}

function placeholder(option: Option): string {
  if (option.kind === 'flag') return 'true'
  return option.kind === 'choice' ? (option.choices[0] ?? '') : option.value
}

function unknownOption(command: string, rawName: string, known: readonly string[]) {
  const near = nearestOf(rawName.replace(/^-+/, ''), known)
  const dash = rawName.startsWith('--') ? '' : ' Put -- before text that starts with a dash.'
  return wrongUsage(
    `${command} has no option ${quote(rawName)}. Nothing was done.`,
    near === undefined
      ? `See session-mcp help ${command}.${dash}`
      : `Did you mean --${near}? See session-mcp help ${command}.${dash}`,
  )
}

function placeWords(command: string, args: Args, words: readonly string[]): Record<string, Value> {
  const places = Object.entries(args).filter((entry): entry is [string, Positional] => entry[1].kind === 'positional')
  const placed: Record<string, Value> = {}
  let next = 0
  for (const [key, { required, rest }] of places) {
    const taken = rest ? words.slice(next) : words.slice(next, next + 1)
    if (required && taken.length === 0) {
      throw wrongUsage(`${command} needs <${kebab(key)}>.`, `See session-mcp help ${command}.`)
    }
    if (taken.includes('')) throw wrongUsage(`<${kebab(key)}> is empty.`, `See session-mcp help ${command}.`)
    placed[key] = rest ? taken : taken[0]
    next += taken.length
  }
  if (next === words.length) return placed
  throw wrongUsage(
    `${command} does not know what to do with ${quote(words[next] ?? '')}. Nothing was done.`,
    places.length === 0
      ? `${command} takes options only; see session-mcp help ${command}.`
      : 'Put text that holds spaces in quotes.',
  )
}
