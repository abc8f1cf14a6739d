/** Gemini CLI 0.61. Some releases append our server's name to the client's; its documentation gives a call 600 s. */

import type { Host } from '../host.ts'

export const gemini: Host = {
  kind: 'gemini',
  clientNames: ['gemini-cli', 'gemini-cli-mcp-client'],
  metaKeys: [],
  envShell: 'GEMINI_SESSION_ID',
  shellMarks: ['GEMINI_CLI', 'GEMINI_SESSION_ID'],
  waitCeilingMs: 540_000,
  doors: [],
  launch: {
    program: 'gemini',
    args: ({ model, prompt }) => [
      ...(model === undefined ? [] : [`--model=${model}`]),
      `--prompt-interactive=${prompt}`,
    ],
  },
  identityEnv: ['GEMINI_CLI', 'GEMINI_SESSION_ID'],
  resume: ['gemini', '--resume'],
}
