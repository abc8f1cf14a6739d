/** GitHub Copilot CLI. The plain word `copilot` is not here: Copilot in JetBrains and Xcode says it too. */

import { type Host, SAFE_WAIT_MS } from '../host.ts'

export const copilot: Host = {
  kind: 'copilot',
  clientNames: ['github-copilot-developer', 'github-copilot-cli', 'copilot-cli'],
  metaKeys: [],
  envSession: 'COPILOT_AGENT_SESSION_ID',
  envShell: 'COPILOT_AGENT_SESSION_ID',
  shellMarks: ['COPILOT_CLI', 'COPILOT_AGENT_SESSION_ID'],
  waitCeilingMs: SAFE_WAIT_MS,
  doors: [],
  launch: {
    program: 'copilot',
    args: ({ name, model, prompt }) => [
      ...(name === undefined ? [] : ['-n', name]),
      ...(model === undefined ? [] : ['--model', model]),
      '-i',
      prompt,
    ],
  },
  identityEnv: ['COPILOT_AGENT_SESSION_ID', 'COPILOT_CLI', 'COPILOT_PLUGIN_ROOT', 'COPILOT_PROJECT_DIR'],
  resume: ['copilot', '--resume'],
}
