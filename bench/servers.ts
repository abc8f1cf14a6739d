/** Our server and the naive one, started the same way and spoken to by the same client. */

import path from 'node:path'
import { bundleProgram } from '../test/processes/lab/bundle.ts'
import { connectServer, type ServerLink } from '../test/processes/lab/mcp.ts'

export type Side = 'floor' | 'ours'

/** The built server. `npm run bench` has just built it. */
export const SERVER = path.resolve('dist/index.js')

/** A server of `side` that speaks for `session`. */
export async function serverOf(side: Side, directory: string, session: string): Promise<ServerLink> {
  const home = path.join(directory, side)
  const args =
    side === 'ours'
      ? [SERVER, `--home=${home}`, '--durability=process', `--session-id=${session}`]
      : [await bundleProgram('bench/naive/server.ts'), home, session]
  const link = await connectServer({ args })
  await link.call('update_session', { task: 'is measured', projectPath: '/project' })
  return link
}

export async function endServers(links: readonly ServerLink[]): Promise<void> {
  for (const { server } of links) server.stdin?.end()
  await Promise.all(links.map(({ ended }) => ended))
}

export interface Read {
  readonly messages: readonly { readonly id: string; readonly content: string }[]
  readonly remaining: number
}

/** `each` in both orders, so that neither side always goes first. */
export function sidesOf(round: number): readonly [Side, Side] {
  return round % 2 === 0 ? ['floor', 'ours'] : ['ours', 'floor']
}
