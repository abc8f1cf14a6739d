/** Running tmux: an argument array, a bounded time, and the socket of one server. */

import { spawn } from 'node:child_process'
import type { Environment } from '../host.ts'

/** `isOpen`: the time was over, and whether it was done nobody can say. */
export type Said =
  | { readonly ok: true; readonly out: string }
  | { readonly ok: false; readonly why: string; readonly isOpen: boolean }

export interface RunOptions {
  /** Where a new window starts: as a path, while `-c` of tmux would be a format that can run commands. */
  readonly cwd?: string
  readonly input?: string
}

export type Argument = string | typeof THEN
export type Tmux = (args: readonly Argument[], options?: RunOptions) => Promise<Said>

const LIMIT_MS = 5_000
const MOST_BYTES = 1024 * 1024

/** tmux on the server behind `socket`; it is never started by us. */
export function tmuxAt(program: string, socket: string, env: Environment): Tmux {
  return (args, options = {}) =>
    new Promise((resolve) => {
      // UTF-8 in and out, whatever the locale. Without TMUX: the socket alone says which server is meant.
      const child = spawn(program, ['-u', '-S', socket, ...args.map(argument)], {
        cwd: options.cwd ?? '/',
        env: { PATH: env['PATH'], HOME: env['HOME'], LC_ALL: 'C.UTF-8' },
        stdio: 'pipe',
        timeout: LIMIT_MS,
        killSignal: 'SIGKILL',
      })
      let out = ''
      let told = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        if (out.length < MOST_BYTES) out += text
      })
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        if (told.length < MOST_BYTES) told += text
      })
      child.on('error', (fault) =>
        resolve({ ok: false, why: `tmux could not be run: ${fault.message}`, isOpen: false }),
      )
      child.on('close', (code, signal) => {
        if (code === 0) resolve({ ok: true, out })
        else if (signal !== null) resolve({ ok: false, why: `tmux did not answer within ${LIMIT_MS} ms`, isOpen: true })
        else
          resolve({ ok: false, why: `tmux says: ${told.trim().split('\n')[0] || `exit code ${code}`}`, isOpen: false })
      })
      child.stdin.on('error', () => undefined) // it ended before it read: its exit code tells
      child.stdin.end(options.input ?? '')
    })
}

/** Between two commands of one run: nothing comes in between them. The only argument that may be a separator. */
export const THEN = Symbol('then')

/**
 * tmux takes a semicolon at the end of an argument for the end of a command, and runs what follows as the next one
 * (cmd-parse.y, cmd_parse_from_arguments, 3.3a). A backslash before it makes it plain text, and is taken off again.
 */
export function argument(text: Argument): string {
  if (text === THEN) return ';'
  return text.endsWith(';') ? `${text.slice(0, -1)}\\;` : text
}
