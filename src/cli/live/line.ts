/** A line of text being typed: whole characters as people see them, with a cursor between two of them. */

import { widthOf } from '../width.ts'

export interface Line {
  readonly before: string
  readonly after: string
}

export const EMPTY_LINE: Line = { before: '', after: '' }

export type Edit = 'left' | 'right' | 'home' | 'end' | 'backspace' | 'delete' | 'clear' | 'word'

let segmenter: Intl.Segmenter | undefined

function characters(text: string): string[] {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return [...segmenter.segment(text)].map(({ segment }) => segment)
}

export function textOf({ before, after }: Line): string {
  return before + after
}

export function typeInto({ before, after }: Line, text: string): Line {
  return { before: before + text, after }
}

export function edit(line: Line, how: Edit): Line {
  const { before, after } = line
  const left = characters(before)
  const last = left.at(-1) ?? ''
  const next = characters(after)[0] ?? ''
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
      return { before: before.replace(/\S*\s*$/u, ''), after }
    case 'clear':
      return EMPTY_LINE
  }
}

/** The part around the cursor that fits into `columns`, and the column of the cursor in it. Line breaks show as a sign. */
export function windowOf({ before, after }: Line, columns: number): { readonly text: string; readonly cursor: number } {
  const shown = (text: string) => text.replaceAll('\n', '↵').replaceAll('\t', ' ')
  const left: string[] = []
  let width = 0
  // The cursor itself takes the last column.
  for (const each of characters(shown(before)).reverse()) {
    if (width + widthOf(each) > columns - 1) break
    left.unshift(each)
    width += widthOf(each)
  }
  const cursor = width
  const right: string[] = []
  for (const each of characters(shown(after))) {
    if (width + widthOf(each) > columns - 1) break
    right.push(each)
    width += widthOf(each)
  }
  return { text: [...left, ...right].join(''), cursor }
}
