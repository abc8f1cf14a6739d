/** What hosts have left in this shell, which sessions it leads to, and what that means for what was refused. */

import type { Environment } from '../config.ts'
import type { Refusal } from '../core/errors.ts'
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

/** Hosts shut in the shells of their models, not the servers: another home, the usual advice, would only be another bus. */
export function inShellOfModel(told: Refusal, env: Environment): Refusal {
  const [mark] = marksInShell(env)
  // A file of a host that cannot be written has the same code, and nothing to do with the tools.
  if (mark === undefined || !told.error.message.includes('the bus at')) return told
  const hint = `This shell was opened by ${mark.by} for its model, and may be shut in. The tools of session-mcp are not: use those.`
  return { ...told, error: { ...told.error, hint } }
}
