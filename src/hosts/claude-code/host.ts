/**
 * Claude Code 2.1, as measured in November 2026. `CLAUDE_CODE_SESSION_ID` is left out on purpose: after `--continue` and
 * `/clear` the server still has the id of the first conversation. It moves a call to the background after 120 s.
 */

import type { Host } from '../host.ts'

export const claudeCode: Host = {
  kind: 'claude-code',
  clientNames: ['claude-code'],
  metaKeys: [],
  waitCeilingMs: 110_000,
  callLimitEnv: 'MCP_TOOL_TIMEOUT',
  doors: ['file-watch'],
  resume: ['claude', '--resume'],
}
