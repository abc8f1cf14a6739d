/**
 * Claude Code 2.1, as measured in November 2026. `CLAUDE_CODE_SESSION_ID` is left out on purpose: after `--continue` and
 * `/clear` the server still has the id of the first conversation. It moves a call to the background after 120 s.
 */

import type { Host } from '../host.ts'
import { screen } from './screen.ts'

export const claudeCode: Host = {
  kind: 'claude-code',
  clientNames: ['claude-code'],
  metaKeys: [],
  envShell: 'CLAUDE_CODE_SESSION_ID',
  shellMarks: ['CLAUDECODE', 'CLAUDE_CODE_SESSION_ID'],
  waitCeilingMs: 110_000,
  callLimitEnv: 'MCP_TOOL_TIMEOUT',
  doors: ['file-watch'],
  launch: {
    program: 'claude',
    args: ({ name, model, prompt }) => [
      ...(name === undefined ? [] : ['-n', name]),
      ...(model === undefined ? [] : ['--model', model]),
      '--',
      prompt,
    ],
    lineageEnv: ['CLAUDE_CODE_LAUNCHED_BY_SESSION_IDS', 'CLAUDE_CODE_CHILD_NOTES_DIR'],
  },
  screen,
  identityEnv: [
    'AI_AGENT',
    'CLAUDECODE',
    'CLAUDE_BG_SESSION_CREDENTIAL',
    'CLAUDE_BG_SOURCE',
    'CLAUDE_CODE_CHILD_SESSION',
    'CLAUDE_CODE_ENTRYPOINT',
    'CLAUDE_CODE_MESSAGING_SOCKET',
    'CLAUDE_CODE_MESSAGING_TOKEN',
    'CLAUDE_CODE_SESSION_ATTENDED',
    'CLAUDE_CODE_SESSION_ID',
    'CLAUDE_CODE_SESSION_KIND',
    'CLAUDE_CODE_SESSION_NAME',
    'CLAUDE_EFFORT',
    'CLAUDE_ENV_FILE',
    'CLAUDE_JOB_DIR',
    'CLAUDE_PID',
    'CLAUDE_PLUGIN_DATA',
    'CLAUDE_PLUGIN_ROOT',
    'CLAUDE_PROJECT_DIR',
  ],
  resume: ['claude', '--resume'],
}
