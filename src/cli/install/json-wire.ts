/** Our entries put into the text of a host's JSON file, and taken out of it again. Pure: text in, text out. */

import { isDeepStrictEqual } from 'node:util'
import type { Json, JsonPath, WiredFile, WiredLists } from '../../hosts/wiring.ts'
import { type Content, type Format, type Traces, Unfit } from './format.ts'
import { addItem, addMember, remove, set, setText } from './json-edit.ts'
import { childOf, jsonOf, lineOf, Malformed, type Parsed, parseJson, type Tree, treeAt } from './json-tree.ts'

export const jsonFormat: Format = {
  parse: (text) => contentOf(text, parsed(text)),
  read: (text, file) => contentOf(text, inspect(text, file)),
  putIn,
  takeOut,
  tracesOf,
}

function contentOf(text: string, { root, extra }: Parsed): Content {
  return {
    root: root && jsonOf(root),
    extra: extra && { line: lineOf(text, extra.offset), what: extra.what },
  }
}

function parsed(text: string): Parsed {
  try {
    return parseJson(text)
  } catch (fault) {
    if (!(fault instanceof Malformed)) throw fault
    throw new Unfit(lineOf(text, fault.offset), fault.message)
  }
}

/** @throws Unfit for what is no JSON, or has another shape than the host reads. */
function inspect(text: string, file: WiredFile): Parsed {
  const whole = parsed(text)
  const { root } = whole
  const expect = (path: JsonPath, kind: 'object' | 'array') => {
    const tree = treeAt(root, path)
    if (tree === undefined || tree.kind === kind) return
    const what = path.length === 0 ? 'the whole file' : path.map((key) => JSON.stringify(key)).join(' in ')
    throw new Unfit(lineOf(text, tree.start), `${what} is ${NOUNS[tree.kind]}, where the host reads ${NOUNS[kind]}`)
  }
  expect([], 'object')
  for (const { at } of file.members) for (let i = 1; i < at.length; i++) expect(at.slice(0, i), 'object')
  for (const { at, items } of file.lists) {
    for (let i = 1; i <= at.length; i++) expect(at.slice(0, i), 'object')
    for (const name of Object.keys(items)) expect([...at, name], 'array')
  }
  return whole
}

const NOUNS = { object: 'an object', array: 'a list', scalar: 'a single value' } as const

function putIn(text: string, file: WiredFile): string {
  inspect(text, file)
  let next = text
  for (const { at, value } of file.members) {
    const old = lookUp(next, at)
    if (old === undefined) next = addMember(ensure(next, at.slice(0, -1)), at.slice(0, -1), String(at.at(-1)), value)
    else if (!isDeepStrictEqual(jsonOf(old), value)) next = set(next, at, value)
  }
  for (const lists of file.lists) {
    const { at, items } = lists
    for (const [name, item] of Object.entries(items)) next = putItem(next, [...at, name], item, lists)
    for (const { key } of listsIn(next, at)) {
      if (!Object.hasOwn(items, key)) next = takeList(next, [...at, key], lists, () => true)
    }
  }
  return next
}

function takeOut(text: string, file: WiredFile, traces: Traces | undefined): string {
  inspect(text, file)
  const mayGo = (path: JsonPath) => traces === undefined || traces.made.some((made) => isDeepStrictEqual(made, path))
  let next = text
  for (const { at, isOurs, extra } of file.members) {
    const old = lookUp(next, at)
    const before = traces?.replaced.find((entry) => isDeepStrictEqual(entry.at, at))
    // An extra is only ours where it says so: an install without it says nothing of what is there.
    if (old === undefined || ((traces === undefined || extra !== undefined) && !isOurs(jsonOf(old)))) continue
    next = before === undefined ? prune(remove(next, at), at.slice(0, -1), mayGo) : setText(next, at, before.text)
  }
  for (const lists of file.lists) {
    for (const { key } of listsIn(next, lists.at)) {
      next = takeList(next, [...lists.at, key], lists, mayGo)
    }
  }
  return next
}

