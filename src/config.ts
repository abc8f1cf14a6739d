/** Flags and environment become one frozen Config. The only reader of process.env. */

import { homedir } from 'node:os'
import path from 'node:path'
import { kebab, nearestOf, type Option, readValue } from './cli/options.ts'
import { BusError } from './core/errors.ts'
import { quote } from './core/ids.ts'
import { SPAWN_ENV } from './core/spawn.ts'
import { parseTtl } from './core/ttl.ts'
import { LOG_LEVELS, type LogLevel } from './system/log.ts'

/** Every setting: `--<name>` and SESSION_MCP_<NAME>. Help, `doctor` and the README read this table. */
export const SETTINGS = {
  home: { kind: 'text', value: 'DIR', default: '~/.session-mcp', help: 'the directory that holds the bus' },
  defaultTtl: {
    kind: 'text',
    value: 'TIME',
    default: '4h',
    help: 'how long a session stays listed once it is closed or gone: 300s, 30m, 4h, 7d, plain seconds',
  },
  messageTtl: { kind: 'text', value: 'TIME', default: '7d', help: 'how long a message is kept' },
  toolsets: {
    kind: 'text',
    value: 'LIST',
    default: 'coordination,tabs',
    help: 'the tools a model sees, comma separated',
  },
  sessionId: { kind: 'text', value: 'ID', help: 'the session this server, or this shell, belongs to' },
  name: { kind: 'text', value: 'NAME', help: 'the name the session takes when it registers' },
  durability: {
    kind: 'choice',
    choices: ['power', 'process'],
    default: 'power',
    help: 'what a stored message survives: loss of power, or only the end of any process',
  },
  inboxLimit: {
    kind: 'count',
    value: 'N',
    min: 1,
    max: 1_000_000,
    default: '10000',
    help: 'unread messages one inbox holds before senders are refused',
  },
  logLevel: {
    kind: 'choice',
    choices: LOG_LEVELS,
    default: 'warn',
    help: 'what is written to log/bus.log in the home',
  },
  allowForeignHome: { kind: 'flag', help: 'use a home that other users could change' },
} as const satisfies Readonly<Record<string, Option>>

const PREFIX = 'SESSION_MCP_'

export type SettingName = keyof typeof SETTINGS
export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[]

export type Source = 'flag' | 'environment' | 'default'
export type Environment = Readonly<Record<string, string | undefined>>

export interface Config {
  readonly home: string
  readonly defaultTtl: string
  readonly messageTtl: string
  readonly toolsets: readonly string[]
  readonly sessionId?: string
  readonly name?: string
  readonly durability: 'power' | 'process'
  readonly inboxLimit: number
  readonly logLevel: LogLevel
  readonly allowForeignHome: boolean
  readonly sources: Readonly<Record<SettingName, Source>>
  /** What the environment holds that nobody here understands. Never fatal: a host may set more. */
  readonly warnings: readonly string[]
  /** The person's home directory: `~` in every path shown. */
  readonly userHome: string
  /** False where NO_COLOR is set or the terminal is dumb. */
  readonly color: boolean
  /** For telling which host started us and where its terminal is; nothing else may look for settings in it. */
  readonly env: Environment
}

export interface World {
  readonly env: Environment
  readonly userHome: string
  readonly cwd: string
}

/** The process as it is. */
export function thisWorld(): World {
  return { env: process.env, userHome: homedir(), cwd: currentDirectory() }
}

function currentDirectory(): string {
  try {
    return process.cwd()
  } catch {
    return path.parse(homedir()).root // the directory was removed under us: only a relative --home would miss it
  }
}

export function variableOf(setting: SettingName): string {
  return `${PREFIX}${kebab(setting).replaceAll('-', '_').toUpperCase()}`
}

/**
 * Flag over environment over default. An empty variable counts as not set.
 * @throws BusError BAD_INPUT, BAD_TTL or BAD_PATH naming the flag or variable that is wrong.
 */
