/** Wires a host to the bus. Everything is planned before anything is written, and written as a whole. */

import fs from 'node:fs'
import type { Extra, Machine, Program, WiredFile, Wiring } from '../../hosts/wiring.ts'
import { diffOf, wantedText } from './copy.ts'
import { chosen, requireExtras } from './extras.ts'
import { formatOf } from './formats.ts'
import { type Change, changeFiles, removeLeftovers } from './host-file.ts'
import { again, inTurn, requireKnown } from './in-turn.ts'
import { findRecord, fitting, heldBack, type Known, type Look, looksOf, readData, recordOf } from './look.ts'
import { findHost, recordKey } from './machine.ts'
import { originalOf } from './original.ts'
import { dropRecord, type FileRecord, type InstallRecord, saveRecord, sha256, undoOf } from './record.ts'
import { unreadable } from './refuse.ts'

export interface Job {
  readonly wiring: Wiring
  readonly machine: Machine
  readonly program: Program
  readonly version: string
  readonly dryRun: boolean
  /** What is wanted beside the usual. */
  readonly extras?: readonly Extra[]
  /** Makes the home and refuses one that is not safe. */
  openHome(): Promise<unknown>
}

export interface FileDone {
  readonly path: string
  readonly did: 'created' | 'changed' | 'restored' | 'removed' | 'unchanged'
  /** Which of our entries, in the words of the host: events, servers. */
  readonly entries: readonly string[]
  /** With --dry-run. */
  readonly diff?: string
}

export interface WireAnswer {
  readonly host: string
  readonly title: string
  readonly home: string
  readonly dryRun: boolean
  readonly changed: boolean
  readonly files: readonly FileDone[]
  /** What the person should know. */
  readonly notes: readonly string[]
  /** What to do now. */
  readonly next: readonly string[]
}

/** @throws BusError; nothing was changed then, unless it says so. */
export async function install(job: Job): Promise<WireAnswer> {
  return again(() => installOnce(job))
}

interface Plan extends Change {
  readonly file: WiredFile
  readonly look: Look
  /** The file without us; undefined where there would be none. */
  readonly base: string | undefined
  /** Undefined for one that held nothing but what is misplaced there. */
  readonly next: string | undefined
}

async function installOnce(job: Job): Promise<WireAnswer> {
  const { wiring, machine, program, dryRun } = job
  requireScripts(job)
  const looks = looksOf(wiring, machine, program)
  requireExtras(job, looks)
  const known = findRecord(recordKey(wiring, machine), looks, program.home)
  const plans = looks.map((look): Plan => {
    const { now } = look
    const file = chosen(job, look)
    return fitting(file, wiring, () => {
      const base = originalOf(now, look.file, recordOf(known, look.file))
      return { ...now, file, look, base, next: file.misplaced === undefined ? wantedText(now.text ?? '', file) : base }
    })
  })
  const changes = plans.filter(({ text, next }) => text !== next)
  if (changes.length > 0 && !dryRun) {
    await job.openHome()
    await inTurn(program.home, () => {
      requireKnown(known, recordKey(wiring, machine), looks, program.home)
      removeLeftovers(plans)
      write(job, changes, known)
    })
  }
  return {
    host: wiring.kind,
    title: wiring.title,
    home: program.home,
    dryRun,
    changed: changes.length > 0,
    files: plans.map((plan) => ({
      path: plan.path,
      did: didOf(plan),
      entries: labelsOf(plan),
      ...(dryRun && { diff: diffOf(plan, plan.file) }),
    })),
    notes: notesOn(job, plans, known),
    next: [
      ...approvalOf(job),
      ...(dryRun || changes.length === 0
        ? []
        : [`Restart the ${wiring.title} sessions that run now.`, 'session-mcp doctor says whether it works.']),
    ],
  }
}

function didOf({ text, next, file }: Plan): FileDone['did'] {
  if (text === next) return 'unchanged'
  if (file.misplaced !== undefined) return next === undefined ? 'removed' : 'restored'
  return text === undefined ? 'created' : 'changed'
}

