/** The IDE of the original Session MCP: tabs, scenes, and actions its front end executes itself. */

import { type Host, SAFE_WAIT_MS } from '../host.ts'

export const msun: Host = {
  kind: 'msun',
  clientNames: ['msun'],
  metaKeys: [],
  waitCeilingMs: SAFE_WAIT_MS,
  doors: [],
  sharedServer: true,
}
