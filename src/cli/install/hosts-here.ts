/** Which hosts there are, which of them are on this machine, and which are wired. */

import { BusError } from '../../core/errors.ts'
import { WIRINGS } from '../../hosts/table.ts'
import type { Machine, Program, Wiring } from '../../hosts/wiring.ts'
import { looksOf, missingIn } from './look.ts'
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
    const looks = looksOf(wiring, machine, program)
    if (!looks.some(({ ours }) => ours.length > 0)) return { installed: 'no' }
    return {
      installed: looks.every((look) => missingIn(look).length === 0 && look.file.misplaced === undefined)
        ? 'yes'
        : 'partly',
    }
  } catch (fault) {
    if (!(fault instanceof BusError)) throw fault
    return { installed: 'unknown', why: fault.message }
  }
}
