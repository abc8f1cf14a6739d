/** OpenCode in run mode, with our server alone or with the plugin, and as a server of several sessions. */
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { entry, type Host, homeOf, type Launch, type Task } from './host.ts'
import { patienceMs } from './until.ts'

/** What `npm run build` makes for OpenCode. */
export const pluginFile = path.join(path.dirname(entry), 'plugins/opencode/session-mcp.js')

/** A plugin that keeps what it was given. */
export const recorder = fileURLToPath(new URL('./record-plugin.mjs', import.meta.url))

type Config = Record<string, unknown>

/** What a person has set up without us: the scripted model. */
export function modelConfig(modelUrl: string, apiKey: string): Config {
  return {
    autoupdate: false,
    share: 'disabled',
    model: 'lab/scripted',
    small_model: 'lab/scripted',
    provider: {
      lab: {
        npm: '@ai-sdk/openai-compatible',
        options: { baseURL: `${modelUrl}/v1`, apiKey },
        models: {
          scripted: { tool_call: true, limit: { context: 200_000, output: 8000 } },
          other: { tool_call: true, limit: { context: 200_000, output: 8000 } },
        },
      },
    },
  }
}

/** The limit of a call is that of connecting as well. */
function configOf({ modelUrl, apiKey, server, callLimitMs = patienceMs }: Task): Config {
  return {
    ...modelConfig(modelUrl, apiKey),
    mcp: {
      [server.name]: { type: 'local', command: [server.command, ...server.args], enabled: true, timeout: callLimitMs },
    },
    permission: { [`${server.name}_*`]: 'allow' },
  }
}

function launch(task: Task, args: string[], config: Config): Launch {
  return {
    args,
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    },
    files: [{ path: path.join(homeOf(task), '.config/opencode/opencode.json'), json: config }],
  }
}

const run = ({ prompt, flags = [] }: Task) => ['run', '--format', 'json', ...flags, prompt]

export const opencode: Host = { name: 'opencode', launch: (task) => launch(task, run(task), configOf(task)) }

export interface More {
  /** How a person called our server. */
  readonly serverName?: string
  /** Other plugins, which run before ours. */
  readonly plugins?: readonly string[]
  readonly config?: Config
}

const MODES = {
  run,
  /** Several sessions in one process. */
  serve: ({ flags = [] }: Task) => ['serve', '--port', '0', '--hostname', '127.0.0.1', ...flags],
  /** In a terminal. */
  tab: ({ flags = [] }: Task) => [...flags],
} as const

/** The same host with the plugin. */
export function withPlugin(mode: keyof typeof MODES, { serverName, plugins = [], config = {} }: More = {}): Host {
  return {
    name: opencode.name,
    launch(task) {
      const named = { ...task, server: { ...task.server, name: serverName ?? task.server.name } }
      return launch(task, MODES[mode](task), {
        ...configOf(named),
        plugin: [...plugins, [pluginFile, { home: task.busHome }]],
        ...config,
      })
    },
  }
}

/** The host as it is after `session-mcp install opencode`: our entries come from the files in its HOME. */
export function wired(mode: keyof typeof MODES): Host {
  return { name: opencode.name, launch: (task) => ({ ...launch(task, MODES[mode](task), {}), files: [] }) }
}
