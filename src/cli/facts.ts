/** What belongs together in pairs: facts with their labels, commands with what they do. */

import type { View } from './output.ts'
import { pad, widthOf, wrap } from './width.ts'

/** Without a value, or with an empty one, the line is left out. */
export type Fact = readonly [label: string, value: string | undefined]

export function factLines(facts: readonly Fact[], view: View): string[] {
  const known = facts.filter((fact): fact is readonly [string, string] => fact[1] !== undefined && fact[1] !== '')
  const left = Math.min(16, Math.max(0, ...known.map(([label]) => widthOf(label))))
  return known.flatMap(([label, value]) => {
    const [first = '', ...more] = wrap(value, view.columns - left - 4)
    return [`  ${view.paint.faint(pad(label, left))}  ${first}`, ...more.map((line) => ' '.repeat(left + 4) + line)]
  })
}

export type Pair = readonly [left: string, right: string]

/** An explanation narrower than this reads badly (columns). */
const NARROW = 30

/** What is typed on the left, never cut, since it is copied; what it does on the right, or below where it is narrow. */
export function pairLines(pairs: readonly Pair[], { columns, paint }: View): string[] {
  const left = Math.max(...pairs.map(([text]) => widthOf(text)))
  const isStacked = left + 2 + NARROW > columns
  return pairs.flatMap(([text, meaning]) => {
    if (isStacked) return [paint.name(text), ...wrap(meaning, columns - 4).map((line) => `    ${line}`)]
    const [first = '', ...more] = wrap(meaning, columns - left - 2)
    return [`${paint.name(pad(text, left))}  ${first}`, ...more.map((line) => ' '.repeat(left + 2) + line)]
  })
}
