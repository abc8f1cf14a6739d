/** Codex: `codex exec` with our server alone, and as `session-mcp install` wires it, in exec mode and in a terminal. */
import path from 'node:path'
import { type Host, homeOf, type Launch, type Task } from './host.ts'
import { patienceMs } from './until.ts'

/** What a person has in `config.toml`. */
export function settings(modelUrl: string, project: string): string {
  return `# The person's own settings.
model = "scripted"
model_provider = "lab"
check_for_update_on_startup = false

[model_providers.lab]
name = "lab"
base_url = "${modelUrl}/v1"
wire_api = "responses"
env_key = "LAB_KEY"

[projects."${project}"]
trust_level = "trusted"
`
}

function environment({ apiKey, env }: Task): Record<string, string> {
  return { LAB_KEY: apiKey, ...env }
}

function configOf(task: Task): string {
  return path.join(homeOf(task), '.codex', 'config.toml')
}

const EXEC = ['exec', '--skip-git-repo-check', '--json']

function launch(task: Task): Launch {
  const { command, args, name } = task.server
  const server = `\n[mcp_servers.${name}]\ncommand = "${command === 'node' ? process.execPath : command}"\nargs = ${JSON.stringify(args)}\nstartup_timeout_sec = ${patienceMs / 1000}\n`
  return {
    args: [...EXEC, ...(task.flags ?? []), task.prompt],
    env: environment(task),
    files: [{ path: configOf(task), text: settings(task.modelUrl, task.project) + server }],
  }
}

export const codex: Host = { name: 'codex', launch }

/** The host as it is after `session-mcp install codex`: hooks and server come from the files in its HOME. */
export function wired(mode: 'exec' | 'tab'): Host {
  return {
    name: 'codex',
    launch: (task) => ({
      args: [...(mode === 'exec' ? EXEC : []), ...(task.flags ?? []), ...(task.prompt === '' ? [] : [task.prompt])],
      env: environment(task),
      files: [{ path: configOf(task), text: settings(task.modelUrl, task.project) }],
    }),
  }
}
