/** The machine and the program as an install sees them. */

import fs from 'node:fs'
import path from 'node:path'
import { type Config, SETTING_NAMES, SETTINGS, type SettingName } from '../../config.ts'
import { shortHash } from '../../core/hash.ts'
import { quote } from '../../core/ids.ts'
import { nearest } from '../../core/name.ts'
import { WIRINGS } from '../../hosts/table.ts'
import type { Machine, Program, Wiring } from '../../hosts/wiring.ts'
import { onPath } from '../../system/program.ts'
import { kebab, wrongUsage } from '../options.ts'
import { readData } from './look.ts'

export function machineOf({ userHome, env }: Pick<Config, 'userHome' | 'env'>): Machine {
  const isWindows = process.platform === 'win32'
  return { userHome, cwd: currentDirectory(), env, isWindows, join: path.join, exists: fs.existsSync, read: readData }
}

function currentDirectory(): string {
  try {
    return process.cwd()
  } catch {
    return path.parse(process.execPath).root // it was removed under us
  }
}

/** Under which name the record of an install is kept: one per host, or one per place of a host. */
export function recordKey({ kind, place }: Wiring, machine: Machine): string {
  const where = place?.(machine)
  return where === undefined ? kind : `${kind}-${shortHash(where)}`
}

/** The settings with the home that this host’s bus has, where nobody asked for another one. */
export function configFor<C extends Config>(config: C, wiring: Wiring, machine: Machine): C {
  const home = config.sources.home === 'default' ? wiring.home?.(machine) : undefined
  return home === undefined ? config : { ...config, home }
}

/** What belongs to one session, or is written in a place of its own. */
const NOT_FOR_SERVERS: readonly SettingName[] = ['home', 'defaultTtl', 'sessionId', 'name']

/** @param script the running executable; links are followed, since `bin` directories are full of them. */
export function programOf(config: Config, script: string): Program {
  const server = realPath(script)
  const isDefaultHome = config.home === defaultHome(config)
  const given = SETTING_NAMES.filter((name) => config.sources[name] === 'flag' && !NOT_FOR_SERVERS.includes(name))
  return {
    node: process.execPath,
    server,
    hooks: path.join(path.dirname(server), 'hooks'),
    plugins: path.join(path.dirname(server), 'plugins'),
    home: config.home,
    isDefaultHome,
    serverArgs: [
      `--default-ttl=${config.defaultTtl}`,
      ...(isDefaultHome ? [] : [`--home=${config.home}`]),
      ...given.map((name) => flagOf(name, config)),
    ],
  }
}

export function defaultHome({ userHome }: Pick<Config, 'userHome'>): string {
  return path.join(userHome, SETTINGS.home.default.slice('~/'.length))
}

function flagOf(name: SettingName, config: Config): string {
  const value = config[name]
  return `--${kebab(name)}${value === true ? '' : `=${String(value)}`}`
}

function realPath(file: string): string {
  try {
    return fs.realpathSync(file)
  } catch {
    return path.resolve(file) // no file at all, as under a test runner: what is missing is told when it is looked for
  }
}

/** @throws BusError BAD_INPUT naming the nearest host. */
export function wiringOf(host: string): Wiring {
  const found = WIRINGS.find(({ kind }) => kind === host.toLowerCase())
  if (found !== undefined) return found
  const kinds = WIRINGS.map(({ kind }) => kind)
  const near = nearest(host, kinds, 1)[0] ?? kinds.find((kind) => kind.includes(host.toLowerCase()))
  throw wrongUsage(
    `There is no host ${quote(host)} to install for.`,
    near === undefined ? `Hosts: ${kinds.join(', ')}.` : `Did you mean ${near}? session-mcp install lists all hosts.`,
  )
}

/** Its program on PATH, else its directory of settings; undefined where there is neither. */
export function findHost(wiring: Wiring, machine: Machine): string | undefined {
  const settings = wiring.directory(machine)
  return findProgram(wiring.binaries, machine) ?? (machine.exists(settings) ? settings : undefined)
}

/** The first of them on PATH. */
export function findProgram(names: readonly string[], { env, isWindows }: Machine): string | undefined {
  const endings = isWindows ? ['.exe', '.cmd', '.bat', ''] : ['']
  return onPath(
    env,
    names.flatMap((name) => endings.map((ending) => name + ending)),
  )
}
