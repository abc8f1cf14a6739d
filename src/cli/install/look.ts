/** What a host's files say now: which entries are ours, and what they start. Reads, never writes. */

import fs from 'node:fs'
import type { Json, Launch, Machine, Program, WiredCopy, WiredFile, Wiring } from '../../hosts/wiring.ts'
import { type HostFile, readHostFile } from './host-file.ts'
import { jsonOf, lineOf, parseJson, treeAt } from './json-tree.ts'
import { type FileRecord, type InstallRecord, loadRecord } from './record.ts'
import { unreadable } from './refuse.ts'
import { inspect, listsIn, oursIn, Unfit } from './wire.ts'

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

/** @throws BusError for what cannot be read, or is not what the host reads; with the line. */
export function lookAt(file: WiredFile, wiring: Wiring): Look {
  const now = readHostFile(file.path)
  if (file.copy !== undefined) return { file, now, root: undefined, ignored: undefined, ...wholeFile(now, file.copy) }
  const text = now.text ?? ''
  const { root, extra } = inspected(text, file, wiring)
  const entry = (label: string, value: Json): Entry => ({ label, value, launch: wiring.launch(value) })
  const members = file.members.flatMap((member) => {
    const tree = treeAt(root, member.at)
    return tree === undefined ? [] : [{ ...member, found: jsonOf(tree) }]
  })
  const items = file.lists.flatMap((lists) =>
    listsIn(text, lists.at).flatMap(({ key, list }) =>
      oursIn(list, lists).flatMap((at) => {
        const tree = treeAt(list, at)
        return tree === undefined ? [] : [entry(key, jsonOf(tree))]
      }),
    ),
  )
  const ours = members.filter(({ isOurs, found }) => isOurs(found))
  const ignored =
    file.isStrict && extra !== undefined
      ? `Line ${lineOf(text, extra.offset)} has ${extra.what}: ${wiring.title} reads plain JSON only and ignores the whole file.`
      : root && file.obstacle?.(jsonOf(root))
  return {
    file,
    now,
    root: root && jsonOf(root),
    ours: [...ours.map(({ label, found }) => entry(label, found)), ...items],
    byHand: members.filter((member) => !ours.includes(member)).map(({ label }) => label),
    ignored,
  }
}

function wholeFile({ text }: HostFile, { label, isOurs }: WiredCopy): Pick<Look, 'ours' | 'byHand'> {
  if (text === undefined) return { ours: [], byHand: [] }
  return isOurs(text)
    ? { ours: [{ label, value: text, launch: undefined }], byHand: [] }
    : { ours: [], byHand: [label] }
}

function inspected(text: string, file: WiredFile, wiring: Wiring) {
  try {
    return inspect(text, file)
  } catch (fault) {
    if (!(fault instanceof Unfit)) throw fault
    throw unreadable(
      `${file.path}, line ${fault.line}: ${fault.message}.`,
      `Correct that line; ${wiring.title} needs it as well. Then try again.`,
      fault,
    )
  }
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

/** A JSON file of the host that is only looked at; undefined where it is missing or says nothing. */
export function readJson(file: string): unknown {
  try {
    const { root } = parseJson(fs.readFileSync(file, 'utf8'))
    return root && jsonOf(root)
  } catch {
    return undefined // observed files may be anything, and nothing depends on them
  }
}
