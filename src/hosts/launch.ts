/** Starting a session of a host: which program, with which variables taken away, and how a person would type it. */

import fs from 'node:fs'
import type { ActionParams } from '../core/action.ts'
import { onPath } from '../system/program.ts'
import { commandLine } from './command-line.ts'
import type { Environment, Host, Launch, Wanted } from './host.ts'
import { HOSTS } from './table.ts'

export interface Launchable extends Host {
  readonly launch: Launch
}

/** The host of that name, where a session of it can be started in a terminal. */
export function launchable(kind: string | undefined): Launchable | undefined {
  return HOSTS.find((host): host is Launchable => host.kind === kind && host.launch !== undefined)
}

/** Of our own: they name the session, and the opening, of whoever asks. */
const OURS = ['SESSION_MCP_SESSION_ID', 'SESSION_MCP_NAME', 'SESSION_MCP_SPAWN']

/** What no new session may inherit, of whatever host it is: one that finds another's variables takes itself for that one. */
export function identityVariables(): readonly string[] {
  return [...new Set([...OURS, ...HOSTS.flatMap(({ identityEnv }) => identityEnv ?? [])])].sort()
}

/** What tells the new session who started it. */
export function lineage({ launch }: Launchable, env: Environment): Readonly<Record<string, string>> {
  return Object.fromEntries((launch.lineageEnv ?? []).flatMap((name) => (env[name] ? [[name, env[name]]] : [])))
}

/** The absolute path of a program that can be started without a shell. */
export function programIn(env: Environment, program: string): string | undefined {
  return onPath(env, [process.platform === 'win32' ? `${program}.exe` : program])
}

/** Why a folder cannot be worked in; undefined where it can. */
export function notAFolder(folder: string): string | undefined {
  try {
    return fs.statSync(folder).isDirectory() ? undefined : `${folder} is not a folder`
  } catch {
    return `there is no folder ${folder}`
  }
}

export function wantedOf({ name, model, prompt }: ActionParams): Wanted {
  return {
    ...(name !== undefined && { name }),
    ...(model !== undefined && { model }),
    prompt: prompt ?? '',
  }
}

/** The same start as a person would type it into a shell. */
export function typedByHand({ launch }: Launchable, params: ActionParams): string {
  const words = [launch.program, ...launch.args(wantedOf(params))]
  return `In a terminal: cd ${commandLine([params.projectPath ?? '.'], false)} && ${commandLine(words, false)}`
}
