/** Asking for a turn in a session that is idle, by whatever door its host has. */

import type { WakeAnswer } from './answers.ts'
import type { Context } from './context.ts'
import { decide, retract } from './due.ts'
import type { Entry } from './ports.ts'
import { requested } from './wake.ts'

/**
 * Most hosts watch the wake file and decide then. Where nothing of the host is there to watch, this process decides by the
 * same rules and opens the door itself. @throws where the wake file cannot be touched.
 */
export async function ring(context: Context, entry: Entry): Promise<WakeAnswer> {
  const { doors, hostKey } = entry.session.host
  const door = doors[0] ?? 'none'
  if (context.doors?.has(door) !== true) {
    await context.store.hosts.touchWake(hostKey)
    return requested(door)
  }
  const decided = await decide(context, entry)
  if (!('text' in decided)) return { ...decided, ...(decided.outcome === 'unknown' && { door }) }
  const binding = await context.store.hosts.find(hostKey)
  const { isOpen, evidence } = await context.doors
    .open(door, { ...entry, binding, text: decided.text })
    .catch((fault: unknown) => ({ isOpen: false, evidence: fault instanceof Error ? fault.message : String(fault) }))
  if (isOpen) return requested(door, evidence)
  await retract(context, entry, decided)
  return { outcome: 'unavailable', door, evidence: `stored only: ${evidence}` }
}
