/**
 * What OpenCode 1.18 is told, as measured in November 2026: one server and one plugin, both in `opencode.json`. The plugin
 * is named by its path there rather than copied into a folder: an update of session-mcp reaches it.
 */

import { homeIn, isInOurPackage, isTexts, record } from '../entries.ts'
import type { Json, Launch, Machine, Program, WiredFile, Wiring } from '../wiring.ts'
import { capabilities } from './capabilities.ts'

const PLUGIN = ['opencode', 'session-mcp.js'] as const
/** In this order: what a later one says counts, member by member; of the lists of plugins the last one counts whole. */
const NAMES = ['config.json', 'opencode.json', 'opencode.jsonc'] as const
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
  files,
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

/** One, and those in which an earlier install left what OpenCode would not see there, or which would hide a person's own. */
function files(machine: Machine, program: Program): WiredFile[] {
  const plugin = pluginOf(machine, program)
  const all = NAMES.map((name): Config => {
    const path = machine.join(directory(machine), name)
    return { path, isThere: machine.exists(path), root: record(machine.read(path)) }
  })
  const path = placeIn(all, plugin)
  const misplaced = `OpenCode takes its list of plugins from one file alone, and ${path} is the one.`
  const others = all.filter((each) => each.path !== path && hasOurs(each, plugin, program.server))
  return [
    configFile(path, all, plugin, program),
    ...others.map((each) => ({ ...configFile(each.path, [], plugin, program), misplaced })),
  ]
}

interface Config {
  readonly path: string
  readonly isThere: boolean
  readonly root: Readonly<Record<string, unknown>>
}

/**
 * Where `plugin` would count and hide nothing: the last file with a list that is not all ours. Else where ours are, else the
 * last file; what an older OpenCode wrote (`config.json`) is read, and nothing new begins there.
 */
function placeIn(all: readonly Config[], plugin: string): string {
  const isTheirs = ({ root }: Config) => {
    const list = root['plugin']
    if (!Array.isArray(list)) return list !== undefined
    return list.some((item: unknown) => !isOurPlugin(item, plugin))
  }
  const [, usual, commented] = all
  const found =
    all.findLast(isTheirs) ??
    all.findLast(({ root }) => root['plugin'] !== undefined) ??
    (commented?.isThere ? commented : usual)
  return found?.path ?? ''
}

function hasOurs({ root }: Config, plugin: string, server: string): boolean {
  const { plugin: list, mcp } = root
  return (
    (Array.isArray(list) && list.some((item: unknown) => isOurPlugin(item, plugin))) ||
    isOurServer(record(mcp)['session-mcp'], server)
  )
}

/** @param all whose settings OpenCode joins with those of this one. */
function configFile(path: string, all: readonly Config[], file: string, program: Program): WiredFile {
  const item: Json = program.isDefaultHome ? file : [file, { home: program.home }]
  return {
    name: 'config',
    path,
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
    obstacle(root) {
      const said = all.map((each) => ({ path: each.path, isOn: isOn(each.path === path ? root : each.root) }))
      const last = said.findLast((each) => each.isOn !== undefined)
      const after = all.slice(all.findIndex((each) => each.path === path) + 1)
      const hides = after.find(({ root: { plugin } }) => Array.isArray(plugin) && plugin.length === 0)
      if (hides !== undefined) return `the empty "plugin" in ${hides.path} hides the one in it.`
      if (last?.isOn !== false) return undefined
      return `the server session-mcp is switched off in ${last.path === path ? 'it' : last.path} ("enabled" is false).`
    },
  }
}

function isOn(root: unknown): boolean | undefined {
  const { enabled } = record(record(record(root)['mcp'])['session-mcp'])
  return typeof enabled === 'boolean' ? enabled : undefined
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
