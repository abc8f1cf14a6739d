/** A shell in a real terminal of a tmux server of its own, gone at the end; and what the terminal looks like from outside. */

import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { until } from '../e2e/lab/until.ts'

const run = promisify(execFile)

/** Why there can be no pane here; undefined where there can. */
export function noPanes(): string | undefined {
  return spawnSync('tmux', ['-V']).status === 0 ? undefined : 'tmux is not installed'
}

export interface Pane {
  /** Presses keys by their tmux names, one after the other. */
  press(...keys: string[]): Promise<void>
  /** Types text as it is. */
  type(text: string): Promise<void>
  /** A line for the shell, and Enter. */
  command(line: string): Promise<void>
  screen(): Promise<string>
  /** Resolves with the screen once it shows `pattern`. */
  shows(pattern: RegExp): Promise<string>
  /** Resolves with the screen once it no longer shows `pattern`. */
  hides(pattern: RegExp): Promise<string>
  resize(columns: number, rows: number): Promise<void>
  /** Everything of a terminal that a program may leave changed, line modes included. */
  modes(): Promise<string>
  close(): Promise<void>
}

export async function openPane(
  size: { columns: number; rows: number },
  env: Record<string, string> = {},
): Promise<Pane> {
  const root = mkdtempSync(path.join(os.tmpdir(), 'session-mcp-pane-'))
  const { PATH = '' } = process.env
  const given = {
    PATH,
    HOME: root,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    PS1: '$ ',
    HISTFILE: '/dev/null',
    TMUX_TMPDIR: root,
    ...env,
  }
  const tmux = async (...command: string[]) => {
    const { stdout } = await run('tmux', ['-L', 'pane', '-f', '/dev/null', ...command], { env: given })
    return stdout
  }
  const sized = ['-x', String(size.columns), '-y', String(size.rows)]
  // Without line editing, in which the shell sets modes of its own while it waits.
  await tmux('new-session', '-d', '-s', 'pane', ...sized, '--', 'bash', '--norc', '--noprofile', '--noediting', '-i')
  const screen = () => tmux('capture-pane', '-p', '-t', 'pane')
  const seen = (what: string, is: (text: string) => boolean) =>
    until(
      what,
      async () => {
        const text = await screen()
        return is(text) ? text : undefined
      },
      15_000,
    ).catch(async (cause) => {
      throw new Error(`${(cause as Error).message}\n${await screen()}`)
    })
  const pane: Pane = {
    screen,
    async press(...keys) {
      for (const key of keys) await tmux('send-keys', '-t', 'pane', key)
    },
    async type(text) {
      await tmux('send-keys', '-t', 'pane', '-l', '--', text)
    },
    async command(line) {
      await pane.type(line)
      await pane.press('Enter')
    },
    shows: (pattern) => seen(`the screen shows ${pattern}`, (text) => pattern.test(text)),
    hides: (pattern) => seen(`the screen hides ${pattern}`, (text) => !pattern.test(text)),
    async resize(columns, rows) {
      await tmux('resize-window', '-t', 'pane', '-x', String(columns), '-y', String(rows))
    },
    async modes() {
      const flags = [
        'alternate_on',
        'cursor_flag',
        'wrap_flag',
        'insert_flag',
        'keypad_flag',
        'keypad_cursor_flag',
        'mouse_any_flag',
        'origin_flag',
      ]
      const tty = (await tmux('display-message', '-p', '-t', 'pane', '#{pane_tty}')).trim()
      const { stdout } = await run('stty', ['-F', tty, '-a'])
      return (
        (await tmux('display-message', '-p', '-t', 'pane', flags.map((flag) => `${flag}=#{${flag}}`).join(' '))) +
        stdout
      )
    },
    async close() {
      await tmux('kill-server').catch(() => undefined) // it ended with its shell
      rmSync(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  await pane.shows(/^\$/m).catch(async (cause) => {
    await pane.close()
    throw cause
  })
  return pane
}
