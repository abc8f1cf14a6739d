/**
 * Codex CLI 0.171, as measured in November 2026. It scrubs our environment but signs every call; hooks say `session_id`
 * where calls say `threadId`. A call ends after 300 s, progress or not.
 */

import type { Host } from '../host.ts'
import { screen } from './screen.ts'

export const codex: Host = {
  kind: 'codex',
  clientNames: ['codex', 'codex-mcp-client'],
  metaKeys: ['threadId', 'sessionId'],
  waitCeilingMs: 280_000,
  doors: [],
  launch: {
    program: 'codex',
    args: ({ model, prompt }) => [...(model === undefined ? [] : ['-m', model]), '--', prompt],
  },
  screen,
  identityEnv: ['CODEX_SESSION_ID', 'CODEX_THREAD_ID'],
}
