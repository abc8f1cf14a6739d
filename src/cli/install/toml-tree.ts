/**
 * Where the tables of a TOML text stand. What the text says, a library reads; editing by place is ours, since what libraries
 * print again has lost its comments and its order.
 */

import { parse, TomlError } from 'smol-toml'
import type { Json } from '../../hosts/wiring.ts'
import { Unfit } from './format.ts'

interface Span {
  readonly start: number
  readonly end: number
}

export interface Statement extends Span {
  /** As written, up to the sign: `a.b` or `"a b"`. */
  readonly key: string
}

export interface Table extends Span {
  /** Empty for what stands before the first header. */
  readonly path: readonly string[]
  readonly isArray: boolean
  /** Each with its line; comments between them belong to nobody. */
  readonly statements: readonly Statement[]
}

/** @throws Unfit with the line. */
export function parseToml(text: string): Json {
  try {
    // Dates become text: nothing of ours is one.
    return JSON.parse(JSON.stringify(parse(text.replace(/^\ufeff/, ''))))
  } catch (fault) {
    if (!(fault instanceof TomlError)) throw fault
    const what = fault.message.split('\n')[0] ?? ''
    throw new Unfit(fault.line, what.replace(/^Invalid TOML document: /, ''))
  }
}

/**
 * The tables of a text that parses, in its order. A table ends with its last statement: what stands between it and the next
 * header introduces that one.
 */
export function tablesOf(text: string): Table[] {
  const tables: { path: string[]; isArray: boolean; start: number; end: number; statements: Statement[] }[] = []
  let current = { path: [] as string[], isArray: false, start: 0, end: 0, statements: [] as Statement[] }
  tables.push(current)
  let at = skipBlank(text, text.startsWith('\ufeff') ? 1 : 0)
  while (at < text.length) {
    const start = lineStart(text, at)
    const end = endOfStatement(text, at)
    if (text[at] === '[') {
      const isArray = text[at + 1] === '['
      current = { path: pathOf(text.slice(at, end)), isArray, start, end, statements: [] }
      tables.push(current)
    } else {
      current.statements.push({ key: keyAt(text, at), start, end })
      current.end = end
    }
    at = skipBlank(text, end)
  }
  return tables
}

/** Past white space, line ends and comments. */
function skipBlank(text: string, at: number): number {
  const blank = /(?:\s+|#[^\n]*)*/y
  blank.lastIndex = at
  return at + (blank.exec(text)?.[0].length ?? 0)
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1
}

/** Past the line end of the statement that begins at `at`, through strings and brackets of many lines. */
function endOfStatement(text: string, at: number): number {
  const token =
    /"""(?:[^\\]|\\[\s\S])*?"{3,5}|'''[\s\S]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[[\]{}\n]|[^"'#[\]{}\n]+/y
  let depth = 0
  token.lastIndex = at
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [piece] = match
    if (piece === '[' || piece === '{') depth++
    else if (piece === ']' || piece === '}') depth--
    else if (piece === '\n' && depth === 0) return token.lastIndex
  }
  return text.length
}

function keyAt(text: string, at: number): string {
  const key = /(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^=\s"'])(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^="'\n])*/y
  key.lastIndex = at
  return (key.exec(text)?.[0] ?? '').trim()
}

/** Of a header line: the library knows how keys are quoted. */
function pathOf(header: string): string[] {
  const path: string[] = []
  let value: unknown = parse(header)
  for (;;) {
    if (Array.isArray(value)) value = value[0]
    if (typeof value !== 'object' || value === null) return path
    const [key] = Object.keys(value)
    if (key === undefined) return path
    path.push(key)
    value = (value as Record<string, unknown>)[key]
  }
}
