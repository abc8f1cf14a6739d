/** What a host's files say now: which entries are ours, and what they start. Reads, never writes. */

import fs from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import type {
  HeldBack,
  Json,
  JsonPath,
  Launch,
  Machine,
  Program,
  WiredCopy,
  WiredFile,
  Wiring,
} from '../../hosts/wiring.ts'
import { Unfit } from './format.ts'
import { formatOf } from './formats.ts'
import { ChangedMeanwhile, type HostFile, readHostFile } from './host-file.ts'
import { type FileRecord, type InstallRecord, loadRecord } from './record.ts'
import { unreadable } from './refuse.ts'

export interface Entry {
  /** The event, or what the member is. */
  readonly label: string
  readonly value: Json
  readonly launch: Launch | undefined
}

export interface Look {
  readonly file: WiredFile
  readonly now: HostFile
  readonly root: Json | undefined
  readonly ours: readonly Entry[]
  /** Members of our name that somebody wrote by hand. */
  readonly byHand: readonly string[]
  /** What makes the host ignore it, in a sentence. */
  readonly ignored: string | undefined
}

/** At all files of a host. @throws BusError, as `lookAt` does. */
export function looksOf(wiring: Wiring, machine: Machine, program: Program): Look[] {
  return wiring.files(machine, program).map((file) => lookAt(file, wiring))
}

/** @throws BusError for what cannot be read, or is not what the host reads; with the line. */
export function lookAt(file: WiredFile, wiring: Wiring): Look {
  const now = readHostFile(file.path)
  if (file.copy !== undefined) return { file, now, root: undefined, ignored: undefined, ...wholeFile(now, file.copy) }
  const { root, extra } = fitting(file, wiring, () => formatOf(file).read(now.text ?? '', file))
  const entry = (label: string, value: Json): Entry => ({ label, value, launch: wiring.launch(value) })
  const members = file.members.flatMap((member) => {
    const found = valueAt(root, member.at)
    return found === undefined ? [] : [{ ...member, found }]
  })
  const items = file.lists.flatMap((lists) =>
    membersOf(valueAt(root, lists.at)).flatMap(([key, list]) =>
      (Array.isArray(list) ? list : []).flatMap((item: Json) =>
        lists.ours(item).flatMap((at) => {
          const value = valueAt(item, at)
          return value === undefined ? [] : [entry(key, value)]
        }),
      ),
    ),
  )
  const ours = members.filter(({ isOurs, found }) => isOurs(found))
  const ignored =
    file.isStrict && extra !== undefined
      ? `Line ${extra.line} has ${extra.what}: ${wiring.title} reads plain JSON only and ignores the whole file.`
      : root === undefined
        ? undefined
        : file.obstacle?.(root)
  return {
    file,
    now,
    root,
    ours: [...ours.map(({ label, found }) => entry(label, found)), ...items],
    byHand: members.filter((member) => !ours.includes(member)).map(({ label }) => label),
    ignored,
  }
}

/** What an install without extras puts into the file. */
function usualLabels({ copy, members, lists, misplaced }: WiredFile): readonly string[] {
  if (misplaced !== undefined) return []
  return [
    ...(copy === undefined ? [] : [copy.label]),
    ...lists.flatMap(({ items }) => Object.keys(items)),
    ...members.filter(({ extra }) => extra === undefined).map(({ label }) => label),
  ]
}

/** Of those, what is not there. Under our name what a person wrote is as good as ours. */
export function missingIn({ file, ours, byHand }: Look): readonly string[] {
  return usualLabels(file).filter((label) => !ours.some((entry) => entry.label === label) && !byHand.includes(label))
}

function wholeFile({ text }: HostFile, { label, isOurs }: WiredCopy): Pick<Look, 'ours' | 'byHand'> {
  if (text === undefined) return { ours: [], byHand: [] }
  return isOurs(text)
    ? { ours: [{ label, value: text, launch: undefined }], byHand: [] }
    : { ours: [], byHand: [label] }
}

/** What the host makes of its own files: entries of ours that it does not run yet. */
export function heldBack(wiring: Wiring, looks: readonly Look[]): readonly HeldBack[] {
  const data = Object.fromEntries(
    looks.map(({ file, now, root }) => [file.name, { root, paths: [...new Set([file.path, now.target])] }]),
  )
  return wiring.approval?.held(data) ?? []
}

/** Runs what reads or edits a file. @throws BusError in place of Unfit, with the line and what to do. */
export function fitting<T>(file: WiredFile, wiring: Wiring, run: () => T): T {
  try {
    return run()
  } catch (fault) {
    if (!(fault instanceof Unfit)) throw fault
    throw unreadable(
      `${file.path}, line ${fault.line}: ${fault.message}.`,
      `${fault.hint ?? `Correct that line; ${wiring.title} needs it as well.`} Then try again.`,
      fault,
    )
  }
}

function valueAt(root: Json | undefined, path: JsonPath): Json | undefined {
  return path.reduce<Json | undefined>((value, key) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    return (value as Readonly<Record<string | number, Json>>)[key]
  }, root)
}

function membersOf(value: Json | undefined): [string, Json][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
}

export interface Known {
  readonly home: string
  readonly record: InstallRecord
}

/** The record of the install: in this home, else in the one the entries name. */
export function findRecord(key: string, looks: readonly Look[], home: string): Known | undefined {
  const homes = [home, ...looks.flatMap(({ ours }) => ours.flatMap(({ launch }) => launch?.home ?? []))]
  for (const candidate of new Set(homes)) {
    const record = loadRecord(candidate, key)
    if (record !== undefined) return { home: candidate, record }
  }
  return undefined
}

/**
 * What is undone by a record is only known as long as it is the newest.
 * @throws ChangedMeanwhile where another install or uninstall of the same host ended since it was read.
 */
export function requireSame(known: Known | undefined, key: string, home: string): void {
  const now = loadRecord(known?.home ?? home, key)
  if (!isDeepStrictEqual(now, known?.record))
    throw new ChangedMeanwhile(`the install of ${key} was changed by another program`)
}

/** The host's files as they are wired, and those an earlier install wrote elsewhere (another CLAUDE_CONFIG_DIR). */
export function allFiles(
  wiring: Wiring,
  machine: Machine,
  program: Program,
  record: InstallRecord | undefined,
): WiredFile[] {
  const files = wiring.files(machine, program)
  const others = (record?.files ?? []).flatMap(({ path, name }) => {
    const like = files.find((file) => file.name === name)
    return like === undefined || files.some((file) => file.path === path) ? [] : [{ ...like, path }]
  })
  return [...files, ...others]
}

export function recordOf(known: Known | undefined, file: WiredFile): FileRecord | undefined {
  return known?.record.files.find(({ path }) => path === file.path)
}

/** A file of the host that is only looked at; undefined where it is missing or says nothing. */
export function readData(file: string): unknown {
  try {
    if (!fs.statSync(file).isFile()) return undefined
    return formatOf({ path: file }).parse(fs.readFileSync(file, 'utf8')).root
  } catch {
    return undefined // observed files may be anything, and nothing depends on them
  }
}
