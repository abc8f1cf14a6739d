/**
 * What OpenCode 1.18 is told, as measured in November 2026: one server and one plugin, both in `opencode.json`. The plugin
 * is named by its path there rather than copied into a folder: an update of session-mcp reaches it.
 */

import { homeIn, isInOurPackage, isTexts, record } from '../entries.ts'
import type { Json, Launch, Machine, Program, WiredFile, Wiring } from '../wiring.ts'
import { capabilities } from './capabilities.ts'

const PLUGIN = ['opencode', 'session-mcp.js'] as const
const SERVER_KEYS = new Set(['type', 'command', 'enabled'])

/** Loads the plugin as OpenCode does, and gives it an event that is nobody's. */
const TRY = `const [file, home] = process.argv.slice(1)
const { pathToFileURL } = await import('node:url')
const plugins = Object.values(await import(pathToFileURL(file).href))
if (plugins.length === 0) throw new Error('it exports no plugin')
for (const plugin of plugins) {
  const hooks = await plugin({ client: {}, directory: home }, { home })
  await hooks.event({ event: { type: 'session-mcp.doctor', properties: {} } })
  await hooks.dispose()
}
`

export const opencodeWiring: Wiring = {
  kind: 'opencode',
  title: 'OpenCode',
  binaries: ['opencode'],
  gives: 'sessions register by themselves, hear of mail in every request of their model, and are woken when idle',
  capabilities,
  variables: /^OPENCODE/i,
  scripts: (machine, program) => [pluginOf(machine, program)],
  directory,
  files: (machine, program) => [configFile(machine, program)],
  launch: (entry) => serverLaunch(entry) ?? pluginLaunch(entry),
  probe: ({ command, scripts: [script = ''] }, home) =>
    command === '' ? { args: ['--input-type=module', '-e', TRY, script, home], input: '' } : undefined,
}

function directory({ env, userHome, join }: Machine): string {
  return join(env['XDG_CONFIG_HOME'] || join(userHome, '.config'), 'opencode')
}

function pluginOf(machine: Machine, program: Program): string {
  return machine.join(program.plugins, ...PLUGIN)
}

function configFile(machine: Machine, program: Program): WiredFile {
  const file = pluginOf(machine, program)
  const item: Json = program.isDefaultHome ? file : [file, { home: program.home }]
  return {
    name: 'config',
    path: pathOf(machine),
    isStrict: false,
    members: [
      {
        label: 'MCP server session-mcp',
        at: ['mcp', 'session-mcp'],
        value: { type: 'local', command: [program.node, program.server, ...program.serverArgs], enabled: true },
        isOurs: (server) => isOurServer(server, program.server),
      },
    ],
    lists: [
      {
        at: [],
        items: { plugin: item },
        ours: (entry) => (isOurPlugin(entry, file) ? [[]] : []),
      },
    ],
    obstacle: (root) =>
      record(record(record(root)['mcp'])['session-mcp'])['enabled'] === false
        ? 'the server session-mcp is switched off in it ("enabled" is false).'
        : undefined,
  }
}

/** OpenCode reads both; we write to the one that is there. */
function pathOf(machine: Machine): string {
  const [plain, commented] = ['opencode.json', 'opencode.jsonc'].map((name) => machine.join(directory(machine), name))
  return (machine.exists(plain ?? '') || !machine.exists(commented ?? '') ? plain : commented) ?? ''
}

function isOurServer(server: unknown, current: string): boolean {
  const script = serverLaunch(server)?.scripts[0] ?? ''
  return (
    Object.keys(record(server)).every((key) => SERVER_KEYS.has(key)) &&
    (script === current || isInOurPackage(script, 'dist', 'index.js'))
  )
}

/** By its file: an older checkout has another path than the `current` one. */
function isOurPlugin(entry: unknown, current: string): boolean {
  const [script = ''] = pluginLaunch(entry)?.scripts ?? []
  return script === current || isInOurPackage(script, 'plugins', ...PLUGIN)
}

function serverLaunch(server: unknown): Launch | undefined {
  const { type, command } = record(server)
  if (type !== 'local' || !isTexts(command)) return undefined
  const [node = '', script = '', ...args] = command
  return { command: node, node, scripts: [script], home: homeIn(args) }
}

/** A path, or a path with options. OpenCode runs it itself. */
function pluginLaunch(entry: unknown): Launch | undefined {
  const [script, options] = Array.isArray(entry) ? (entry as unknown[]) : [entry]
  if (typeof script !== 'string') return undefined
  const { home } = record(options)
  return { command: '', node: '', scripts: [script], home: typeof home === 'string' ? home : undefined }
}
