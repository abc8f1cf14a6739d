/** Takes out of a host's files what an install put in, and nothing else. */

import { BusError } from '../../core/errors.ts'
import { diffOf } from './copy.ts'
import { type Change, changeFiles, removeDirectories, removeLeftovers } from './host-file.ts'
import { again, inTurn, requireKnown } from './in-turn.ts'
import type { FileDone, Job, WireAnswer } from './install.ts'
import { allFiles, findRecord, fitting, type Look, lookAt, looksOf, recordOf } from './look.ts'
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

async function uninstallOnce({ wiring, machine, program, dryRun }: Job): Promise<WireAnswer> {
  const key = recordKey(wiring, machine)
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
  const changes = plans.filter(({ text, next }) => text !== next)
  const left: string[] = []
  const takeOut = () => {
    removeLeftovers(plans)
    if (changes.length > 0) changeFiles(changes)
    if (known === undefined) return
    removeDirectories(known.record.directories)
    try {
      dropRecord(known.home, key)
    } catch (fault) {
      if (!(fault instanceof BusError)) throw fault
      // The host's files are what was asked for, and they are done.
      left.push(`What is known of the install stays in ${known.home}, which cannot be written.`)
    }
  }
  if (!dryRun) {
    if (known === undefined) takeOut()
    else
      await inTurn(known.home, () => {
        requireKnown(known, key, looks, program.home)
        takeOut()
      })
  }
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
