/** What a session has been shown already. Losing it costs a repetition, so it is never synced. */

import type { Shown, ShownStore } from '../../core/ports-hosts.ts'
import { NOTHING_SHOWN } from '../../core/shown.ts'
import { readIfThere, replace } from '../../system/atomic-file.ts'
import type { Home } from './home.ts'
import { fileName } from './layout.ts'
import type { Locks } from './lock.ts'

const MAX_BYTES = 1024 * 1024

export function fileShown(home: Home, locks: Locks): ShownStore {
  const { at } = home

  const read = (id: string): Shown => {
    try {
      const got = readIfThere(at.shown(id), MAX_BYTES)
      return got === undefined ? NOTHING_SHOWN : { ...NOTHING_SHOWN, ...(JSON.parse(got.text) as Partial<Shown>) }
    } catch {
      return NOTHING_SHOWN // told once more rather than never
    }
  }

  return {
    async read(id) {
      return read(id)
    },
    async change(id, decide) {
      await locks.hold(fileName(id), () => {
        const next = decide(read(id))
        if (next !== undefined) home.write(() => replace(home.tmp(), at.shown(id), JSON.stringify(next), 'process'))
      })
    },
  }
}
