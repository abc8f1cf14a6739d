/** Claude Code in print mode. */
import path from 'node:path'
import type { Host, Launch, Task } from './host.ts'

function launch({ root, modelUrl, apiKey, prompt, server }: Task): Launch {
  const config = path.join(root, 'mcp.json')
  const { name, command, args } = server
  return {
    args: [
      ...['-p', prompt],
      ...['--mcp-config', config, '--strict-mcp-config'],
      ...['--allowedTools', `mcp__${name}`],
      ...['--output-format', 'json'],
    ],
    env: {
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: apiKey,
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
    // Without `alwaysLoad` the model would see our tools only after it searched for them.
    files: [{ path: config, json: { mcpServers: { [name]: { command, args, env: {}, alwaysLoad: true } } } }],
  }
}

export const claudeCode: Host = { name: 'claude-code', launch }

/** The same host, newest release: it probes `server/discover` before it initializes. */
export const claudeCodeNewest: Host = { name: 'claude-code-newest', launch }
