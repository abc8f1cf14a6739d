/** Any client that is none of the others. Nothing is assumed of it. */

import { type Host, SAFE_WAIT_MS } from '../host.ts'

export const generic: Host = {
  kind: 'generic',
  clientNames: [],
  metaKeys: [],
  // What agents that nobody here knows by name have begun to set.
  shellMarks: ['AGENT', 'AI_AGENT'],
  waitCeilingMs: SAFE_WAIT_MS,
  doors: [],
}
