/** A test says what it has shown of a real host; the reporter beside it counts that once the test has passed. */
import { getCurrentTest } from 'vitest/suite'
import { hostCapabilities } from '../../../src/hosts/capabilities.ts'
import type { Capability, Proof } from '../../../src/hosts/capability.ts'
import type { Host } from './host.ts'
import { installed } from './installed.ts'

export type Shown = readonly [...parts: Proof extends readonly [...infer First, string, string] ? First : never]

declare module 'vitest' {
  interface TaskMeta {
    proofs?: Shown[]
  }
}

/**
 * Say it after the assertions.
 * @param door by which it worked; default: the only one the table has for it.
 * @throws Error where the table does not have it: then what the host can do is to be said first, in its capabilities.ts.
 */
export function proves(host: Pick<Host, 'name'>, capability: Capability, door?: string): void {
  const kind = kindOf(host)
  const table = hostCapabilities().find((each) => each.host === kind)
  const doors = table?.lines.find((line) => line.capability === capability)?.ways.map((way) => way.door) ?? []
  const by = door ?? (doors.length === 1 ? doors[0] : undefined)
  if (by === undefined || !doors.includes(by)) {
    const has = doors.length === 0 ? 'no door for it' : doors.join(', ')
    throw new Error(`${kind}, ${capability}: shown by ${door ?? 'some door'}, but the table has ${has}`)
  }
  const found = installed(host as Host)
  const test = getCurrentTest()
  if ('missing' in found || test === undefined) throw new Error('proves() is said in a test of an installed host')
  test.meta.proofs = [...(test.meta.proofs ?? []), [kind, found.version, capability, by]]
}

/** The lab knows several releases of one host. */
function kindOf({ name }: Pick<Host, 'name'>): string {
  return name.replace(/-newest$/, '')
}
