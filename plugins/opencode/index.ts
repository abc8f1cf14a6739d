/** The bus as a plugin of OpenCode. No rules here: it opens the bus as every hook does, and hands OpenCode's hooks over. */

import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type HookBus, openHookBus } from '../../hooks/open.ts'
import { SPAWN_ENV } from '../../src/core/spawn.ts'
import { terminalIn } from '../../src/hosts/host.ts'
import type { Client } from '../../src/hosts/opencode/client.ts'
import { createOpenings } from '../../src/hosts/opencode/openings.ts'
import { createOpencodeHooks } from '../../src/hosts/opencode/plugin.ts'

interface Input {
  readonly client: Client
  readonly directory: string
}

interface Options {
  /** The bus to use; else SESSION_MCP_HOME, else the default one. */
  readonly home?: unknown
}

const openings = createOpenings(process.env[SPAWN_ENV])

export const SessionMcp = async ({ client, directory }: Input, options?: Options) => {
  const bus = opened(options)
  if (bus === undefined) return {}
  const { context, processes, log } = bus
  return createOpencodeHooks({
    context,
    client,
    directory,
    self: processes.self,
    place: terminalIn(process.env),
    argv: process.argv,
    openings,
    serverScript: path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../index.js'),
    log: (level, event, facts) => log[level](event, facts),
  })
}

/** A home that cannot be used is told of by `session-mcp doctor`; OpenCode works on as if we were not there. */
function opened(options: Options | undefined): HookBus | undefined {
  const home = typeof options?.home === 'string' ? ['--home', options.home] : []
  try {
    return openHookBus(process.env, home)
  } catch {
    return undefined
  }
}
