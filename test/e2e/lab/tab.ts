/** A session of a host in a terminal: a tmux server of its own, with a fixed size, gone at the end. */
import { execFile, spawnSync } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type Host, prepare, type Task } from './host.ts'
import { until } from './until.ts'

const run = promisify(execFile)
const SIZE = { columns: 160, rows: 50 }
/** What is not on the screen so long after it was typed is typed anew. */
const LOST_MS = 45_000
const MOST_TRIES = 4
/** One burst of text and Enter is taken as a paste: so long after the text was shown, an Enter is no part of it. */
const SETTLE_MS = 200

export interface Tab {
  /** Types a line and submits it. */
  say(text: string): Promise<void>
  press(...keys: string[]): Promise<void>
  /** In another pane of the same tmux. */
  pressIn(pane: string, ...keys: string[]): Promise<void>
  /** What is on the screen now. */
  screen(): Promise<string>
  /** The same with the styles of the letters. */
  styled(): Promise<string>
  /** Resolves when the screen, or that of another pane, shows `pattern`. */
  shows(pattern: RegExp, pane?: string): Promise<string>
  /** For a program that runs beside it: TMUX and TMUX_PANE. */
  beside(): Promise<Record<string, string>>
  /** The process in the terminal. */
  pid(): Promise<number>
  /** Leaves as a person would, or is killed. */
  end(): Promise<void>
}

/** Why there can be no tab here; undefined where there can. */
export function noTabs(): string | undefined {
  const { status } = spawnSync('tmux', ['-V'])
  return status === 0 ? undefined : 'tmux is not installed'
}

export async function openTab(host: Host, task: Task): Promise<Tab> {
  const { args, env } = await prepare(host, task)
  const name = task.apiKey
  // Of its own for each tab: the environment of a tmux server reaches everything that starts in it.
  const tmuxEnv = {
    PATH: env['PATH'],
    HOME: env['HOME'],
    TERM: 'xterm-256color',
    TMUX_TMPDIR: task.root,
    LANG: 'C.UTF-8',
  }
  const tmux = async (...command: string[]) => {
    const { stdout } = await run('tmux', ['-u', '-L', `lab-${name}`, '-f', '/dev/null', ...command], { env: tmuxEnv })
    return stdout
  }
  const settings = Object.entries(env).flatMap(([key, value]) => ['-e', `${key}=${value}`])
  const size = ['-x', String(SIZE.columns), '-y', String(SIZE.rows)]
  await tmux('new-session', '-d', '-s', name, ...size, '-c', task.project, ...settings, '--', task.executable, ...args)
  const screen = (pane = name) => tmux('capture-pane', '-p', '-t', pane).catch(() => '')
  const pressIn = async (pane: string, ...keys: string[]) => void (await tmux('send-keys', '-t', pane, ...keys))
  const press = (...keys: string[]) => pressIn(name, ...keys)
  const shows = (pattern: RegExp, pane = name) =>
    until(`the screen shows ${pattern}`, async () => {
      const text = await screen(pane)
      return pattern.test(text) ? text : undefined
    }).catch(async (cause) => {
      throw new Error(`${(cause as Error).message}\n${await screen(pane)}`)
    })
  /** True once the text is on the screen once more than before: the same may have been said already. */
  const types = async (text: string): Promise<boolean> => {
    const count = async () => (await screen()).split(text.slice(-20)).length
    const before = await count()
    await press('-l', '--', text)
    return until(`${text} is typed`, async () => (await count()) > before, LOST_MS).catch(() => false)
  }
  let ended: Promise<void> | undefined

  return {
    screen: () => screen(),
    styled: () => tmux('capture-pane', '-e', '-p', '-t', name),
    press,
    pressIn,
    shows,
    async say(text) {
      for (let tries = 1; !(await types(text)); tries += 1) {
        if (tries === MOST_TRIES) throw new Error(`typed ${tries} times and never shown: ${text}\n${await screen()}`)
        // A program that has just begun to read throws away what was typed before; a slow one gets all of it in order.
        await press('C-u')
        await delay(SETTLE_MS)
      }
      await delay(SETTLE_MS)
      await press('Enter')
    },
    async beside() {
      const [socket = '', pane = ''] = (await tmux('display-message', '-p', '-t', name, '#{socket_path} #{pane_id}'))
        .trim()
        .split(' ')
      return { TMUX: `${socket},1,0`, TMUX_PANE: pane }
    },
    async pid() {
      return Number(await tmux('list-panes', '-t', name, '-F', '#{pane_pid}'))
    },
    end() {
      ended ??= tmux('kill-server').then(
        () => undefined,
        () => undefined,
      )
      return ended
    },
  }
}
