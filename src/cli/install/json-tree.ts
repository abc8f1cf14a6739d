/**
 * JSON with comments and trailing commas, parsed into where everything stands. Editing by place is what keeps the rest of
 * a file byte for byte; libraries that print the tree again, or move comments while they edit, do not.
 */

import type { Json, JsonPath } from '../../hosts/wiring.ts'

interface Span {
  readonly start: number
  readonly end: number
}

export interface Member extends Span {
  readonly key: string
  readonly value: Tree
}

export type Tree = Span &
  (
    | { readonly kind: 'object'; readonly members: readonly Member[] }
    | { readonly kind: 'array'; readonly items: readonly Tree[] }
    | { readonly kind: 'scalar'; readonly value: null | boolean | number | string }
  )

export interface Parsed {
  /** Undefined for a file without a value: empty, or comments only. */
  readonly root: Tree | undefined
  /** The first thing plain JSON does not have. */
  readonly extra: Problem | undefined
}

export interface Problem {
  readonly offset: number
  /** What is there: `a comment`, `a comma after the last entry`. */
  readonly what: string
}

/** Thrown for text that is not JSON in any reading. */
export class Malformed extends Error {
  readonly offset: number

  constructor(offset: number, what: string) {
    super(what)
    this.offset = offset
  }
}

export interface Comment extends Span {
  readonly isLine: boolean
}

const BLANK = /[\s\ufeff]*/y
const LINE_COMMENT = /\/\/[^\r\n]*/y
const BLOCK_COMMENT = /\/\*[\s\S]*?\*\//y
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)/y

/** The first offset from `at` on that is neither blank nor comment. `seen` gets the comments on the way. */
export function skip(text: string, at: number, seen?: (comment: Comment) => void): number {
  let offset = at
  for (;;) {
    offset += match(BLANK, text, offset).length
    const line = match(LINE_COMMENT, text, offset)
    const comment = line || match(BLOCK_COMMENT, text, offset)
    if (comment === '') return offset
    seen?.({ start: offset, end: offset + comment.length, isLine: line !== '' })
    offset += comment.length
  }
}

/** @throws Malformed */
export function parseJson(text: string): Parsed {
  let extra: Problem | undefined
  const found = (offset: number, what: string) => {
    extra ??= { offset, what }
  }
  const next = (at: number) => skip(text, at, ({ start }) => found(start, 'a comment'))

  /** What stands between two brackets, entry by entry; `read` gives the end of one. */
  const entries = (open: number, close: string, read: (at: number) => number): number => {
    let at = next(open + 1)
    if (text[at] === close) return at + 1
    for (;;) {
      const end = read(at)
      const after = next(end)
      if (text[after] === close) return after + 1
      if (text[after] !== ',')
        throw new Malformed(after, `${shown(text, after)} stands where "," or "${close}" must be`)
      at = next(after + 1)
      if (text[at] !== close) continue
      found(after, 'a comma after the last entry')
      return at + 1
    }
  }
  const value = (start: number): Tree => {
    if (text[start] === '{') {
      const members: Member[] = []
      const end = entries(start, '}', (at) => {
        const raw = match(STRING, text, at)
        if (raw === '') throw new Malformed(at, `${shown(text, at)} stands where a name in quotes must be`)
        const colon = next(at + raw.length)
        if (text[colon] !== ':') throw new Malformed(colon, `${shown(text, colon)} stands where ":" must be`)
        const child = value(next(colon + 1))
        members.push({ key: JSON.parse(raw), start: at, end: child.end, value: child })
        return child.end
      })
      return { kind: 'object', start, end, members }
    }
    if (text[start] === '[') {
      const items: Tree[] = []
      const end = entries(start, ']', (at) => {
        const child = value(at)
        items.push(child)
        return child.end
      })
      return { kind: 'array', start, end, items }
    }
    const raw = match(STRING, text, start) || match(SCALAR, text, start)
    if (raw === '') throw new Malformed(start, `${shown(text, start)} stands where a value must be`)
    return { kind: 'scalar', start, end: start + raw.length, value: JSON.parse(raw) }
  }

  const start = next(0)
  if (start === text.length) return { root: undefined, extra }
  const root = value(start)
  const rest = next(root.end)
  if (rest < text.length) throw new Malformed(rest, `${shown(text, rest)} stands after the end`)
  return { root, extra }
}

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}

function shown(text: string, at: number): string {
  if (at >= text.length) return 'the end of the file'
  return /^\w+|^./su.exec(text.slice(at, at + 20))?.[0] ?? ''
}

/** Of two members of one name the later one counts, as it does for JSON.parse. */
export function childOf(tree: Tree | undefined, key: string | number): Tree | undefined {
  if (tree?.kind === 'array') return typeof key === 'number' ? tree.items[key] : undefined
  return tree?.kind === 'object' ? tree.members.findLast((member) => member.key === key)?.value : undefined
}

export function treeAt(tree: Tree | undefined, path: JsonPath): Tree | undefined {
  return path.reduce<Tree | undefined>(childOf, tree)
}

/** What the text says, without where it says it. */
export function jsonOf(tree: Tree): Json {
  if (tree.kind === 'scalar') return tree.value
  if (tree.kind === 'array') return tree.items.map(jsonOf)
  return Object.fromEntries(tree.members.map(({ key, value }) => [key, jsonOf(value)]))
}

export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
