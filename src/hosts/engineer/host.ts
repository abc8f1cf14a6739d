/** The command line beside the IDE of the original Session MCP: it loads one plugin from the project. */

import { type Host, SAFE_WAIT_MS } from '../host.ts'

export const engineer: Host = {
  kind: 'engineer',
  clientNames: ['engineer'],
  metaKeys: [],
  waitCeilingMs: SAFE_WAIT_MS,
  doors: [],
  sharedServer: true,
}
