/** The executable behind the status line of Claude Code: a file of its own, since it starts every few seconds. */

import os from 'node:os'
import path from 'node:path'
import { printStatusLine } from '../src/cli/status-line/run.ts'

const at = process.argv.indexOf('--home')
const home =
  (at === -1 ? undefined : process.argv[at + 1]) ??
  (process.env['SESSION_MCP_HOME'] || path.join(os.homedir(), '.session-mcp'))

printStatusLine({ env: process.env, home: path.resolve(home) }).then(
  () => process.exit(0),
  () => process.exit(0),
)
