/** The capability table of the hosts on this machine: one block each, a line for each door. */

import { type HostCapabilities, hostCapabilities, type Line } from '../../hosts/capabilities.ts'
import { HOSTS, WIRINGS } from '../../hosts/table.ts'
import type { Machine } from '../../hosts/wiring.ts'
import { findHost, findProgram } from '../install/machine.ts'
import type { View } from '../output.ts'
import { widthOf, wrap } from '../width.ts'
import { listing } from '../words.ts'

export interface HostHere extends HostCapabilities {
  readonly found: string
}

export function capabilitiesHere(machine: Machine): readonly HostHere[] {
  return hostCapabilities().flatMap((host) => {
    const found = placeOf(host.host, machine)
    return found === undefined ? [] : [{ ...host, found }]
  })
}

function placeOf(kind: string, machine: Machine): string | undefined {
  const wiring = WIRINGS.find((each) => each.kind === kind)
  if (wiring !== undefined) return findHost(wiring, machine)
  const launch = HOSTS.find((each) => each.kind === kind)?.launch
  return launch === undefined ? undefined : findProgram([launch.program], machine)
}

const UNTESTED = '*'
const INDENT = 2

export function renderCapabilities({ title, lines }: HostCapabilities, { columns, paint }: View): readonly string[] {
  const rows = [...byDoor(lines), ...notAtAll(lines)]
  const width = Math.max(...rows.map(([door]) => widthOf(door)))
  const isUntested = rows.some(([, names]) => names.includes(UNTESTED))
  return [
    `${paint.strong(title)}  ${paint.faint(testedWith(lines))}`,
    ...rows.flatMap(([door, names]) =>
      wrap(names, columns - INDENT - width - 2).map((text, i) => {
        const label = i === 0 ? door : ''
        return `${' '.repeat(INDENT)}${paint.name(label)}${' '.repeat(width - widthOf(label) + 2)}${text}`
      }),
    ),
    ...(isUntested ? [paint.faint(`${' '.repeat(INDENT)}${UNTESTED} no test has run it on the real host`)] : []),
  ]
}

function byDoor(lines: readonly Line[]): readonly (readonly [string, string])[] {
  const doors = [...new Set(lines.flatMap(({ ways }) => ways.map(({ door }) => door)))]
  return doors.map((door) => [
    door,
    lines
      .flatMap(({ capability, ways }) =>
        ways.flatMap((way) => (way.door === door ? [`${capability}${way.tested.length === 0 ? UNTESTED : ''}`] : [])),
      )
      .join(', '),
  ])
}

function notAtAll(lines: readonly Line[]): readonly (readonly [string, string])[] {
  const names = lines.flatMap(({ capability, ways }) => (ways.length === 0 ? [capability] : []))
  return names.length === 0 ? [] : [['not', names.join(', ')]]
}

function testedWith(lines: readonly Line[]): string {
  const tested = lines.flatMap(({ ways }) => ways.flatMap((way) => way.tested))
  if (tested.length === 0) return 'not tested'
  const versions = [...new Set(tested.map(({ version }) => version))].sort()
  const last = tested
    .map(({ date }) => date)
    .sort()
    .at(-1)
  return `tested with ${listing(versions)}, last on ${last}`
}
