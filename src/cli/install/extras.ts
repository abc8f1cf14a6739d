/** Entries that are written on request only, and never in the place of a person's own. */

import { isDeepStrictEqual } from 'node:util'
import type { Extra, WiredFile, WiredMember, Wiring } from '../../hosts/wiring.ts'
import { wrongUsage } from '../options.ts'
import { jsonOf, parseJson, treeAt } from './json-tree.ts'
import type { Look } from './look.ts'

interface Wanted {
  readonly wiring: Wiring
  readonly extras?: readonly Extra[]
}

/**
 * The file with the extras that were asked for now, or are there since an earlier install.
 * @throws BusError BAD_INPUT where a person has such an entry.
 */
export function chosen({ wiring, extras = [] }: Wanted, { file, now, ours }: Look): WiredFile {
  const members = file.members.filter((member) => {
    if (member.extra === undefined) return true
    const there = valueAt(now.text ?? '', member)
    const isOurs = ours.some(({ label }) => label === member.label)
    // What a person added to ours, such as a padding, stays as long as it starts what it should.
    if (isOurs) return !isDeepStrictEqual(wiring.launch(there), wiring.launch(member.value))
    if (!extras.includes(member.extra)) return false
    if (there === undefined) return true
    const both = wiring.combined?.(there, member.value)
    throw wrongUsage(
      `--${member.extra} was asked for, and ${file.path} has a ${member.label} of your own. Nothing was changed.`,
      `${both === undefined ? '' : `To have both, write there ${both}. `}To have ours instead, take "${member.at.join('.')}" out of that file and run this again.`,
    )
  })
  return { ...file, members }
}

/** @throws BusError BAD_INPUT for what the host has no place for. */
export function requireExtras({ wiring, extras = [] }: Wanted, looks: readonly Look[]): void {
  const known = looks.flatMap(({ file }) => file.members.flatMap(({ extra }) => extra ?? []))
  const missing = extras.find((extra) => !known.includes(extra))
  if (missing === undefined) return
  throw wrongUsage(`--${missing} was asked for, which ${wiring.title} has no place for.`, `Leave --${missing} out.`)
}

function valueAt(text: string, { at }: WiredMember) {
  const tree = treeAt(parseJson(text).root, at)
  return tree && jsonOf(tree)
}
