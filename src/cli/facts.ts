/** Label and value, one below the other; long values wrap under themselves. */

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
