/** Who owns a name: one file per folded name, taken by link, so that of two takers one wins. */

import path from 'node:path'
import { isId } from '../../core/ids.ts'
import type { NameStore } from '../../core/ports.ts'
import { publish, readIfThere, removeIfThere } from '../../system/atomic-file.ts'
import { readFault } from './fault.ts'
import type { Home } from './home.ts'
import type { Locks } from './lock.ts'

export function fileNames(home: Home, locks: Locks): NameStore {
  const { at } = home

  const owner = (folded: string): string | undefined => {
    try {
      const text = readIfThere(at.name(folded), 4096)?.text
      if (text === undefined) return undefined
      const id: unknown = (JSON.parse(text) as { id?: unknown } | null)?.id
      if (typeof id !== 'string' || !isId(id)) throw new Error('it names no session')
      return id
    } catch (fault) {
      throw readFault(fault, `The owner of name ${JSON.stringify(folded)}`)
    }
  }

  return {
    async take(folded, id) {
      for (;;) {
        const text = JSON.stringify({ id, name: folded, takenAt: new Date().toISOString() })
        if (home.write(() => publish(home.tmp(), at.name(folded), text, home.durability))) return id
        const taken = owner(folded)
        if (taken !== undefined) return taken // otherwise it was given up in between
      }
    },
    async owner(folded) {
      return owner(folded)
    },
    async ageMs(folded) {
      const file = readIfThere(at.name(folded), 4096)
      if (file === undefined) return undefined
      const { takenAt } = JSON.parse(file.text) as { takenAt?: string }
      const ageMs = Math.abs(Date.now() - Date.parse(takenAt ?? ''))
      return Number.isNaN(ageMs) ? Number.POSITIVE_INFINITY : ageMs
    },
    async drop(folded, id) {
      // Under a lock: between the look and the removal nobody else may remove it and give it away.
      await locks.hold(`name~${path.basename(at.name(folded))}`, () => {
        if (owner(folded) === id) home.write(() => removeIfThere(at.name(folded)))
      })
    },
  }
}
