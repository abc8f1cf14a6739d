/**
 * Edits of JSON text that touch one place and leave every other byte alone. Written the way the file is written: its
 * indentation, its line ends, its trailing commas; on one line where it has one line. {@link remove} takes back what
 * {@link addMember} and {@link addItem} did.
 */

import type { Json, JsonPath } from '../../hosts/wiring.ts'
import { type Comment, parseJson, skip, type Tree, treeAt } from './json-tree.ts'

interface Style {
  readonly eol: string
  readonly unit: string
  /** False for a file that is one line. */
  readonly hasLines: boolean
}

/** Sets a member that is not there. The object must be there, or be the root of a file without a value. */
export function addMember(text: string, object: JsonPath, key: string, value: Json): string {
  const { root } = parseJson(text)
  const style = styleOf(text, root)
  if (root === undefined) {
    const bom = text.startsWith('\ufeff') ? 1 : 0
    const at = Math.max(bom, text.trimEnd().length)
    const gap = at === bom ? '' : style.eol
    return `${text.slice(0, at)}${gap}${print({ [key]: value }, style, '')}${style.eol}`
  }
  return add(text, style, treeAt(root, object), `${JSON.stringify(key)}:`, value)
}

/** Adds an item at the end of an array that is there. */
export function addItem(text: string, array: JsonPath, value: Json): string {
  const { root } = parseJson(text)
  return add(text, styleOf(text, root), treeAt(root, array), '', value)
}

/** Puts another value in the place of one that is there. */
export function set(text: string, path: JsonPath, value: Json): string {
  const { root } = parseJson(text)
  const old = placeOf(root, path)
  const style = styleOf(text, root)
  const hasLines = style.hasLines && text.slice(old.start, old.end).includes('\n')
  return setText(text, path, print(value, { ...style, hasLines }, indentAt(text, old.start)))
}

/** The same with text that is JSON already. */
export function setText(text: string, path: JsonPath, raw: string): string {
  const old = placeOf(parseJson(text).root, path)
  return text.slice(0, old.start) + raw + text.slice(old.end)
}

/** Removes an item or a member, with the comma that then is one too many. Comments stay. */
export function remove(text: string, path: JsonPath): string {
  const { root } = parseJson(text)
  const container = treeAt(root, path.slice(0, -1))
  const key = path.at(-1)
  const spans = spansOf(container)
  const i =
    container?.kind === 'object' ? container.members.findLastIndex((member) => member.key === key) : Number(key ?? -1)
  const span = spans[i]
  if (container === undefined || span === undefined) return text
  const comma = commaAfter(text, span.end)
  const [first, last] = [container.start + 1, container.end - 1]
  if (spans.length === 1 && comments(text, first, last, [span, comma]).length === 0) {
    return text.slice(0, first) + text.slice(last)
  }
  const before = spans[i - 1]
  const gapStart = before === undefined ? first : before.end
  const isLastOne = i === spans.length - 1
  // The last entry takes the comma before it along, unless the file has one after its last entries too.
  const cutComma = comma ?? (isLastOne && before !== undefined ? commaAfter(text, before.end) : undefined)
  const blank = gapStart + text.slice(gapStart, span.start).trimEnd().length
  const onOwnLine = /\n/.test(text.slice(blank, span.start))
  const isAdjacent = comma?.start === span.end
  const afterLine = comments(text, gapStart, span.start).some(({ isLine, end }) => isLine && end >= blank)
  const followed = /^[ \t]*\r?\n/.test(text.slice(isAdjacent ? comma?.end : span.end))
  // What a line comment would swallow stays on its own line.
  const start = (isLastOne || onOwnLine) && (followed || !afterLine) ? blank : span.start
  if (comma !== undefined && isAdjacent && !isLastOne && !onOwnLine) {
    return cut(text, [{ start, end: comma.end + spaces(text, comma.end) }])
  }
  return cut(text, [{ start, end: span.end }, ...(cutComma === undefined ? [] : [cutComma])])
}

interface Span {
  readonly start: number
  readonly end: number
}

