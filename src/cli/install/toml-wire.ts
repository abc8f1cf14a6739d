/**
 * Our tables put into the text of a host's TOML file, and taken out of it again. Pure: text in, text out. Every edit is
 * read again by the library and must have changed our table and nothing else.
 */

import { isDeepStrictEqual } from 'node:util'
import type { Json, WiredMember } from '../../hosts/wiring.ts'
import { type Content, type Format, type Traces, Unfit } from './format.ts'
import { parseToml, type Table, tablesOf } from './toml-tree.ts'

export const tomlFormat: Format = {
  parse,
  read(text, file) {
    const content = parse(text)
    for (const { at } of file.members) for (let i = 1; i < at.length; i++) requireTable(content.root, at.slice(0, i))
    return content
  },
  putIn(text, { members }) {
    return members.reduce(putMember, text)
  },
  takeOut(text, { members }, traces) {
    return members.reduce((next, member) => takeMember(next, member, traces), text)
  },
  tracesOf(base, _next, { members }) {
    return {
      made: [],
      replaced: members.flatMap(({ at }) => {
        const table = tableAt(base, at)
        return table === undefined ? [] : [{ at, text: base.slice(table.start, table.end) }]
      }),
    }
  },
}

function parse(text: string): Content {
  return { root: text.trim() === '' ? undefined : parseToml(text), extra: undefined }
}

function putMember(text: string, member: WiredMember): string {
  const { at, value } = member
  const found = valueAt(parseToml(text), at)
  if (found === undefined) return checked(text, append(text, print(at, value, eolOf(text))), at, value)
  const table = tableAt(text, at)
  if (table === undefined) throw notATable(text, at)
  const isOurs = member.isOurs(found)
  const wanted = isOurs ? { ...objectOf(found), ...objectOf(value) } : merged(text, at, found, value)
  if (isDeepStrictEqual(found, wanted)) return text
  // What a person added to our table, such as a time-out, stays.
  const ours = Object.keys(objectOf(value))
  const kept = isOurs ? table.statements.filter(({ key }) => !ours.includes(key)) : []
  const block = print(at, value, eolOf(text)) + kept.map(({ start, end }) => text.slice(start, end)).join('')
  return checked(text, text.slice(0, table.start) + block + text.slice(table.end), at, wanted)
}

/** By hand: its own lines go, tables below it stay. */
function merged(text: string, at: readonly string[], found: Json, value: Json): Json {
  const below = tablesOf(text).flatMap(({ path }) => (isBelow(path, at) ? (path[at.length] ?? []) : []))
  const tables = Object.entries(objectOf(found)).filter(([key]) => below.includes(key))
  return { ...Object.fromEntries(tables), ...objectOf(value) }
}

/** The table itself included. */
function isBelow(path: readonly string[], at: readonly string[]): boolean {
  return at.every((key, i) => path[i] === key)
}

function takeMember(text: string, { at, isOurs }: WiredMember, traces: Traces | undefined): string {
  const found = valueAt(parseToml(text), at)
  const before = traces?.replaced.find((entry) => isDeepStrictEqual(entry.at, at))
  if (found === undefined || (traces === undefined && !isOurs(found))) return text
  const table = tableAt(text, at)
  if (table === undefined) throw notATable(text, at)
  if (before !== undefined) return text.slice(0, table.start) + before.text + text.slice(table.end)
  // Tables below ours, such as what the person allowed its tools, mean nothing without it, and the host would refuse them.
  const gone = tablesOf(text).filter(({ path }) => isBelow(path, at))
  const next = gone.toReversed().reduce((rest, each) => cut(rest, each), text)
  return checked(text, next, at, undefined)
}

/** With the empty line that was put in front of it. */
function cut(text: string, { start, end }: Table): string {
  const head = text.slice(0, start)
  const blank = /\r?\n(\r?\n)$/.exec(head)?.[1] ?? ''
  return head.slice(0, head.length - blank.length) + text.slice(end)
}

function tableAt(text: string, at: readonly string[]): Table | undefined {
  return tablesOf(text).find(({ path, isArray }) => !isArray && isDeepStrictEqual(path, at))
}

function append(text: string, block: string): string {
  if (text.trim() === '') return text.replace(/[^\ufeff]/g, '') + block
  const eol = eolOf(text)
  return `${text}${text.endsWith('\n') ? '' : eol}${eol}${block}`
}

function print(at: readonly string[], value: Json, eol: string): string {
  const header = `[${at.map(printKey).join('.')}]`
  const lines = Object.entries(objectOf(value)).map(([key, each]) => `${printKey(key)} = ${printValue(each)}`)
  return [header, ...lines, ''].join(eol)
}

function printKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key)
}

/** JSON’s texts, numbers and lists are TOML but for one letter, which JSON leaves as it is. */
function printValue(value: Json): string {
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f')
}

function eolOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n'
}

/** @throws Unfit where the edit did more or less than it should, as in a text where our table stands twice. */
function checked(before: string, after: string, at: readonly string[], value: Json | undefined): string {
  const parent = at.slice(0, -1).join('.')
  const what = `${parent} is written so that no program can edit it, such as a table on one line`
  const fail = () => new Unfit(lineOf(before, at[0]), what, asTable(at))
  let now: Json
  try {
    now = parseToml(after)
  } catch {
    throw fail()
  }
  const isSame = isDeepStrictEqual(without(parseToml(before), at), without(now, at))
  if (!isSame || !isDeepStrictEqual(valueAt(now, at), value)) throw fail()
  return after
}

/** All of it but one table; tables that are empty without it are no difference. */
function without(root: Json, [key, ...rest]: readonly string[]): Json {
  if (key === undefined || !isObject(root)) return root
  const { [key]: child, ...others } = root
  const less = child === undefined || rest.length === 0 ? undefined : without(child, rest)
  return less === undefined || (isObject(less) && Object.keys(less).length === 0) ? others : { ...others, [key]: less }
}

function requireTable(root: Json | undefined, path: readonly string[]): void {
  const value = valueAt(root, path)
  if (value === undefined || isObject(value)) return
  throw new Unfit(1, `${path.join('.')} is no table`)
}

function notATable(text: string, at: readonly string[]): Unfit {
  return new Unfit(lineOf(text, at.at(-1)), `${at.join('.')} is there, but not as a table of its own`, asTable(at))
}

function asTable(at: readonly string[]): string {
  const parent = at.slice(0, -1).map(printKey).join('.')
  return `Write everything in ${parent} as tables of their own: a line such as [${parent}.NAME], and its keys below.`
}

/** Where the word stands first. */
function lineOf(text: string, word = ''): number {
  return text.slice(0, Math.max(0, text.indexOf(word))).split('\n').length
}

function valueAt(root: Json | undefined, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    root,
  )
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function objectOf(value: Json): { readonly [key: string]: Json } {
  return isObject(value) ? value : {}
}
