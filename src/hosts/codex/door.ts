/**
 * The door of Codex: `codex queue` leaves a prompt for a conversation, and whoever runs the conversation takes it as soon as
 * it is idle: the background server at once, a terminal without one within seconds. A `codex exec` that ended never does.
 */

import type { DoorAnswer, DoorCall } from '../../core/ports-hosts.ts'
import { onPath } from '../../system/program.ts'
import type { Environment } from '../host.ts'
import { folderOf } from './folder.ts'

/** It ends within a tenth of a second on an idle machine, ms. */
const LIMIT_MS = 5_000
const SAID = 200

/** @param env of this process; the host’s own is told by where it keeps its conversations. */
export async function openQueue({ session, activity, binding, text }: DoorCall, env: Environment): Promise<DoorAnswer> {
  if (activity?.cancelledAt !== undefined) {
    const evidence = 'the person ended its last turn, and until the next prompt Codex takes nothing from its queue'
    return { isOpen: false, evidence }
  }
  const home = folderOf(binding?.transcript) ?? (env['CODEX_HOME'] || undefined)
  const program =
    programOf(session.host.client?.pid) ?? onPath(env, [process.platform === 'win32' ? 'codex.exe' : 'codex'])
  if (program === undefined) {
    return { isOpen: false, evidence: 'codex, which would have to queue the turn, is not on the PATH' }
  }
  const thread = session.host.hostSessionId ?? session.host.hostKey
  return run(program, ['queue', '--thread', thread, '--message', text], environmentOf(env, home), home)
}

/** The very program that runs the conversation, where the system tells: another release may keep its queue elsewhere. */
function programOf(pid: number | undefined): string | undefined {
  if (pid === undefined || process.platform !== 'linux') return undefined
  try {
    const file = process.getBuiltinModule('node:fs').readlinkSync(`/proc/${pid}/exe`)
    return file.endsWith('/codex') ? file : undefined
  } catch {
    return undefined // gone, or not ours to look at
  }
}

/** Without the identity of a conversation that this process may itself be part of. */
function environmentOf(env: Environment, home: string | undefined): Record<string, string> {
  const kept = Object.entries(env).flatMap(([name, value]): [string, string][] =>
    value === undefined || name.startsWith('CODEX_') ? [] : [[name, value]],
  )
  return { ...Object.fromEntries(kept), ...(home !== undefined && { CODEX_HOME: home }) }
}

function run(
  program: string,
  args: readonly string[],
  env: Record<string, string>,
  cwd: string | undefined,
): Promise<DoorAnswer> {
  // Loaded here: a hook that opens no door must not pay for it.
  const { spawn } = process.getBuiltinModule('node:child_process')
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      env,
      // Not in a project, whose settings Codex would read.
      cwd: cwd ?? process.getBuiltinModule('node:os').homedir(),
      stdio: ['ignore', 'pipe', 'pipe'],
      // A hook may end before it does.
      detached: true,
      windowsHide: true,
    })
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      resolve({ isOpen: false, evidence: `codex queue did not end within ${LIMIT_MS / 1000} s` })
    }, LIMIT_MS)
    let said = ''
    const hear = (chunk: string) => {
      said = `${said}${chunk}`.slice(-4_000)
    }
    child.stdout.setEncoding('utf8').on('data', hear)
    child.stderr.setEncoding('utf8').on('data', hear)
    child.on('error', ({ message }) => {
      clearTimeout(timer)
      resolve({ isOpen: false, evidence: `codex queue cannot be started (${message})` })
    })
    child.on('close', (code) => {
      clearTimeout(timer)
      const id = /Queued message ([\w-]+)/.exec(said)?.[1]
      if (code === 0) resolve({ isOpen: true, evidence: `codex queue took it${id === undefined ? '' : ` as ${id}`}` })
      else resolve({ isOpen: false, evidence: `codex queue ended with ${code}: ${lastLine(said)}` })
    })
  })
}

function lastLine(text: string): string {
  return (text.trim().split('\n').at(-1) ?? '').replace(/[^\P{C}]/gu, '').slice(0, SAID)
}
