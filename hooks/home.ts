/** Where the bus is, for programs that a host starts. */

import os from 'node:os'
import path from 'node:path'

/**
 * `--home DIR` as `session-mcp install` wrote it; else SESSION_MCP_HOME, else the default. A variable that is set to nothing
 * counts as not set, as it does for the server and for gate.sh.
 */
export function homeIn(args: readonly string[], env: Readonly<Record<string, string | undefined>>): string {
  const at = args.indexOf('--home')
  const given = at === -1 ? undefined : args[at + 1]
  return path.resolve(given || env['SESSION_MCP_HOME'] || path.join(os.homedir(), '.session-mcp'))
}
