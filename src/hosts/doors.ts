/** The doors that a process opens itself, of all hosts it knows. */

import type { Doors } from '../core/ports-hosts.ts'
import type { Environment, Host } from './host.ts'

export function createDoors(hosts: readonly Host[], env: Environment): Doors {
  const hostOf = (door: string) => hosts.find(({ doors, openDoor }) => openDoor !== undefined && doors.includes(door))
  return {
    has: (door) => hostOf(door) !== undefined,
    async open(door, call) {
      const answer = await hostOf(door)?.openDoor?.(call, env)
      return answer ?? { isOpen: false, evidence: `nobody here knows the door ${door}` }
    },
  }
}
