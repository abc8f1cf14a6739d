/** Codex: `codex exec` with our server alone, and as `session-mcp install` wires it, in exec mode and in a terminal. */
import path from 'node:path'
import type { Host, Launch, Task } from './host.ts'

/** What a person has in `config.toml`, said by flags: the files are left to what is being tested. */
function settings({ modelUrl, project }: Task): string[] {
  const provider = { name: 'lab', base_url: `${modelUrl}/v1`, wire_api: 'responses', env_key: 'LAB_KEY' }
  return [
    ...set('model', 'scripted'),
    ...set('model_provider', 'lab'),
    ...set('model_providers.lab', provider),
    ...set('projects', { [project]: { trust_level: 'trusted' } }),
    ...set('check_for_update_on_startup', false),
    ...set('analytics.enabled', false),
  ]
}

function set(key: string, value: unknown): string[] {
  return ['-c', `${key}=${inline(value)}`]
}

/** JSON but for its colons is TOML, where it holds no null. */
function inline(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, member]) => `${JSON.stringify(key)}=${inline(member)}`)
    .join(',')}}`
}

function environment({ apiKey, env }: Task): Record<string, string> {
  return { LAB_KEY: apiKey, ...env }
}

const EXEC = ['exec', '--skip-git-repo-check', '--json']

function launch(task: Task): Launch {
  const { command, args, name } = task.server
  const server = { command: path.isAbsolute(command) ? command : process.execPath, args }
  return {
    args: [...EXEC, ...settings(task), ...set(`mcp_servers.${name}`, server), ...(task.flags ?? []), task.prompt],
    env: environment(task),
    files: [],
  }
}

export const codex: Host = { name: 'codex', launch }

/** The host as it is after `session-mcp install codex`: hooks and server come from the files in its HOME. */
export function wired(mode: 'exec' | 'tab'): Host {
  return {
    name: 'codex',
    launch: (task) => ({
      args: [
        ...(mode === 'exec' ? EXEC : []),
        ...settings(task),
        ...(task.flags ?? []),
        ...(task.prompt === '' ? [] : [task.prompt]),
      ],
      env: environment(task),
      files: [],
    }),
  }
}
