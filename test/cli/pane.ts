/** A shell in a real terminal of a tmux server of its own, gone at the end; and what the terminal looks like from outside. */

import { execFile, spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { promisify } from 'node:util'
import { until } from '../e2e/lab/until.ts'
import { makeSocketFolder } from '../processes/lab/socket-folder.ts'
import { PATIENCE_MS } from './shell.ts'

const run = promisify(execFile)

/** Why there can be no pane here; undefined where there can. */
export function noPanes(): string | undefined {
  const missing = ['tmux -V', 'bash --version', 'stty --version'].find((line) => {
    const [program = '', ...args] = line.split(' ')
    return spawnSync(program, args).error !== undefined
  })
  return missing === undefined ? undefined : `${missing.split(' ')[0]} is not installed`
}

export interface Pane {
  /** Presses keys by their tmux names, one after the other. */
  press(...keys: string[]): Promise<void>
  /** Types text as it is. */
  type(text: string): Promise<void>
  /** A line for the shell, and Enter. Short: it is on the screen, and what is longer than a row breaks there. */
  command(line: string): Promise<void>
  screen(): Promise<string>
  /** Resolves with the screen once it shows `pattern`. */
  shows(pattern: RegExp): Promise<string>
  /** Resolves with the screen once it no longer shows `pattern`. */
  hides(pattern: RegExp): Promise<string>
  resize(columns: number, rows: number): Promise<void>
  /** Everything of a terminal that a program may leave changed, line modes included. */
  modes(): Promise<string>
  /** Resolves once the modes are these. */
  hasModes(modes: string): Promise<void>
  close(): Promise<void>
}

export async function openPane(
  size: { columns: number; rows: number },
  env: Record<string, string> = {},
): Promise<Pane> {
  const root = makeSocketFolder()
  const { PATH = '' } = process.env
  const given = {
    PATH,
    HOME: root,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    PS1: '$ ',
    HISTFILE: '/dev/null',
    ...env,
  }
  const tmux = async (...command: string[]) => {
    const { stdout } = await run('tmux', ['-u', '-S', `${root}/s`, '-f', '/dev/null', ...command], { env: given })
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
      PATIENCE_MS,
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
    async hasModes(modes) {
      let found = ''
      const isSo = async () => {
        found = await pane.modes()
        return found === modes
      }
      await until('the modes of the terminal are as wanted', isSo, PATIENCE_MS).catch((cause) => {
        throw new Error(`${(cause as Error).message}\nwanted ${modes}\nfound ${found}`)
      })
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
