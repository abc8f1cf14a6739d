/** The reference IDE as a process: a home with what `session-mcp install msun` laid into it, and the program on it. */

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { makePlace, type Place } from '../processes/lab/place.ts'
import { endAll } from '../processes/lab/processes.ts'
import { startRemote } from '../processes/lab/remote.ts'
import { until } from '../processes/lab/until.ts'
import type { LoadedPlugin } from './plugins.ts'
import type { Performed, Step, Tab } from './tabs.ts'

const CLI = path.resolve('dist/index.js')

export interface Ide {
  readonly userHome: string
  /** The home of the bus. */
  readonly home: string
  readonly pid: number
  open(title: string, more?: Partial<Tab>): Promise<Tab>
  script(tab: string, ...steps: Step[]): Promise<void>
  /** A whole turn. */
  type(tab: string, text: string, ...steps: Step[]): Promise<Tab>
  /** A turn that goes on until its tab is released or cancelled. */
  begin(tab: string, text: string): Promise<Tab>
  release(tab: string): Promise<Tab>
  tab(tab: string): Promise<Tab>
  close(tab: string): Promise<void>
  desk(): Promise<{ tabs: Tab[]; active: string; performed: Performed[] }>
  plugins(): Promise<{ list: LoadedPlugin[]; faults: string[] }>
  servers(): Promise<Record<string, number>>
  plugin(name: string, file?: string): string
  /** The person at a shell, on the same bus. */
  shell<T>(...args: string[]): T
  kill(): void
}

export interface IdeOptions {
  /** A tab that an action opens gets the id that came with it. */
  readonly takesIds?: boolean
  /** Folders copied and the server written by hand, with these arguments, instead of `session-mcp install msun`. */
  readonly byHand?: readonly string[]
  /** Where it all is, if not in a place of its own. */
  readonly place?: Place
  /** More servers for `mcp-servers.json`. */
  readonly servers?: Readonly<Record<string, { command: string; args: readonly string[] }>>
}

/** What a user does: install, then start. Gone when the test is over. */
export async function openIde(options: IdeOptions = {}): Promise<Ide> {
  const place = options.place ?? makePlace('ide')
  const userHome = place.directory
  onTestFinished(() => {
    endAll()
    place.remove()
  })
  const env = { PATH: process.env['PATH'] ?? '', HOME: userHome }
  const run = (...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], {
      env,
      cwd: userHome,
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`session-mcp ${args.join(' ')} ended with ${status}: ${stderr}`)
    return stdout
  }
  const servers = path.join(userHome, '.msun', 'mcp-servers.json')
  if (options.byHand === undefined) run('install', 'msun')
  else layByHand(path.join(userHome, '.msun'), options.byHand)
  const all = { ...JSON.parse(fs.readFileSync(servers, 'utf8')), ...options.servers }
  fs.writeFileSync(servers, JSON.stringify(all))
  const remote = await startRemote('test/ide/main', { env, cwd: userHome })
  await remote.ask('takeIds', { takesIds: options.takesIds === true })
  const home = path.join(userHome, options.byHand === undefined ? '.msun/session-mcp' : '.session-mcp')
  const ide: Ide = {
    userHome,
    home,
    pid: remote.pid,
    open: (title, more = {}) => remote.ask('open', { title, projectPath: path.join(userHome, 'shop'), ...more }),
    script: (tab, ...steps) => remote.ask('script', { tab, steps }),
    async type(tab, text, ...steps) {
      if (steps.length > 0) await ide.script(tab, ...steps)
      return remote.ask('type', { tab, text })
    },
    async begin(tab, text) {
      await ide.script(tab, { hold: true })
      const before = (await ide.tab(tab)).requests.length
      await remote.ask('type', { tab, text, isLong: true })
      return until(`${tab} works`, async () => {
        const now = await ide.tab(tab)
        return now.requests.length > before && now
      })
    },
    release: (tab) => remote.ask('release', { tab }),
    tab: (tab) => remote.ask('tab', { tab }),
    close: (tab) => remote.ask('close', { tab }),
    desk: () => remote.ask('desk'),
    plugins: () => remote.ask('plugins'),
    servers: () => remote.ask('servers'),
    plugin: (name, file = 'index.js') => path.join(userHome, '.msun', 'plugins', name, file),
    shell: (...args) => JSON.parse(run(...args, '--json', `--home=${home}`)),
    kill: () => remote.kill(),
  }
  return ide
}

function layByHand(directory: string, args: readonly string[]): void {
  for (const name of ['session-coordination', 'session-manager-bridge', 'scene-model-context']) {
    fs.cpSync(path.resolve('dist/plugins', name), path.join(directory, 'plugins', name), { recursive: true })
  }
  const server = { command: 'node', args: [CLI, ...args], env: {}, enabled: true }
  fs.writeFileSync(path.join(directory, 'mcp-servers.json'), JSON.stringify({ 'session-mcp': server }))
}

/** The system prompt of the last request. */
export function lastRequest({ requests }: Tab): string {
  return requests.at(-1) ?? ''
}

/** What the last tool answered. */
export function lastResult<T>({ chat }: Tab): T {
  const text = chat.findLast(({ who }) => who === 'tool')?.text ?? 'null'
  return (JSON.parse(text) as { structuredContent: T }).structuredContent
}
