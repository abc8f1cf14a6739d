/** Opens the bus on this machine: the rules, the files under home, the system they run on, and who opens tabs on it. */

import fs from 'node:fs'
import path from 'node:path'
import { createHostPlugin } from './core/attend.ts'
import { bridged } from './core/bridge.ts'
import type { Bus } from './core/bus.ts'
import { type BusDeps, createContext } from './core/context.ts'
import { createBus } from './core/create-bus.ts'
import { type HostPlugin, type HostTraits, silenced } from './core/host-plugin.ts'
import type { Processes, Store } from './core/ports.ts'
import { backgroundExecutor } from './hosts/claude-code/background.ts'
import { openingExecutor, threadsExecutor } from './hosts/codex/executor.ts'
import { createDoors } from './hosts/doors.ts'
import { HOSTS } from './hosts/table.ts'
import { tmuxExecutor } from './hosts/tmux/executor.ts'
import { tmuxView } from './hosts/tmux/view.ts'
import { fileStore } from './store/files/store.ts'
import type { Durability } from './system/atomic-file.ts'
import { here } from './system/here.ts'
import { createLog, type Log, type LogLevel } from './system/log.ts'
import { createProcesses } from './system/process.ts'

export interface OpenOptions {
  /** The directory that holds the bus; made when it is not there. */
  readonly home: string
  readonly defaultTtl?: string
  readonly messageTtl?: string
  readonly durability?: Durability
  /** Unread messages one inbox may hold. */
  readonly inboxLimit?: number
  readonly allowForeignHome?: boolean
  readonly logLevel?: LogLevel
  /** Where this process runs: which tmux, which PATH. Without it no session is opened from here, and
   * wakes that need a program of the host are only stored. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

export interface OpenedBus {
  readonly bus: Bus
  /** What a host calls at its moments; see docs/plugins.md. Never throws. */
  hostPlugin(traits: HostTraits): HostPlugin
  readonly store: Store
  readonly processes: Processes
  readonly home: string
  readonly log: Log
  readonly warnings: readonly string[]
  close(): void
}

/** @throws BusError HOME_UNSAFE, HOME_NEWER, HOME_UNWRITABLE, BAD_TTL */
export async function openBus(options: OpenOptions): Promise<OpenedBus> {
  const home = realHome(path.resolve(options.home))
  const processes = createProcesses()
  const store = fileStore({
    home,
    self: processes.self,
    durability: options.durability ?? 'power',
    inboxLimit: options.inboxLimit ?? 10_000,
    allowForeignHome: options.allowForeignHome ?? false,
  })
  const log = createLog({
    file: path.join(home, 'log', 'bus.log'),
    level: options.logLevel ?? 'warn',
    stderr: undefined,
  })
  const around = { env: options.env ?? {}, home, processes }
  const deps: BusDeps = {
    store,
    processes,
    ...here(),
    ...(options.env !== undefined && { doors: createDoors(HOSTS, options.env) }),
    // The first that can does it: a host's own server knows better than a terminal, and a new window better than none.
    executors: [
      threadsExecutor({ view: tmuxView(around) }),
      tmuxExecutor(around),
      openingExecutor(around),
      backgroundExecutor(around),
    ],
    options: { defaultTtl: options.defaultTtl ?? '4h', messageTtl: options.messageTtl ?? '7d' },
    log: (level, event, facts) => log[level](event, facts),
  }
  const bus = createBus(deps)
  const hostPlugin = (traits: HostTraits) => {
    const context = createContext(deps)
    const plugin = bridged(context, traits, createHostPlugin(context, traits))
    return silenced(plugin, (method, fault) => log.error('plugin', { method, fault }))
  }
  return { bus, hostPlugin, store, processes, home, log, warnings: store.warnings, close: () => store.close() }
}

/** A home behind a link is checked and used where it really is. */
function realHome(home: string): string {
  try {
    return fs.realpathSync(home)
  } catch {
    return home // not there yet
  }
}
