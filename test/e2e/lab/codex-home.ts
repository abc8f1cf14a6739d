/** A person's HOME with Codex in it, wired by `session-mcp install codex`, its hooks looked at and trusted. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { codex, settings, wired } from './codex.ts'
import { type Person, person } from './person.ts'
import type { Place } from './place.ts'
import { until } from './until.ts'

export interface CodexHome extends Person {
  readonly config: string
  readonly hooks: string
}

/** Codex as the person set it up; nothing of ours yet. */
export async function codexHome(place: Place, name: string): Promise<CodexHome> {
  const me = await person(place, name)
  const directory = path.join(me.home, '.codex')
  await mkdir(directory, { recursive: true })
  const config = path.join(directory, 'config.toml')
  await writeFile(config, settings(place.model.url, place.project))
  return { ...me, config, hooks: path.join(directory, 'hooks.json') }
}

export async function wiredHome(place: Place, name: string): Promise<CodexHome> {
  const home = await codexHome(place, name)
  await home.ours('install', 'codex')
  await trustHooks(place, name)
  return home
}

/** Opens a terminal, trusts all hooks, leaves. */
export async function trustHooks(place: Place, name: string): Promise<void> {
  // Under another name: a terminal that is opened while this one is still going would find its tmux gone.
  const tab = await place.tab(wired('tab'), `${name}-trust`, '', { home: name, flags: ['--no-daemon'] })
  await tab.shows(/Hooks need review/)
  await until('the hooks are trusted', async () => {
    const screen = await tab.screen()
    if (screen.includes('? for shortcuts')) return true
    // What is pressed before the question takes keys is lost.
    if (screen.includes('› 2. Trust all and continue')) await tab.press('Enter')
    else if (screen.includes('2. Trust all and continue')) await tab.press('2')
    return false
  })
  const config = path.join(place.root, name, 'home', '.codex', 'config.toml')
  await until('the trust is written down', async () => (await readFile(config, 'utf8')).includes('trusted_hash'))
  await tab.end()
}

/** Ends the background server that terminals of this HOME share, and the process that keeps it new. */
export async function endDaemon({ home, host }: CodexHome): Promise<void> {
  await host(codex, 'app-server', 'daemon', 'stop')
  const file = path.join(home, '.codex/app-server-daemon/daemon-updater.pid')
  const { pid } = JSON.parse(await readFile(file, 'utf8').catch(() => '{}'))
  if (typeof pid !== 'number') return
  await until('the updater ends', () => {
    try {
      process.kill(pid, 'SIGTERM')
      return false
    } catch {
      return true
    }
  })
}
