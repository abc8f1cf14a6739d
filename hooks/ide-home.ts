/** Where the bus is, for plugins that an IDE loads: the same place as for the server beside them, or there are two buses. */

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/**
 * `config.json` in the plugin's folder, as `session-mcp install` wrote it; else SESSION_MCP_HOME; else what the IDE's
 * `mcp-servers.json` says of the server `session-mcp`, for folders that were copied by hand: the file two folders up, or
 * that of the IDE where a command line beside it has none; else the home of this IDE.
 */
export function homeOf(folder: string): string {
  const { home } = read(path.join(folder, 'config.json'))
  const ide = path.join(os.homedir(), '.msun')
  return (
    absolute(home) ??
    (process.env['SESSION_MCP_HOME'] || undefined) ??
    serverHome(path.join(folder, '..', '..')) ??
    serverHome(ide) ??
    path.join(ide, 'session-mcp')
  )
}

/** A server that is told nothing has the default home. */
function serverHome(directory: string): string | undefined {
  const entry = read(path.join(directory, 'mcp-servers.json'))['session-mcp']
  if (typeof entry !== 'object' || entry === null) return undefined
  const { args, env } = entry as { args?: unknown; env?: { SESSION_MCP_HOME?: unknown } }
  const words = Array.isArray(args) ? args.map(String) : []
  const at = words.indexOf('--home')
  const flag = at === -1 ? words.find((word) => word.startsWith('--home='))?.slice('--home='.length) : words[at + 1]
  return absolute(flag) ?? absolute(env?.SESSION_MCP_HOME) ?? path.join(os.homedir(), '.session-mcp')
}

function absolute(home: unknown): string | undefined {
  if (typeof home !== 'string') return undefined
  const full = home.replace(/^~(?=[\\/])/, () => os.homedir())
  return path.isAbsolute(full) ? full : undefined
}

function read(file: string): Readonly<Record<string, unknown>> {
  try {
    return { ...JSON.parse(fs.readFileSync(file, 'utf8')) }
  } catch {
    return {} // not there, or nothing of ours
  }
}
