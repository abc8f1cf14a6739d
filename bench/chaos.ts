/**
 * `npm run chaos`: the kills, races and shortages of test/processes at full size. Exit 1 on any violation.
 * `--seed N` repeats a run (as far as the machine lets it), `--only NAME` (repeatable), `--messages N`, `--json`.
 */

import path from 'node:path'
import { parseArgs } from 'node:util'
import { makePlace, type Place } from '../test/processes/lab/place.ts'
import { endAll } from '../test/processes/lab/processes.ts'
import { type DeliveryOptions, runDelivery } from '../test/processes/scenarios/delivery.ts'
import { runFullDisk } from '../test/processes/scenarios/full-disk.ts'
import { runHomeLost } from '../test/processes/scenarios/home-lost.ts'
import { runRecords } from '../test/processes/scenarios/records.ts'
import { runWaits } from '../test/processes/scenarios/waits.ts'
import { machine } from './report.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
    messages: { type: 'string', default: '20000' },
    only: { type: 'string', multiple: true },
    json: { type: 'boolean', default: false },
  },
})
const seed = Number(values.seed)
const messages = Number(values.messages)
const say = (line: string) => console.error(`  ${line}`)
const server = path.resolve('dist/index.js')

/** And whatever a scenario counted. */
interface Outcome {
  readonly violations: readonly string[]
}

/** A scenario at full size; a string says why it cannot run here. */
const SCENARIOS: Readonly<Record<string, (place: Place) => Promise<Outcome | string>>> = {
  delivery: (place) =>
    runDelivery({
      ...deliveryOf(messages),
      place,
      senders: { library: 6, mcp: 2 },
      readers: { library: 3, mcp: 1 },
      durability: 'power',
    }),
  'dying-clients': (place) =>
    runDelivery({
      ...deliveryOf(messages / 10),
      place,
      senders: { library: 4, mcp: 0 },
      readers: { library: 0, mcp: 4 },
      durability: 'process',
      killClients: true,
    }),
  waits: async ({ home }) => {
    const two = await runWaits({ home, rounds: 1_000, seed, circle: 2, say })
    const three = await runWaits({ home, rounds: 300, seed, circle: 3, say })
    return {
      violations: [...two.violations, ...three.violations],
      rounds: 1_300,
      refusedOne: two.refusedOne + three.refusedOne,
      refusedMore: two.refusedMore + three.refusedMore,
    }
  },
  records: ({ home, directory }) =>
    runRecords({
      home,
      directory,
      seed,
      writers: 4,
      changes: 4_000,
      kills: 100,
      looks: 4_000,
      killEveryMs: [20, 120],
      durability: 'power',
      say,
    }),
  'full-disk': () =>
    runFullDisk({
      ...deliveryOf(messages / 10),
      senders: { library: 3, mcp: 1 },
      readers: { library: 2, mcp: 1 },
      durability: 'process',
    }),
  'home-lost': (place) => runHomeLost({ place, seed, rounds: 100, say }),
}

function deliveryOf(
  count: number,
): Pick<DeliveryOptions, 'seed' | 'messages' | 'server' | 'killEveryMs' | 'timeoutMs' | 'say'> {
  return { seed, messages: count, server, killEveryMs: [20, 200], timeoutMs: 300_000, say }
}

const unknown = (values.only ?? []).filter((name) => SCENARIOS[name] === undefined)
if (unknown.length > 0 || Number.isNaN(seed + messages)) {
  console.error(`usage: chaos [--seed N] [--messages N] [--json] [--only ${Object.keys(SCENARIOS).join('|')}]`)
  process.exit(2)
}
console.error(`seed ${seed}`)

const outcomes: Record<string, Outcome | string> = {}
for (const [name, run] of Object.entries(SCENARIOS)) {
  if (values.only !== undefined && !values.only.includes(name)) continue
  console.error(name)
  const place = makePlace('chaos')
  try {
    outcomes[name] = await run(place)
  } catch (fault) {
    outcomes[name] = { violations: [`it did not end: ${fault instanceof Error ? fault.stack : String(fault)}`] }
  } finally {
    endAll()
    place.remove()
  }
}
const isSound = Object.values(outcomes).every(
  (outcome) => typeof outcome === 'string' || outcome.violations.length === 0,
)
console.log(values.json ? JSON.stringify({ seed, machine: machine(), outcomes }, null, 2) : summary())
process.exit(isSound ? 0 : 1)

function summary(): string {
  const lines = Object.entries(outcomes).map(([name, outcome]) => {
    if (typeof outcome === 'string') return `${name}: skipped, ${outcome}`
    const { violations, ...facts } = outcome
    const shown = Object.entries(facts).map(
      ([key, value]) => `${key} ${typeof value === 'number' ? Math.round(value) : JSON.stringify(value)}`,
    )
    const verdict = violations.length === 0 ? 'holds' : `${violations.length} VIOLATIONS`
    return [`${name}: ${verdict}; ${shown.join(', ')}`, ...violations.slice(0, 10).map((each) => `  - ${each}`)].join(
      '\n',
    )
  })
  return [`seed ${seed}; ${machine()}`, ...lines].join('\n')
}
