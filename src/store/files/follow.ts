/** Who follows whom, and what a session has been shown already. Losing either costs a reminder. */

import fs from 'node:fs'
import path from 'node:path'
import type { FollowStore } from '../../core/ports.ts'
import { namesIn, readIfThere, removeIfThere, replace } from '../../system/atomic-file.ts'
import type { Home } from './home.ts'
import { fileName, idOf } from './layout.ts'
import { removeEmpty } from './retention.ts'

const MAX_BYTES = 64 * 1024

export function fileFollow(home: Home): FollowStore {
  const { at } = home
  return {
    async add(target, follower) {
      home.write(() => {
        home.directory(at.watchers(target))
        fs.writeFileSync(path.join(at.watchers(target), fileName(follower)), '', { mode: 0o600 })
      })
    },
    async drop(target, follower) {
      home.write(() => removeIfThere(path.join(at.watchers(target), fileName(follower))))
      removeEmpty(at.watchers(target))
    },
    async followers(target) {
      return namesIn(at.watchers(target)).flatMap((name) => idOf(name) ?? [])
    },
    async shown(id) {
      try {
        const got = readIfThere(at.shown(id), MAX_BYTES)
        const raw: unknown = got === undefined ? {} : JSON.parse(got.text)
        // Without a prototype: `constructor` is an id.
        return Object.assign(Object.create(null), raw)
      } catch {
        return Object.create(null) // shown once more rather than never
      }
    },
    async setShown(id, shown) {
      home.write(() => replace(home.tmp(), at.shown(id), JSON.stringify(shown), 'process'))
    },
  }
}