/** What the person still has to approve in the host, as its files are now. */
function approvalOf({ wiring, machine, program }: Job): string[] {
  const held = heldBack(wiring, looksOf(wiring, machine, program))
  return wiring.approval !== undefined && held.length > 0 ? [wiring.approval.how] : []
}

/** The record first: what was written without one could not be undone to the byte. */
function write({ wiring, machine, program, version }: Job, changes: readonly Plan[], known?: Known) {
  const kept = (known?.record.files ?? []).filter(({ path }) => !changes.some((change) => change.path === path))
  const key = recordKey(wiring, machine)
  const record: InstallRecord = {
    version: 1,
    host: key,
    installedAt: new Date().toISOString(),
    by: version,
    files: [...kept, ...changes.flatMap((plan) => fileRecord(plan) ?? [])],
    directories: known?.record.directories ?? [],
  }
  saveRecord(program.home, record)
  let made: readonly string[]
  try {
    made = changeFiles(changes)
  } catch (fault) {
    if (known?.home === program.home) saveRecord(program.home, known.record)
    else dropRecord(program.home, key)
    throw fault
  }
  if (made.length > 0) saveRecord(program.home, { ...record, directories: [...record.directories, ...made] })
  if (known !== undefined && known.home !== program.home) dropRecord(known.home, key)
}

function fileRecord({ path, file, base, next }: Plan): FileRecord | undefined {
  if (file.misplaced !== undefined || next === undefined) return undefined
  const before = base ?? ''
  return {
    path,
    name: file.name,
    existed: base !== undefined,
    before: sha256(before),
    wrote: sha256(next),
    undo: undoOf(before, next),
    ...formatOf(file).tracesOf(before, next, file),
  }
}

/** Also an extra of an earlier install, which is left as it is. */
function labelsOf({ file, look }: Plan): string[] {
  const { copy, members, lists } = look.file
  const kept = members.filter(
    (member) => file.members.includes(member) || look.ours.some((o) => o.label === member.label),
  )
  return [
    ...(copy === undefined ? [] : [copy.label]),
    ...kept.map(({ label }) => label),
    ...lists.flatMap(({ items }) => Object.keys(items)),
  ]
}

function requireScripts({ wiring, machine, program }: Job): void {
  const files = [
    program.server,
    ...wiring.scripts(machine, program),
    ...wiring.files(machine, program).flatMap(({ copy }) => copy?.from ?? []),
  ]
  const missing = files.find((file) => !fs.existsSync(file))
  if (missing === undefined) return
  throw unreadable(
    `${missing} is missing, which ${wiring.title} would have to start.`,
    'Install session-mcp again; in a checkout run npm run build first.',
  )
}

function notesOn({ wiring, machine, program }: Job, plans: readonly Plan[], known?: Known): string[] {
  const { title, plugins } = wiring
  return [
    ...(findHost(wiring, machine) === undefined
      ? [`${title} was not found on this machine; it will find the bus once it is there.`]
      : []),
    ...plans.flatMap(({ path, look }) => (look.ignored === undefined ? [] : [`${path}: ${look.ignored}`])),
    ...plans.flatMap(({ file, look }) => {
      const advice = file.advice?.(look.root)
      return advice === undefined ? [] : [`${advice.text} ${advice.fix}`]
    }),
    ...plans.flatMap(({ path, look }) => {
      const { file } = look
      const replaced = look.byHand.filter((name) => !file.members.some(({ label, extra }) => extra && label === name))
      return recordOf(known, file) === undefined && replaced.length > 0
        ? [`${path}: takes the place of the ${replaced.join(', ')} written by hand; uninstall puts it back.`]
        : []
    }),
    ...(plugins?.hasOurs(readData(plugins.file(machine)))
      ? [`The plugin session-mcp is installed in ${title} as well, and both would run: remove one of them.`]
      : []),
    ...(/[\\/]_npx[\\/]/.test(program.server)
      ? ['session-mcp runs from the cache of npx, which may be emptied: install it with npm install -g session-mcp.']
      : []),
  ]
}
