/** What hosts have left in this shell, and which sessions it leads to. */

import type { Environment } from '../config.ts'
import { cleanId } from '../core/ids.ts'
import type { HostStore } from '../core/ports-hosts.ts'
import { marksInShell } from '../hosts/detect.ts'
import type { Sign } from './who.ts'

export async function signsIn(env: Environment, hosts: Pick<HostStore, 'find'>): Promise<readonly Sign[]> {
  return Promise.all(
    marksInShell(env).map(async ({ hostKey, ...mark }): Promise<Sign> => {
      if (hostKey === undefined) return mark
      const key = cleanId(hostKey)
      // The id of a session may be another one: it stays while its host changes its own.
      return { ...mark, sessionId: (await hosts.find(key))?.sessionId ?? key }
    }),
  )
}
