/** The bus as a hook opens it: the same rules and files as everywhere, and no more of them than a hook needs. */

import path from 'node:path'
import { type Context, createContext } from '../src/core/context.ts'
import type { Processes } from '../src/core/ports.ts'
import type { Doors } from '../src/core/ports-hosts.ts'
import { fileStore } from '../src/store/files/store.ts'
import { here } from '../src/system/here.ts'
import { createLog, type Log } from '../src/system/log.ts'
import { createProcesses } from '../src/system/process.ts'
import { homeIn } from './home.ts'

export interface HookBus {
  readonly context: Context
  readonly processes: Processes
  readonly log: Log
}

/** The log of all hooks of a bus; `session-mcp doctor` tells of what stands in it. */
export function hookLog(home: string): Log {
  return createLog({ file: path.join(home, 'log', 'hooks.log'), level: 'warn', stderr: undefined })
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * @param args of the program: they may name the home.
 * @param doors that this very process opens.
 * @throws BusError HOME_UNSAFE, HOME_NEWER, HOME_UNWRITABLE, STORE_UNREADABLE
 */
export function openHookBus(env: Environment, args: readonly string[], doors?: Doors): HookBus {
  const home = homeIn(args, env)
  const processes = createProcesses()
  const log = hookLog(home)
  const store = fileStore({ home, self: processes.self, durability: 'process' })
  const context = createContext({
    store,
    processes,
    ...here(),
    doors,
    options: { defaultTtl: env['SESSION_MCP_DEFAULT_TTL'] || '4h', messageTtl: '7d' },
    log: (level, event, facts) => log[level](event, facts),
  })
  return { context, processes, log }
}
