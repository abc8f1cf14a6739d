/** The notes of the gate: an empty file for each turn that began without a hook. Few at a time: the hook that ends a turn removes its own. */

import fs from 'node:fs'
import { factsIfThere, namesIn } from '../../system/atomic-file.ts'
import { idOf, inside, type Layout } from './layout.ts'

/** Two changes within one tick of a file system's clock look alike, ms. */
const TICK_MS = 50

export interface Turns {
  /** When the turn of a conversation began, ISO; undefined where none is noted. */
  readonly at: (hostKey: string) => string | undefined
  /** All of them by host key. The very same object again while nothing has changed. */
  all(): ReadonlyMap<string, string>
}

export function createTurns(at: Layout): Turns {
  let last: { turns: ReadonlyMap<string, string>; stamp: string; settled: boolean } | undefined

  // A note is made once and removed, never touched again: so the directory's own time tells whether anything changed.
  const stampOf = () => {
    const stat = fs.statSync(at.turns, { throwIfNoEntry: false })
    return stat === undefined ? undefined : { stamp: `${stat.ino} ${stat.mtimeMs}`, mtimeMs: stat.mtimeMs }
  }

  return {
    at: (hostKey) => timeOf(at.turn(hostKey)),
    all() {
      const now = stampOf()
      if (now === undefined) return NONE
      if (last?.settled && last.stamp === now.stamp) return last.turns
      const startedMs = Date.now()
      const turns = new Map<string, string>()
      for (const name of namesIn(at.turns)) {
        const [hostKey, time] = [idOf(name), timeOf(inside(at.turns, name))]
        if (hostKey !== undefined && time !== undefined) turns.set(hostKey, time)
      }
      const isSame = last !== undefined && sameTurns(last.turns, turns)
      last = {
        turns: isSame && last ? last.turns : turns,
        stamp: now.stamp,
        settled: startedMs - now.mtimeMs > TICK_MS,
      }
      return last.turns
    },
  }
}

const NONE: ReadonlyMap<string, string> = new Map()

function timeOf(file: string): string | undefined {
  const facts = factsIfThere(file)
  return facts?.regular ? new Date(facts.mtimeMs).toISOString() : undefined
}

function sameTurns(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([key, time]) => b.get(key) === time)
}
