/** Names: how sessions call each other. One case-folded namespace for names and aliases of unexpired sessions. */

import { BusError } from './errors.ts'
import { quote, RESERVED } from './ids.ts'
import { LIMITS } from './limits.ts'

/** Some letters and marks are invisible (fillers, joiners, variation selectors): two names with and without look the same. */
const NAME = /^(?!.*\p{Default_Ignorable_Code_Point})[\p{L}\p{N}][\p{L}\p{M}\p{N} ._-]*$/u

/** The stored form: NFKC, outer spaces dropped, inner ones single. @throws BusError BAD_NAME */
export function requireName(text: string, what = 'name'): string {
  const name = text.normalize('NFKC').trim().replace(/ +/g, ' ')
  const length = [...name].length
  if (!NAME.test(name) || length > LIMITS.nameChars) {
    throw new BusError(
      'BAD_NAME',
      `${what} ${quote(text)} is not a name.`,
      `A ${what} is 1 to ${LIMITS.nameChars} letters, digits, spaces, ".", "_" or "-", starting with a letter or digit.`,
    )
  }
  if (RESERVED.has(fold(name))) {
    throw new BusError(
      'BAD_NAME',
      `${what} ${quote(text)} is reserved.`,
      `Choose another; ${[...RESERVED].join(', ')} mean something else here.`,
    )
  }
  return name
}

/** Is it in the grammar of {@link requireName}? Reserved words are, and what is not in NFKC. */
export function isName(text: string): boolean {
  return NAME.test(text) && [...text].length <= LIMITS.nameChars
}

/** The form names are compared in. */
export function fold(name: string): string {
  return name.normalize('NFKC').toLowerCase().normalize('NFKC')
}

/** `name-2`, `name-3`, ...: what to offer when a name is taken. */
export function alternative(name: string, n: number): string {
  const suffix = `-${n}`
  return [...name].slice(0, LIMITS.nameChars - suffix.length).join('') + suffix
}

/** The `count` candidates nearest to `text` by edit distance, as far as they are near at all. */
export function nearest(text: string, candidates: readonly string[], count = 3): string[] {
  const wanted = fold(text)
  return candidates
    .map((candidate) => ({ candidate, far: distance(wanted, fold(candidate)) }))
    .filter(({ candidate, far }) => far <= Math.max(2, Math.ceil(Math.min(wanted.length, candidate.length) / 2)))
    .sort((a, b) => a.far - b.far || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, count)
    .map(({ candidate }) => candidate)
}

/** Damerau-Levenshtein (adjacent swaps count one), on at most 64 characters of each. */
function distance(a: string, b: string): number {
  const s = a.slice(0, 64)
  const t = b.slice(0, 64)
  let before: number[] = []
  let above = Array.from({ length: t.length + 1 }, (_, j) => j)
  for (let i = 1; i <= s.length; i++) {
    const row = [i]
    for (let j = 1; j <= t.length; j++) {
      const cost = s[i - 1] === t[j - 1] ? 0 : 1
      let best = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + cost)
      if (i > 1 && j > 1 && s[i - 1] === t[j - 2] && s[i - 2] === t[j - 1])
        best = Math.min(best, (before[j - 2] ?? 0) + 1)
      row.push(best)
    }
    before = above
    above = row
  }
  return above[t.length] ?? 0
}
