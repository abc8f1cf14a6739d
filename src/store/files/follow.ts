/** Who follows whom. Losing it costs a reminder. */

import fs from 'node:fs'
import type { FollowStore } from '../../core/ports.ts'
import { namesIn, removeIfThere } from '../../system/atomic-file.ts'
import { reading } from './fault.ts'
import type { Home } from './home.ts'
import { fileName, idOf, inside } from './layout.ts'
import { removeEmpty } from './retention.ts'

export function fileFollow(home: Home): FollowStore {
  const { at } = home
  return {
    async add(target, follower) {
      home.write(() => {
        home.directory(at.watchers(target))
        fs.writeFileSync(inside(at.watchers(target), fileName(follower)), '', { mode: 0o600 })
      })
    },
    async drop(target, follower) {
      home.write(() => removeIfThere(inside(at.watchers(target), fileName(follower))))
      removeEmpty(at.watchers(target))
    },
    async followers(target) {
      return reading('The list of followers', () => namesIn(at.watchers(target))).flatMap((name) => idOf(name) ?? [])
    },
  }
}
