/**
 * After a run of the host tests: does the capability table claim as tested what none of them proved? With UPDATE_PROOFS=1 it is
 * written anew, from a run of all files whole, from a run of some with what the others proved before.
 */
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Reporter, TestModule } from 'vitest/node'
import type { Proof } from '../../../src/hosts/capability.ts'
import { PROOFS } from '../../../src/hosts/proofs.ts'
import type {} from './proves.ts'

const here = path.dirname(fileURLToPath(import.meta.url))
const file = path.join(here, '../../../src/hosts/proofs.ts')

export interface Ran {
  readonly test: string
  /** Every test of the file ran: none was filtered out, or skipped for want of a host. */
  readonly isWhole: boolean
  readonly proofs: readonly Proof[]
}

/** One shown with each release of a host is there once: the file that has it keeps it. */
export function merged(before: readonly Proof[], ran: readonly Ran[], exists: (test: string) => boolean): Proof[] {
  const fresh = ran.flatMap(({ proofs }) => proofs)
  const whole = new Set(ran.filter(({ isWhole }) => isWhole).map(({ test }) => test))
  const kept = before.filter(
    (proof) =>
      exists(proof[5]) && !whole.has(proof[5]) && !fresh.some((each) => same(each, proof) && each[5] === proof[5]),
  )
  const isKnown = (proof: Proof) => before.some((each) => same(each, proof) && each[5] === proof[5])
  const all = [...kept, ...fresh.filter(isKnown), ...fresh]
  return all
    .filter((proof, at) => all.findIndex((each) => same(each, proof)) === at)
    .sort((a, b) => (lineOf(a) < lineOf(b) ? -1 : 1))
}

/** What the table claims although its test has run and did not show it, or is gone. The version does not count: it was true of it. */
export function unproved(claims: readonly Proof[], ran: readonly Ran[], exists: (test: string) => boolean): Proof[] {
  return claims.filter((claim) => {
    if (!exists(claim[5])) return true
    const run = ran.find(({ test }) => test === claim[5])
    const isShown = ran.some(({ proofs }) => proofs.some((proof) => key(proof) === key(claim)))
    return run?.isWhole === true && !isShown
  })
}

function key([kind, , capability, door]: Proof): string {
  return `${kind} ${capability} ${door}`
}

function same(one: Proof, other: Proof): boolean {
  return key(one) === key(other) && one[1] === other[1]
}

function lineOf(proof: Proof): string {
  return `  [${proof.map((part) => `'${part}'`).join(', ')}],`
}

function textOf(proofs: readonly Proof[]): string {
  return `/** What tests have run on real hosts. Written by \`npm run proofs\` from a run of them, never by hand. */

import type { Proof } from './capability.ts'

export const PROOFS: readonly Proof[] = [
${proofs.map(lineOf).join('\n')}
]
`
}

function ranIn(module: TestModule, date: string): Ran {
  const test = path.basename(module.moduleId, '.test.ts')
  const tests = [...module.children.allTests()]
  return {
    test,
    isWhole: tests.length > 0 && tests.every((each) => each.result().state !== 'skipped'),
    proofs: tests.flatMap((each) =>
      each.result().state !== 'passed' ? [] : (each.meta().proofs ?? []).map((shown): Proof => [...shown, date, test]),
    ),
  }
}

export const proofsReporter: Reporter = {
  onTestRunEnd(modules, _, reason) {
    if (reason === 'interrupted') return
    const date = new Date().toISOString().slice(0, 10)
    const ran = modules.map((module) => ranIn(module, date))
    const exists = (test: string) => existsSync(path.join(here, '..', `${test}.test.ts`))
    const shown = ran.flatMap(({ proofs }) => proofs)
    console.log(`proofs: ${shown.length} by ${modules.length} files`)
    if (process.env['UPDATE_PROOFS'] === '1') {
      if (reason === 'failed') return console.error('proofs: a test failed, so src/hosts/proofs.ts stays as it is')
      writeFileSync(file, textOf(merged(PROOFS, ran, exists)))
      return console.log('proofs: src/hosts/proofs.ts is written; `npm run docs` takes it into docs/hosts.md')
    }
    const lost = unproved(PROOFS, ran, exists)
    for (const claim of lost) console.error(`proofs: the table claims what no test showed: ${claim.join(', ')}`)
    if (lost.length > 0) {
      console.error('proofs: mend the test or the host, or run `npm run proofs`, which takes it out of the table')
      process.exitCode = 1
    }
  },
}
