/** Claude Code: in print mode with our server alone, and with the plugin in print mode, as a stream, and in a terminal. */
import path from 'node:path'
import { entry, type Host, homeOf, type Launch, type Task } from './host.ts'
import { APPROVED } from './model.ts'
import { patienceMs } from './until.ts'

function launch(task: Task): Launch {
  const config = path.join(task.root, 'mcp.json')
  const { name, command, args } = task.server
  return {
    args: [
      ...['-p', task.prompt],
      ...['--mcp-config', config, '--strict-mcp-config'],
      ...['--allowedTools', `mcp__${name}`],
      ...['--output-format', 'json'],
    ],
    env: environment(task),
    // Without `alwaysLoad` the model would see our tools only after it searched for them.
    files: [{ path: config, json: { mcpServers: { [name]: { command, args, env: {}, alwaysLoad: true } } } }],
  }
}

function environment({ modelUrl, apiKey }: Task): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: `${apiKey}${APPROVED}`,
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    // By default it ends the last hooks after a second and a half, and asks its model without a server that has not
    // connected within five: a slow machine may need that to start one.
    CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS: '60000',
    MCP_CONNECT_TIMEOUT_MS: String(patienceMs),
    MCP_TIMEOUT: String(patienceMs),
  }
}

export const claudeCode: Host = { name: 'claude-code', launch }

/** The same host, newest release: it probes `server/discover` before it initializes. */
export const claudeCodeNewest: Host = { name: 'claude-code-newest', launch }

/** What `npm run build` makes for `claude plugin install`. */
export const pluginDir = path.join(path.dirname(entry), 'plugins/claude-code')

export type Mode = 'print' | 'stream' | 'tab'

/**
 * The host with the plugin instead of a server in its configuration: hooks, server and skill come from one folder, said
 * with a flag, or installed into the HOME before.
 */
export function withPlugin({ name }: Host, mode: Mode, from: 'flag' | 'installed' = 'flag'): Host {
  return { name, launch: (task) => launchWithPlugin(task, mode, from) }
}

const MODES: Readonly<Record<Mode, (prompt: string) => string[]>> = {
  print: (prompt) => ['-p', prompt, '--output-format', 'json'],
  stream: () => ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'],
  tab: (prompt) => (prompt === '' ? [] : [prompt]),
}

function launchWithPlugin(task: Task, mode: Mode, from: 'flag' | 'installed'): Launch {
  return {
    args: [
      ...(from === 'flag' ? ['--plugin-dir', pluginDir] : []),
      ...(task.flags ?? []),
      '--allowedTools=mcp__plugin_session-mcp_session-mcp,Bash,Agent',
      ...MODES[mode](task.prompt),
    ],
    env: { ...environment(task), SESSION_MCP_HOME: task.busHome },
    files: mode === 'tab' ? [{ path: path.join(homeOf(task), '.claude.json'), json: answered(task) }] : [],
  }
}

/** The host as it is after `session-mcp install claude-code`: everything comes from the files in its HOME. */
export function wired({ name }: Host, mode: Mode = 'print'): Host {
  return {
    name,
    launch: (task) => ({
      args: [...(task.flags ?? []), '--allowedTools=mcp__session-mcp,Bash', ...MODES[mode](task.prompt)],
      env: environment(task),
      files: [],
    }),
  }
}

/** What a person has answered before the first prompt of a terminal. */
export function answered({ project }: Pick<Task, 'project'>) {
  return {
    hasCompletedOnboarding: true,
    theme: 'dark',
    customApiKeyResponses: { approved: [APPROVED.slice(-20)], rejected: [] },
    projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true, allowedTools: [] } },
  }
}
