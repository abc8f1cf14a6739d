/** Cursor, the editor and its command line. */

import { type Host, SAFE_WAIT_MS } from '../host.ts'

export const cursor: Host = {
  kind: 'cursor',
  clientNames: ['cursor', 'cursor-vscode', 'cursor-agent'],
  metaKeys: [],
  // CURSOR_TRACE_ID is in the terminals of the editor as well, which are the person's.
  shellMarks: ['CURSOR_AGENT'],
  waitCeilingMs: SAFE_WAIT_MS,
  doors: [],
  identityEnv: ['CURSOR_AGENT', 'CURSOR_PLUGIN_ROOT', 'CURSOR_PROJECT_DIR', 'CURSOR_VERSION'],
}
