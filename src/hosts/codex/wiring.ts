/**
 * What Codex 0.171 is told, as measured in November 2026: hooks in `hooks.json`, the server in `config.toml`, and a person
 * who reviews the hooks before any of them runs.
 */

import { commandLine, wordsOf } from '../command-line.ts'
import { GATE, homeIn, isInOurPackage, isOurHookScript, isTexts, oursIn, probeOfHook, record } from '../entries.ts'
import { ALWAYS, ANY, launchOfHook, startOfGate } from '../gate.ts'
import type { Json, Launch, Machine, Program, WiredFile, Wiring } from '../wiring.ts'
import { capabilities } from './capabilities.ts'
import { heldBack } from './trust.ts'

const SCRIPT = 'codex.js'
/** Seconds. The scripts stop by themselves long before; Codex grants its last events no more. */
const TIMEOUT = 5
const LAST_TIMEOUT = 3
const EVENTS = ['SessionStart', 'UserPromptSubmit', 'PermissionRequest', 'Stop'] as const
const LAST_EVENTS = ['Interrupt', 'SessionEnd'] as const
const HOOK_KEYS = new Set(['type', 'command', 'timeout'])

export const codexWiring: Wiring = {
  kind: 'codex',
  title: 'Codex',
  binaries: ['codex'],
  gives:
    'sessions register by themselves, hear of mail at prompts, between tools and at the end of a turn, and are woken when idle',
  capabilities,
  variables: /^(CODEX_|PLUGIN_)/i,
  scripts: (machine, program) => [SCRIPT, GATE].map((name) => machine.join(program.hooks, name)),
  directory,
  files(machine, program) {
    return [hooksFile(machine, program), serverFile(machine, program)]
  },
  launch: launchOf,
  plugins: {
    file: (machine) => machine.join(directory(machine), 'config.toml'),
    hasOurs: (content) =>
      Object.entries(record(record(content)['plugins'])).some(
        ([name, plugin]) => /^session-mcp(@|$)/.test(name) && record(plugin)['enabled'] !== false,
      ),
  },
  approval: {
    held: (data) => heldBack(data, (group) => oursIn(group, (hook) => isOurHook(hook, ''))),
    how: 'Start codex in a terminal: it says "Hooks need review". Look at them, then choose "Trust all and continue"; /hooks shows them later. Until then Codex runs none of them, and a session is on the bus only once it calls update_session.',
  },
  probe: (launch, home) => probeOfHook(launch, home, SCRIPT),
}

function directory({ env, userHome, join }: Machine): string {
  return env['CODEX_HOME'] || join(userHome, '.codex')
}

function hooksFile(machine: Machine, program: Program): WiredFile {
  const script = machine.join(program.hooks, SCRIPT)
  const rest = program.isDefaultHome ? [] : ['--home', program.home]
  // After every tool `sh` says in a fifth of Node's time that there is nothing to say; hooks are given no id, so the gate asks
  // whether there is word for anybody. At other moments it starts Node without what a hook does not need.
  const direct = [program.node, script, ...rest]
  const gate = [...startOfGate(machine.join(program.hooks, GATE)), ANY]
  const hook = (...at: string[]) => (machine.isWindows ? direct : [...gate, ...at, rest[1] ?? '', ...direct])
  const group = (words: readonly string[], timeout: number): Json => ({
    hooks: [{ type: 'command', command: commandOf(words, machine.isWindows), timeout }],
  })
  const items: Record<string, Json> = {}
  for (const event of EVENTS) items[event] = group(hook(ALWAYS), TIMEOUT)
  items['PostToolUse'] = group(hook(), TIMEOUT)
  for (const event of LAST_EVENTS) items[event] = group(hook(ALWAYS), LAST_TIMEOUT)
  return {
    name: 'hooks',
    path: machine.join(directory(machine), 'hooks.json'),
    isStrict: true,
    members: [],
    lists: [{ at: ['hooks'], items, ours: (each) => oursIn(each, (handler) => isOurHook(handler, script)) }],
  }
}

function serverFile(machine: Machine, program: Program): WiredFile {
  return {
    name: 'servers',
    path: machine.join(directory(machine), 'config.toml'),
    isStrict: false,
    members: [
      {
        label: 'MCP server session-mcp',
        at: ['mcp_servers', 'session-mcp'],
        value: { command: program.node, args: [program.server, ...program.serverArgs] },
        isOurs: (server) => isOurServer(server, program.server),
      },
    ],
    lists: [],
    obstacle: (root) =>
      record(record(root)['features'])['hooks'] === false
        ? '"hooks" is false under [features] in it, so Codex runs no hook at all.'
        : undefined,
  }
}

/** The shell steps aside, so that the process which starts the hook is Codex itself, whose end ends the session. */
function commandOf(words: readonly string[], isWindows: boolean): string {
  return `${isWindows ? '' : 'exec '}${commandLine(words, isWindows)}`
}

/** By the script and the form we write it in. */
function isOurHook(hook: unknown, current: string): boolean {
  return (
    Object.keys(record(hook)).every((key) => HOOK_KEYS.has(key)) &&
    isOurHookScript(launchOf(hook)?.scripts ?? [], current, SCRIPT)
  )
}

/** A person may have added limits to our table; what it starts says whose it is. */
function isOurServer(server: unknown, current: string): boolean {
  const script = launchOf(server)?.scripts[0] ?? ''
  return record(server)['env'] === undefined && (script === current || isInOurPackage(script, 'dist', 'index.js'))
}

/** Of a server, a hook, or a group with one hook. */
function launchOf(entry: unknown): Launch | undefined {
  const { command, args, env, hooks, type } = record(entry)
  if (Array.isArray(hooks)) return launchOf(hooks[0])
  if (typeof command !== 'string') return undefined
  if (type === 'command') return launchOfLine(command)
  if (!isTexts(args)) return undefined
  const variable = record(env)['SESSION_MCP_HOME']
  const home = homeIn(args) ?? (typeof variable === 'string' ? variable : undefined)
  return { command, node: command, scripts: args.slice(0, 1), home }
}

function launchOfLine(line: string): Launch | undefined {
  return launchOfHook(wordsOf(line.replace(/^exec /, '')) ?? [])
}
