/** `npm run bench`: every benchmark, a table, and exit 1 when a bar is missed. `--only NAME` (repeatable), `--json`. */

import { parseArgs } from 'node:util'
import { burst } from './burst.ts'
import { coreSend } from './core-send.ts'
import { type Benchmark, isMet, type Row } from './harness.ts'
import { hooks } from './hooks.ts'
import { idle } from './idle.ts'
import { listSessions } from './list-sessions.ts'
import { readInbox } from './read-inbox.ts'
import { asJson, machine, table } from './report.ts'
import { sendSeen } from './send-seen.ts'
import { startUp } from './start.ts'
import { statusLine } from './status-line.ts'
import { toolsSize } from './tools-size.ts'
import { waitNotice } from './wait.ts'

/** The ones that make very many files come last. */
const BENCHMARKS: readonly Benchmark[] = [
  coreSend,
  sendSeen,
  waitNotice,
  startUp,
  hooks,
  statusLine,
  idle,
  toolsSize,
  burst,
  listSessions,
  readInbox,
]

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true }, json: { type: 'boolean', default: false } },
})
const unknown = (values.only ?? []).filter((name) => !BENCHMARKS.some((benchmark) => benchmark.name === name))
if (unknown.length > 0) {
  console.error(`No benchmark ${unknown.join(', ')}. There are: ${BENCHMARKS.map(({ name }) => name).join(', ')}`)
  process.exit(2)
}

const rows: Row[] = []
for (const benchmark of BENCHMARKS) {
  if (values.only !== undefined && !values.only.includes(benchmark.name)) continue
  const startedMs = performance.now()
  rows.push(...(await benchmark.run((line) => console.error(`  ${benchmark.name}: ${line}`))))
  console.error(`${benchmark.name}: ${((performance.now() - startedMs) / 1_000).toFixed(1)} s`)
}
console.log(values.json ? asJson(rows) : `${machine()}\n\n${table(rows)}`)
process.exit(rows.every(isMet) ? 0 : 1)
