/** Which hosts there are, which of them are on this machine, and which are wired. */

import { BusError } from '../../core/errors.ts'
import type { Machine, Program, Wiring } from '../../hosts/wiring.ts'
import { WIRINGS } from '../../hosts/wirings.ts'
import { lookAt } from './look.ts'
import { findHost } from './machine.ts'

export interface HostHere {
  readonly host: string
  readonly title: string
  /** Where it was found; null where it was not. */
  readonly found: string | null
  readonly installed: 'yes' | 'partly' | 'no' | 'unknown'
  /** Why it is not known whether it is installed. */
  readonly why?: string
  readonly gives: string
}

export function hostsHere(machine: Machine, program: Program): HostHere[] {
  return WIRINGS.map((wiring) => {
    const { kind, title, gives } = wiring
    return {
      host: kind,
      title,
      found: findHost(wiring, machine) ?? null,
      ...installedIn(wiring, machine, program),
      gives,
    }
  })
}

function installedIn(wiring: Wiring, machine: Machine, program: Program): Pick<HostHere, 'installed' | 'why'> {
  try {
    const files = wiring.files(machine, program)
    const found = files.map((file) => new Set(lookAt(file, wiring).ours.map(({ label }) => label)))
    const wanted = files.flatMap((file, i) =>
      [
        ...(file.copy === undefined ? [] : [file.copy.label]),
        ...file.members.filter(({ extra }) => extra === undefined).map(({ label }) => label),
        ...file.lists.flatMap(({ items }) => Object.keys(items)),
      ].map((label) => found[i]?.has(label) === true),
    )
    if (wanted.every(Boolean)) return { installed: 'yes' }
    return { installed: found.some(({ size }) => size > 0) ? 'partly' : 'no' }
  } catch (fault) {
    if (!(fault instanceof BusError)) throw fault
    return { installed: 'unknown', why: fault.message }
  }
}
