/**
 * Codex CLI 0.171, as measured in November 2026. It scrubs our environment but signs every call; what hooks call
 * `session_id` is the conversation a person sees, while each agent it starts has a thread of its own. A call ends after
 * 300 s, progress or not. Of a result longer than 10 000 bytes a model it does not know is shown both ends.
 */

import type { Host } from '../host.ts'
import { openQueue } from './door.ts'
import { screen } from './screen.ts'

export const codex: Host = {
  kind: 'codex',
  clientNames: ['codex', 'codex-mcp-client'],
  metaKeys: ['sessionId', 'threadId'],
  isSubagent: ({ sessionId, threadId }) =>
    typeof sessionId === 'string' && typeof threadId === 'string' && sessionId !== threadId,
  envShell: 'CODEX_SESSION_ID',
  shellMarks: ['CODEX_SESSION_ID', 'CODEX_THREAD_ID'],
  waitCeilingMs: 280_000,
  answerBytes: 9_000,
  doors: ['queue'],
  openDoor: openQueue,
  launch: {
    program: 'codex',
    args: ({ model, prompt }) => [...(model === undefined ? [] : ['-m', model]), '--', prompt],
    isView: true,
  },
  screen,
  identityEnv: ['CODEX_SESSION_ID', 'CODEX_THREAD_ID'],
}
