/** Cursor, the editor and its command line. */

import { type Host, SAFE_WAIT_MS } from '../host.ts'

export const cursor: Host = {
  kind: 'cursor',
  clientNames: ['cursor', 'cursor-vscode', 'cursor-agent'],
  metaKeys: [],
  waitCeilingMs: SAFE_WAIT_MS,
  doors: [],
  identityEnv: ['CURSOR_PLUGIN_ROOT', 'CURSOR_PROJECT_DIR', 'CURSOR_VERSION'],
}
