/** OpenCode 1.18, as measured in November 2026. One server for all its sessions; a call dies at 60 s without progress. */

import { type Host, SAFE_WAIT_MS } from '../host.ts'

export const opencode: Host = {
  kind: 'opencode',
  clientNames: ['opencode'],
  metaKeys: [],
  shellMarks: ['OPENCODE', 'OPENCODE_PID'],
  waitCeilingMs: SAFE_WAIT_MS,
  waitCeilingWithProgressMs: 600_000,
  doors: ['prompt-async'],
  launch: {
    program: 'opencode',
    args: ({ model, prompt }) => [...(model === undefined ? [] : [`--model=${model}`]), `--prompt=${prompt}`],
  },
  identityEnv: ['AGENT', 'OPENCODE', 'OPENCODE_PID'],
}
