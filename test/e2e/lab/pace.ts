/** How soon something starts a turn: what is promised of a machine that has time, beside how slow this one was meanwhile. */
import { expect } from 'vitest'
import { proof } from './heard.ts'
import type { Place } from './place.ts'
import { shell } from './shell.ts'

const promisedMs = 3_000
/** A wake starts a handful of programs. Where starting one takes long, this many starts count as the promise. */
const starts = 20

export interface Pace {
  /** One more turn, so long after its send; and looks how long a program takes to start and end here and now. */
  took(ms: number): Promise<void>
  /** Says all of it. @throws where not even the quickest kept the promise: the others may have met a busy moment. */
  isKept(host: { name: string }, what: string): void
}

export function pace(place: Place): Pace {
  const turns: number[] = []
  const programs: number[] = []
  return {
    async took(ms) {
      turns.push(ms)
      const startedMs = performance.now()
      await shell(place, 'list')
      programs.push(Math.round(performance.now() - startedMs))
    },
    isKept(host, what) {
      proof(
        host,
        `${what}: a turn ${turns.join(', ')} ms after the send; session-mcp list took ${programs.join(', ')} ms`,
      )
      expect(Math.min(...turns)).toBeLessThanOrEqual(Math.max(promisedMs, starts * Math.max(...programs)))
    },
  }
}
