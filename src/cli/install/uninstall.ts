/** Takes out of a host's files what an install put in, and nothing else. */

import { BusError } from '../../core/errors.ts'
import { again, alone } from './alone.ts'
import { diffOf } from './copy.ts'
import { type Change, changeFiles, removeDirectories, removeLeftovers } from './host-file.ts'
import type { FileDone, Job, WireAnswer } from './install.ts'
import { allFiles, findRecord, fitting, type Known, type Look, lookAt, looksOf, recordOf, requireSame } from './look.ts'
import { recordKey } from './machine.ts'
import { originalOf } from './original.ts'
import { dropRecord, sha256 } from './record.ts'

/** Without the record of the install our entries are recognised by what they start. */
export async function uninstall(job: Job): Promise<WireAnswer> {
  return again(() => uninstallOnce(job))
}

interface Plan extends Change {
  readonly look: Look
  /** True where the file becomes what it was before the install, to the byte. */
  readonly isExact: boolean
}

interface Planned {
  readonly known: Known | undefined
  readonly plans: readonly Plan[]
  readonly changes: readonly Plan[]
}

async function uninstallOnce(job: Job): Promise<WireAnswer> {
  const key = recordKey(job.wiring, job.machine)
  const planned = planOf(job, key)
  return answerOf(job, planned, job.dryRun ? [] : await carryOut(planned, key))
}

function planOf({ wiring, machine, program }: Job, key: string): Planned {
  const known = findRecord(key, looksOf(wiring, machine, program), program.home)
  const looks = allFiles(wiring, machine, program, known?.record).map((file) => lookAt(file, wiring))
  const plans = looks.map((seen): Plan => {
    const { file, now } = seen
    const record = recordOf(known, file)
    // With a server of our name that a person wrote, and no word of an install: theirs.
    const isTheirs = record === undefined && seen.ours.length === 0
    const next = isTheirs ? now.text : fitting(file, wiring, () => originalOf(now, file, record))
    return { ...now, look: seen, next, isExact: next !== undefined && record?.before === sha256(next) }
  })
  return { known, plans, changes: plans.filter(({ text, next }) => text !== next) }
}

/** @returns what could not be cleared away. */
async function carryOut(planned: Planned, key: string): Promise<string[]> {
  const { known } = planned
  if (known === undefined) {
    takeOut(planned)
    return []
  }
  return alone(known.home, key, () => {
    requireSame(known, key, known.home)
    takeOut(planned)
    return forget(known, key)
  })
}

function takeOut({ plans, changes }: Planned): void {
  removeLeftovers(plans)
  if (changes.length > 0) changeFiles(changes)
}

function forget({ home, record }: Known, key: string): string[] {
  removeDirectories(record.directories)
  try {
    dropRecord(home, key)
    return []
  } catch (fault) {
    if (!(fault instanceof BusError)) throw fault
    // The host's files are what was asked for, and they are done.
    return [`What is known of the install stays in ${home}, which cannot be written.`]
  }
}

function answerOf(
  { wiring, program, dryRun }: Job,
  { known, plans, changes }: Planned,
  left: readonly string[],
): WireAnswer {
  return {
    host: wiring.kind,
    title: wiring.title,
    home: known?.home ?? program.home,
    dryRun,
    changed: changes.length > 0,
    files: plans.map((plan) => ({
      path: plan.path,
      did: didOf(plan),
      entries: [...new Set(plan.look.ours.map(({ label }) => label))],
      ...(dryRun && { diff: diffOf(plan, plan.look.file) }),
    })),
    notes: [
      ...plans.flatMap((plan) =>
        plan.look.byHand.length > 0 && plan.text === plan.next
          ? [`${plan.path}: the ${plan.look.byHand.join(', ')} was written by hand and stays.`]
          : [],
      ),
      ...left,
    ],
    next:
      dryRun || changes.length === 0
        ? []
        : [
            `${wiring.title} sessions that run now keep the bus until they are restarted.`,
            `Messages and sessions stay in ${known?.home ?? program.home}; session-mcp doctor says what is left.`,
          ],
  }
}

function didOf({ text, next, isExact }: Plan): FileDone['did'] {
  if (text === next) return 'unchanged'
  if (next === undefined) return 'removed'
  return isExact ? 'restored' : 'changed'
}