export function readConfig(flags: Partial<Readonly<Record<SettingName, string>>>, world: World): Config {
  const { env, userHome } = world
  const sources = {} as Record<SettingName, Source>
  const read = (setting: SettingName): { readonly name: string; readonly text: string } | undefined => {
    const option: Option = SETTINGS[setting]
    const variable = variableOf(setting)
    const flag = flags[setting]
    sources[setting] = flag !== undefined ? 'flag' : env[variable] ? 'environment' : 'default'
    if (flag !== undefined) return { name: `--${kebab(setting)}`, text: flag }
    const text = env[variable] || ('default' in option ? option.default : undefined)
    return text === undefined ? undefined : { name: variable, text }
  }
  const value = (setting: SettingName): string | number | boolean | undefined => {
    const given = read(setting)
    return given && readValue(SETTINGS[setting], given.name, given.text)
  }
  const ttl = (setting: 'defaultTtl' | 'messageTtl'): string => {
    const { name, text } = read(setting) ?? { name: setting, text: SETTINGS[setting].default }
    parseTtl(text, name)
    return text
  }
  const home = read('home') ?? { name: '--home', text: SETTINGS.home.default }
  const sessionId = value('sessionId')
  const name = value('name')
  return Object.freeze({
    home: homePath(home.name, home.text, world),
    defaultTtl: ttl('defaultTtl'),
    messageTtl: ttl('messageTtl'),
    toolsets: toolsetNames(String(value('toolsets'))),
    ...(sessionId !== undefined && { sessionId: String(sessionId) }),
    ...(name !== undefined && { name: String(name) }),
    durability: value('durability') as Config['durability'],
    inboxLimit: Number(value('inboxLimit')),
    logLevel: value('logLevel') as LogLevel,
    allowForeignHome: value('allowForeignHome') === true,
    sources: Object.freeze(sources),
    warnings: Object.freeze(strangers(env)),
    userHome,
    color: !env['NO_COLOR'] && env['TERM'] !== 'dumb',
    env,
  })
}

/** Absolute, `~` expanded. A variable that nobody expanded would become a directory called `$HOME`: refused. */
function homePath(name: string, text: string, { userHome, cwd }: World): string {
  const refuse = (why: string) =>
    new BusError(
      'BAD_PATH',
      `${name} is ${quote(text)}, ${why}.`,
      'Give an absolute path such as /home/me/.session-mcp, or ~/.session-mcp.',
    )
  const tilde = /^~(?=$|[\\/])/.test(text)
  if (/[\u0000-\u001f\u007f]/.test(text) || text.trim() === '') throw refuse('which is not a path')
  if (/^\$|^%\w+%/.test(text)) throw refuse('a variable that was not expanded')
  if (text.startsWith('~') && !tilde) throw refuse('and only one’s own ~ is expanded')
  if (tilde && !path.isAbsolute(userHome)) throw refuse('but the system does not say where ~ is')
  const home = path.resolve(cwd, tilde ? path.join(userHome, text.slice(1)) : text)
  if (home === path.parse(home).root) throw refuse('the root of the file system')
  return home
}

function toolsetNames(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim())
  const wrong = names.find((name) => !/^[a-z][a-z0-9_-]*$/.test(name))
  if (wrong === undefined) return Object.freeze([...new Set(names)])
  throw new BusError(
    'BAD_INPUT',
    `${quote(wrong)} in the toolsets ${quote(text)} is not a name.`,
    'Write for example coordination, or coordination,tabs.',
  )
}

function strangers(env: Environment): string[] {
  const known = SETTING_NAMES.map(variableOf)
  const strange = (variable: string) => !known.includes(variable) && variable !== SPAWN_ENV
  return Object.keys(env)
    .filter((variable) => variable.toUpperCase().startsWith(PREFIX) && strange(variable))
    .sort()
    .map((variable) => {
      const near = nearestOf(
        variable.slice(PREFIX.length),
        known.map((name) => name.slice(PREFIX.length)),
      )
      return `The variable ${quote(variable)} means nothing to session-mcp${near ? `; did you mean ${PREFIX}${near}?` : '.'}`
    })
}