function tracesOf(base: string, next: string, file: WiredFile): Traces {
  if (file.copy !== undefined) return { made: [], replaced: [] }
  const [before, after] = [parseJson(base).root, parseJson(next).root]
  const ancestors = (path: JsonPath) => path.map((_, i) => path.slice(0, i + 1))
  const rooms = [
    ...file.members.flatMap(({ at }) => ancestors(at.slice(0, -1))),
    ...file.lists.flatMap(({ at, items }) => [
      ...ancestors(at),
      ...Object.keys(items).map((name): JsonPath => [...at, name]),
    ]),
  ]
  return {
    made: rooms.filter((path) => treeAt(after, path) !== undefined && treeAt(before, path) === undefined),
    replaced: file.members.flatMap(({ at }) => {
      const old = treeAt(before, at)
      return old === undefined ? [] : [{ at, text: base.slice(old.start, old.end) }]
    }),
  }
}

/** Where ours are in a list, in the order of the text. */
function oursIn(list: Tree | undefined, { ours }: WiredLists): JsonPath[] {
  if (list?.kind !== 'array') return []
  return list.items.flatMap((item, i) => ours(jsonOf(item)).map((path) => [i, ...path]))
}

/** The lists under an object, whatever they are called. */
function listsIn(text: string, at: JsonPath): { readonly key: string; readonly list: Tree }[] {
  const object = lookUp(text, at)
  if (object?.kind !== 'object') return []
  return object.members.flatMap(({ key, value }) =>
    value.kind === 'array' && childOf(object, key) === value ? [{ key, list: value }] : [],
  )
}

/** One whole item of ours stays, in its place and with the value it must have; all others of ours go. */
function putItem(text: string, path: JsonPath, value: Json, lists: WiredLists): string {
  const found = oursIn(lookUp(text, path), lists)
  const kept = found.find((at) => at.length === 1)
  if (kept === undefined) return addItem(ensureList(takeItems(text, path, lists, 0), path), path, value)
  const cleaned = takeItems(text, path, lists, 1)
  const place = [...path, ...kept]
  const old = lookUp(cleaned, place)
  return old !== undefined && isDeepStrictEqual(jsonOf(old), value) ? cleaned : set(cleaned, place, value)
}

/** Removes ours from a list, except for the first `keep` whole items. */
function takeItems(text: string, path: JsonPath, lists: WiredLists, keep: number): string {
  const found = oursIn(lookUp(text, path), lists)
  const kept = found.filter((at) => at.length === 1).slice(0, keep)
  return found
    .filter((at) => !kept.includes(at))
    .reverse()
    .reduce((next, at) => remove(next, [...path, ...at]), text)
}

/** Removes all of ours from a list, and the list where that empties it. */
function takeList(text: string, path: JsonPath, lists: WiredLists, mayGo: (path: JsonPath) => boolean): string {
  const without = takeItems(text, path, lists, 0)
  return without === text ? text : prune(without, path, mayGo)
}

/** Makes the objects on the way that are missing. */
function ensure(text: string, path: JsonPath): string {
  return path.reduce<string>((next, key, i) => {
    if (lookUp(next, path.slice(0, i + 1)) !== undefined) return next
    return addMember(next, path.slice(0, i), String(key), {})
  }, text)
}

function ensureList(text: string, path: JsonPath): string {
  const next = ensure(text, path.slice(0, -1))
  return lookUp(next, path) === undefined ? addMember(next, path.slice(0, -1), String(path.at(-1)), []) : next
}

/** Removes what is empty now, from the inside out. */
function prune(text: string, path: JsonPath, mayGo: (path: JsonPath) => boolean): string {
  const tree = path.length === 0 ? undefined : lookUp(text, path)
  const isEmpty =
    (tree?.kind === 'object' && tree.members.length === 0) || (tree?.kind === 'array' && tree.items.length === 0)
  if (tree === undefined || !isEmpty || text.slice(tree.start + 1, tree.end - 1).trim() !== '' || !mayGo(path))
    return text
  // Of two members of one name the earlier would count then, which it never did.
  const around = lookUp(text, path.slice(0, -1))
  if (around?.kind === 'object' && around.members.filter(({ key }) => key === path.at(-1)).length > 1) return text
  return prune(remove(text, path), path.slice(0, -1), mayGo)
}

function lookUp(text: string, path: JsonPath): Tree | undefined {
  return treeAt(parseJson(text).root, path)
}