function add(text: string, style: Style, container: Tree | undefined, label: string, value: Json): string {
  if (container === undefined || container.kind === 'scalar') throw new Error('nothing to add to')
  const spans = spansOf(container)
  const [open, close] = [container.start + 1, container.end - 1]
  const [first, last] = [spans[0], spans.at(-1)]
  const comma = last === undefined ? undefined : commaAfter(text, last.end)
  // Behind everything that stands in it: comments at the end belong to the entries before.
  const at = open + text.slice(open, close).trimEnd().length
  const outer = indentAt(text, container.start)
  const tail = text.slice(at, close)
  if (first === undefined || last === undefined) {
    if (!style.hasLines && at === open) {
      return text.slice(0, open) + entry(label, value, style, '', text) + text.slice(close)
    }
    const lines = { ...style, hasLines: true }
    const inner = outer + style.unit
    const end = at > open && tail.includes('\n') ? tail : style.eol + outer
    return text.slice(0, at) + style.eol + inner + entry(label, value, lines, inner, text) + end + text.slice(close)
  }
  const hasLines = `${text.slice(open, first.start)}${tail}`.includes('\n')
  const inner = lineStart(text, first.start) ?? outer + style.unit
  const spaced = text.slice(open, close).includes(', ') || / /.test(text.slice(open, first.start))
  const gap = hasLines ? style.eol + inner : spaced ? ' ' : ''
  const added = gap + entry(label, value, { ...style, hasLines }, inner, text) + (comma === undefined ? '' : ',')
  const head = comma === undefined ? `${text.slice(0, last.end)},${text.slice(last.end, at)}` : text.slice(0, at)
  return head + added + text.slice(at)
}

function entry(label: string, value: Json, style: Style, indent: string, text: string): string {
  const colon = label !== '' && (style.hasLines || text.includes('": ')) ? ' ' : ''
  return label + colon + print(value, style, indent)
}

function print(value: Json, { hasLines, unit, eol }: Style, indent: string): string {
  if (!hasLines) return JSON.stringify(value)
  return JSON.stringify(value, undefined, unit).replaceAll('\n', eol + indent)
}

function styleOf(text: string, root: Tree | undefined): Style {
  const eol = /\r?\n/.exec(text)?.[0] ?? '\n'
  const first = spansOf(root)[0]
  const unit = (first && lineStart(text, first.start)) || '  '
  const hasLines = first === undefined || text.slice(root?.start, root?.end).includes('\n')
  return { eol, unit, hasLines }
}

function spansOf(tree: Tree | undefined): readonly Span[] {
  return tree?.kind === 'object' ? tree.members : tree?.kind === 'array' ? tree.items : []
}

function placeOf(root: Tree | undefined, path: JsonPath): Tree {
  const place = treeAt(root, path)
  if (place === undefined) throw new Error('nothing there')
  return place
}

function commaAfter(text: string, end: number): Span | undefined {
  const at = skip(text, end)
  return text[at] === ',' ? { start: at, end: at + 1 } : undefined
}

/** Comments between two offsets, outside of what is to be left out. */
function comments(text: string, from: number, to: number, without: readonly (Span | undefined)[] = []): Comment[] {
  const found: Comment[] = []
  let at = from
  while (at < to) {
    at = skip(text, at, (comment) => found.push(comment))
    if (at < to) at = without.find((span) => span?.start === at)?.end ?? at + 1
  }
  return found.filter(({ start }) => start < to)
}

/** The blanks a line starts with, where nothing else stands before `at` on it. */
function lineStart(text: string, at: number): string | undefined {
  return /\n([ \t]*)$/.exec(text.slice(0, at))?.[1]
}

function indentAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1))?.[0] ?? ''
}

function spaces(text: string, at: number): number {
  return /^[ \t]*/.exec(text.slice(at))?.[0].length ?? 0
}

function cut(text: string, spans: readonly Span[]): string {
  return [...spans]
    .sort((a, b) => b.start - a.start)
    .reduce((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), text)
}
