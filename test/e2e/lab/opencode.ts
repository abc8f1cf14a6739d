/** OpenCode in run mode. */
import path from 'node:path'
import { type Host, homeOf, type Launch, type Task } from './host.ts'

function launch(task: Task): Launch {
  const { modelUrl, apiKey, prompt, server, callLimitMs } = task
  const limit = callLimitMs === undefined ? {} : { timeout: callLimitMs }
  const config = {
    autoupdate: false,
    share: 'disabled',
    model: 'lab/scripted',
    small_model: 'lab/scripted',
    provider: {
      lab: {
        npm: '@ai-sdk/openai-compatible',
        options: { baseURL: `${modelUrl}/v1`, apiKey },
        models: { scripted: { tool_call: true, limit: { context: 200_000, output: 8000 } } },
      },
    },
    mcp: {
      [server.name]: { type: 'local', command: [server.command, ...server.args], enabled: true, ...limit },
    },
    permission: { [`${server.name}_*`]: 'allow' },
  }
  return {
    args: ['run', '--format', 'json', prompt],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    },
    files: [{ path: path.join(homeOf(task), '.config/opencode/opencode.json'), json: config }],
  }
}

export const opencode: Host = { name: 'opencode', launch }
