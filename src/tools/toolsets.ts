/** Groups of tools that are switched on together. A tool names its toolset; nobody keeps a list of members. */

import { BusError } from '../core/errors.ts'
import { quote } from '../core/ids.ts'
import { nearest } from '../core/name.ts'

export const TOOLSETS = [
  {
    id: 'coordination',
    title: 'Coordination',
    description: 'See other sessions, write to them, wait for them, follow them.',
    default: true,
  },
  {
    id: 'tabs',
    title: 'Tabs',
    description: 'Open other sessions, and switch to, name, steer, pin and close their tabs.',
    default: true,
  },
] as const

export type ToolsetId = (typeof TOOLSETS)[number]['id']

const IDS: readonly string[] = TOOLSETS.map(({ id }) => id)

/**
 * The toolsets to serve: those asked for, or the default ones.
 * @throws BusError BAD_INPUT naming the first one that does not exist and the nearest that does.
 */
export function resolveToolsets(asked: readonly string[] | undefined): ReadonlySet<string> {
  if (asked === undefined) return new Set(TOOLSETS.filter((toolset) => toolset.default).map(({ id }) => id))
  const unknown = asked.find((id) => !IDS.includes(id))
  if (unknown === undefined) return new Set(asked)
  const [near] = nearest(unknown, IDS, 1)
  throw new BusError(
    'BAD_INPUT',
    `There is no toolset ${quote(unknown)}${near === undefined ? '' : `; the nearest is ${quote(near)}`}.`,
    `Toolsets: ${IDS.join(', ')}.`,
  )
}
