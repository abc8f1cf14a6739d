/** Rows in columns that fit the terminal: what can shrink shrinks, then what can be missed is left out. */

import type { Painter } from './paint.ts'
import { oneLine } from './safe-text.ts'
import { cut, cutStart, pad, widthOf } from './width.ts'

export interface Cell {
  readonly text: string
  readonly paint?: Painter
}

export interface Column {
  readonly title: string
  readonly align?: 'left' | 'right'
  /** The narrowest it may become; without it the column never shrinks. */
  readonly min?: number
  /** The width below which it says little: others are left out before it shrinks further. */
  readonly good?: number
  /** Which end is kept when it shrinks. */
  readonly keep?: 'start' | 'end'
  /** Left out when the rest does not fit: the highest first, 0 only as a last resort. Without it the column always stays. */
  readonly drop?: number
}

const GAP = 2

/** Lines without a line end. A column in which every cell is empty is not shown. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  width: number,
  head: Painter | undefined,
): string[] {
  const texts = rows.map((row) => columns.map((_, i) => oneLine(row[i]?.text ?? '')))
  const natural = columns.map((column, i) => {
    const widest = Math.max(
      head === undefined ? 0 : widthOf(column.title),
      ...texts.map((row) => widthOf(row[i] ?? '')),
    )
    // What can shrink has to fit by itself: from there on it shrinks column by column.
    return Math.min(widest, Math.max(width, column.good ?? column.min ?? widest))
  })
  const filled = columns.map((_, i) => i).filter((i) => texts.some((row) => row[i] !== ''))
  const { shown, widths } = layOut(columns, filled, natural, width)
  const line = (cells: (i: number) => string, painters: (i: number) => Painter | undefined): string =>
    shown
      .map((i, at) => {
        const column = columns[i]
        const shorten = column?.keep === 'end' ? cutStart : cut
        const text = shorten(cells(i), widths[i] ?? 0)
        const isLast = at === shown.length - 1
        const full = isLast && column?.align !== 'right' ? text : pad(text, widths[i] ?? 0, column?.align)
        return painters(i)?.(full) ?? full
      })
      .join(' '.repeat(GAP))
      .trimEnd()
  const body = rows.map((row, r) =>
    line(
      (i) => texts[r]?.[i] ?? '',
      (i) => row[i]?.paint,
    ),
  )
  return head === undefined
    ? body
    : [
        line(
          (i) => columns[i]?.title ?? '',
          () => head,
        ),
        ...body,
      ]
}

function layOut(columns: readonly Column[], filled: readonly number[], natural: readonly number[], width: number) {
  let shown = [...filled]
  const phases = [
    { least: (i: number) => columns[i]?.good ?? columns[i]?.min, isDroppable: (drop = 0) => drop > 0 },
    { least: (i: number) => columns[i]?.min, isDroppable: (drop?: number) => drop !== undefined },
  ]
  for (const { least, isDroppable } of phases) {
    for (;;) {
      const widths = shrink(shown, natural, width, least)
      if (total(shown, widths) <= width) return { shown, widths }
      const worst = shown
        .filter((i) => isDroppable(columns[i]?.drop))
        .sort((a, b) => (columns[b]?.drop ?? 0) - (columns[a]?.drop ?? 0))[0]
      if (worst === undefined) break
      shown = shown.filter((i) => i !== worst)
    }
  }
  return { shown, widths: shrink(shown, natural, width, (i) => columns[i]?.min) }
}

/** Takes from the widest that may shrink, until all fit or none may. */
function shrink(
  shown: readonly number[],
  natural: readonly number[],
  width: number,
  least: (i: number) => number | undefined,
): number[] {
  const widths = [...natural]
  for (let over = total(shown, widths) - width; over > 0; over--) {
    const able = shown.filter((i) => (widths[i] ?? 0) > (least(i) ?? Number.POSITIVE_INFINITY))
    const widest = able.sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))[0]
    if (widest === undefined) break
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}

function total(shown: readonly number[], widths: readonly number[]): number {
  return shown.reduce((sum, i) => sum + (widths[i] ?? 0), 0) + GAP * Math.max(0, shown.length - 1)
}
