/** A tmux server of its own with a person's window in it, and a terminal program that looks like a host. */
import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdir, readdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Action, ActionTarget, Outcome } from '../../../src/core/action.ts'
import type { ProcessRef } from '../../../src/core/ports.ts'
import { tmuxExecutor } from '../../../src/hosts/tmux/executor.ts'
import { createProcesses } from '../../../src/system/process.ts'
import { lookUp } from '../../../src/system/process-table.ts'
import { labFolder, labPath } from './ground.ts'
import { until } from './until.ts'

const run = promisify(execFile)
const program = fileURLToPath(new URL('fake-claude.mjs', import.meta.url))

export interface Started {
  pid: number
  started: string[]
  cwd: string
  env: Record<string, string>
}

export interface Terminal {
  readonly root: string
  readonly home: string
  readonly env: Record<string, string>
  readonly socket: string
  tmux(...args: string[]): Promise<string>
  /** Another server. */
  outer(at: string, ...args: string[]): Promise<string>
  /** What the fakes have written down, oldest first. */
  notes(): Promise<Record<string, unknown>[]>
  perform(action: Partial<Action> & Pick<Action, 'kind'>, settleMs?: number): Promise<Outcome>
  /** @param settleMs how long the window is looked at for a program that ends at once. */
  create(params: Action['params'], settleMs?: number): Promise<Outcome>
  /** One more fake in a window of its own, as the target of operations; idle. */
  target(more?: Partial<ActionTarget>): Promise<ActionTarget & { pane: string }>
  screen(pane: string): Promise<string>
  shows(pane: string, text: string): Promise<string>
  refTo(pid: number): ProcessRef
}

/** @param polluted what the tmux server has in its environment beside PATH and HOME. */
export async function inTerminal(
  body: (terminal: Terminal) => Promise<void>,
  polluted: Record<string, string> = {},
): Promise<void> {
  const root = await labFolder('tmux')
  const bin = path.join(root, 'bin')
  const socket = path.join(root, 'socket')
  const log = path.join(root, 'log.jsonl')
  await mkdir(bin)
  await copyFile(program, path.join(bin, 'claude'))
  await chmod(path.join(bin, 'claude'), 0o755)
  const home = path.join(root, 'bus')
  await mkdir(home)
  const PATH = labPath(bin)
  const base = { PATH, HOME: root, LC_ALL: 'C.UTF-8', TERM: 'xterm-256color' }
  const outer = async (at: string, ...args: string[]) => {
    const { stdout } = await run('tmux', ['-u', '-f', '/dev/null', '-S', at, ...args], {
      env: { ...base, ...polluted, FAKE_LOG: log },
      cwd: root,
    })
    return stdout.trimEnd()
  }
  const tmux = (...args: string[]) => outer(socket, ...args)
  await tmux('new-session', '-d', '-s', 'a person', '-x', '100', '-y', '30', '-n', 'mine', '--', 'sleep', '1000')
  const pane = await tmux('display-message', '-p', '-t', '=a person:', '#{pane_id}')
  const env = { ...base, TMUX: `${socket},1,0`, TMUX_PANE: pane }
  const processes = createProcesses()
  let actions = 0
  const notes = async () =>
    (await readFile(log, 'utf8').catch(() => ''))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  const refTo = (pid: number): ProcessRef => {
    const sight = lookUp(pid)
    if (typeof sight === 'string') throw new Error(`process ${pid} is ${sight}`)
    return { ...processes.self, pid, start: sight.start }
  }
  const perform: Terminal['perform'] = (action, settleMs) => {
    const executor = tmuxExecutor({ env, home, processes, ...(settleMs !== undefined && { settleMs }) })
    return executor.perform({
      id: `act-${String(actions++).padStart(10, '0')}`,
      executor: executor.id,
      by: { id: 'ses-lead', name: 'lead' },
      requestedAt: new Date().toISOString(),
      state: 'requested',
      target: { id: 'ses-new', hostKind: 'claude-code', hostSessionId: 'ses-new' },
      params: {},
      ...action,
    })
  }
  const create: Terminal['create'] = (given, settleMs) => {
    const params = { host: 'claude-code', projectPath: root, spawn: `ses-new.${'a'.repeat(20)}`, ...given }
    return perform({ kind: 'create', params }, settleMs)
  }
  const screen = (of: string) => tmux('capture-pane', '-p', '-t', of)
  const shows = (of: string, text: string) =>
    until(`pane ${of} shows ${text}`, async () => {
      const seen = await screen(of)
      return seen.includes(text) && seen
    })

  try {
    await body({
      root,
      home,
      env,
      socket,
      tmux,
      outer,
      notes,
      perform,
      create,
      screen,
      shows,
      refTo,
      async target(more = {}) {
        const opened = await tmux(
          'new-window',
          '-d',
          '-P',
          '-F',
          '#{pane_id} #{pane_pid}',
          '-t',
          '=a person:',
          '--',
          'claude',
        )
        const [own = '', pid] = opened.split(' ')
        await shows(own, '❯')
        const client = refTo(Number(pid))
        return {
          ...{ id: 'ses-b', name: 'b', hostKind: 'claude-code', hostSessionId: 'ses-b', activity: 'idle' },
          ...{ client, pane: own, terminal: socket },
          ...more,
        }
      },
    })
  } finally {
    await tmux('kill-server').catch(() => undefined)
    await rm(root, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Files that something wrote which should never have run. */
export async function ranAnything(...folders: string[]): Promise<string[]> {
  const names = await Promise.all(folders.map((folder) => readdir(folder, { recursive: true })))
  return names.flat().filter((name) => path.basename(name).startsWith('PWNED') && !name.includes(' '))
}
