/** The executable behind the status line of Claude Code: a file of its own, since it starts every few seconds. */

import { homeIn } from '../../hooks/home.ts'
import { printStatusLine } from '../../src/cli/status-line/run.ts'

printStatusLine({ env: process.env, home: homeIn(process.argv.slice(2), process.env) }).then(
  () => process.exit(0),
  () => process.exit(0),
)
