/** The IDE of the original Session MCP: plugins in folders, servers in `mcp-servers.json`, one server for all tabs. */

import { homeIn, isInOurPackage, isTexts, record } from '../entries.ts'
import { ideHome, launchOfPlugin, pluginFolder } from '../plugin-folder.ts'
import type { Launch, Machine, Program, WiredFile, Wiring } from '../wiring.ts'
import { capabilities } from './capabilities.ts'

const PLUGINS = ['session-coordination', 'session-manager-bridge', 'scene-model-context']
const SERVER_KEYS = new Set(['command', 'args', 'env', 'enabled'])
/** What this one server takes the place of. */
const OLD_SERVERS = ['session-coordinator', 'session-manager']

export const msunWiring: Wiring = {
  kind: 'msun',
  title: 'msun',
  binaries: ['msun'],
  gives:
    'every tab is told at each prompt and between tools who it is, what is unread and what it follows; tabs open, steer and wake each other',
  capabilities,
  variables: /^MSUN_/i,
  scripts: () => [],
  probe: () => undefined,
  directory,
  home: ideHome,
  files(machine, program) {
    const { join } = machine
    const installed = join(directory(machine), 'plugins')
    return [
      ...PLUGINS.flatMap((name) =>
        pluginFolder(machine, join(program.plugins, name), join(installed, name), program.home),
      ),
      serverFile(machine, program),
    ]
  },
  launch: (entry) => launchOfPlugin(entry) ?? launchOfServer(entry),
}

function directory({ userHome, join }: Machine): string {
  return join(userHome, '.msun')
}

function serverFile(machine: Machine, { server, serverArgs, home }: Program): WiredFile {
  const rest = serverArgs.filter((arg) => !arg.startsWith('--home='))
  return {
    name: 'servers',
    path: machine.join(directory(machine), 'mcp-servers.json'),
    isStrict: false,
    members: [
      {
        label: 'MCP server session-mcp',
        at: ['session-mcp'],
        // The command is the one of the IDE’s own examples: it looks for `node` itself.
        value: { command: 'node', args: [server, ...rest, `--home=${home}`], env: {}, enabled: true },
        isOurs: (value) => isOurServer(value, server),
      },
    ],
    lists: [],
    obstacle: (root) =>
      record(record(root)['session-mcp'])['enabled'] === false
        ? 'the server session-mcp is switched off in it ("enabled": false).'
        : undefined,
    advice(root) {
      const old = OLD_SERVERS.filter((name) => Object.hasOwn(record(root), name))
      if (old.length === 0) return undefined
      return {
        text: `${machine.join(directory(machine), 'mcp-servers.json')} still has ${old.join(' and ')}, which session-mcp replaces: models see the same tools twice.`,
        fix: `Take ${old.length === 1 ? 'it' : 'them'} out of the file, and the old hook scripts with ${old.length === 1 ? 'it' : 'them'}.`,
      }
    },
  }
}

/** By the script and the form we write it in; one written by hand names no home, or names it in two words. */
function isOurServer(value: unknown, current: string): boolean {
  const { args, env } = record(value)
  const [script = ''] = launchOfServer(value)?.scripts ?? []
  return (
    isTexts(args) &&
    args.some((arg) => arg.startsWith('--home=')) &&
    Object.keys(record(env)).length === 0 &&
    Object.keys(record(value)).every((key) => SERVER_KEYS.has(key)) &&
    (script === current || isInOurPackage(script, 'dist', 'index.js'))
  )
}

function launchOfServer(value: unknown): Launch | undefined {
  const { command, args } = record(value)
  if (typeof command !== 'string' || !isTexts(args)) return undefined
  return { command, node: command, scripts: [args[0] ?? ''], home: homeIn(args) }
}
