/** A line of text being typed: whole characters as people see them, with a cursor between two of them. */

import { widthOf } from '../width.ts'

export interface Line {
  readonly before: string
  readonly after: string
}

export const EMPTY_LINE: Line = { before: '', after: '' }

export type Edit = 'left' | 'right' | 'home' | 'end' | 'backspace' | 'delete' | 'clear' | 'word'

let segmenter: Intl.Segmenter | undefined

/**
 * So much of a text is looked at beside the cursor: more than any screen shows, and than any one character takes.
 * A pasted file comes in hundreds of pieces, and the screen is drawn after each.
 */
const REACH = 4_096

function characters(text: string): string[] {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return [...segmenter.segment(text)].map(({ segment }) => segment)
}

function endOf(text: string): string {
  const end = text.slice(-REACH)
  return /^[\udc00-\udfff]/.test(end) ? end.slice(1) : end
}

function startOf(text: string): string {
  const start = text.slice(0, REACH)
  return /[\ud800-\udbff]$/.test(start) ? start.slice(0, -1) : start
}

export function textOf({ before, after }: Line): string {
  return before + after
}

export function typeInto({ before, after }: Line, text: string): Line {
  return { before: before + text, after }
}

export function edit(line: Line, how: Edit): Line {
  const { before, after } = line
  const last = characters(endOf(before)).at(-1) ?? ''
  const next = characters(startOf(after))[0] ?? ''
  switch (how) {
    case 'left':
      return { before: before.slice(0, before.length - last.length), after: last + after }
    case 'right':
      return { before: before + next, after: after.slice(next.length) }
    case 'home':
      return { before: '', after: before + after }
    case 'end':
      return { before: before + after, after: '' }
    case 'backspace':
      return { before: before.slice(0, before.length - last.length), after }
    case 'delete':
      return { before, after: after.slice(next.length) }
    case 'word':
      return { before: withoutLastWord(before), after }
    case 'clear':
      return EMPTY_LINE
  }
}

function withoutLastWord(text: string): string {
  let end = text.trimEnd().length
  while (end > 0 && /\S/u.test(text[end - 1] ?? '')) end--
  return text.slice(0, end)
}

/** The part around the cursor that fits into `columns`, and the column of the cursor in it. Line breaks show as a sign. */
export function windowOf({ before, after }: Line, columns: number): { readonly text: string; readonly cursor: number } {
  const shown = (text: string) => text.replaceAll('\n', '↵').replaceAll('\t', ' ')
  const left: string[] = []
  let width = 0
  // The cursor itself takes the last column.
  for (const each of characters(shown(endOf(before))).reverse()) {
    if (width + widthOf(each) > columns - 1) break
    left.unshift(each)
    width += widthOf(each)
  }
  const cursor = width
  const right: string[] = []
  for (const each of characters(shown(startOf(after)))) {
    if (width + widthOf(each) > columns - 1) break
    right.push(each)
    width += widthOf(each)
  }
  return { text: [...left, ...right].join(''), cursor }
}
