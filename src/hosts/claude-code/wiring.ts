/**
 * What Claude Code 2.1 is told, as measured in November 2026: hooks in `settings.json`, the server in `.claude.json`.
 * Both are plain JSON to it: a comment or a trailing comma makes it ignore all of `settings.json`.
 */

import { commandLine, wordsOf } from '../command-line.ts'
import { GATE, homeIn, isInOurPackage, isOurHookScript, isTexts, oursIn, probeOfHook, record } from '../entries.ts'
import { ALWAYS, AT_PROMPT, launchOfHook, startOfGate } from '../gate.ts'
import type { Json, Launch, Machine, Peer, Program, WiredFile, Wiring } from '../wiring.ts'
import { capabilities } from './capabilities.ts'
import { directory } from './directory.ts'
import { obstacles } from './obstacles.ts'

const SCRIPT = 'claude-code.js'
const STATUS_LINE = 'statusline.js'
/** Seconds. Mail comes while a session does nothing, and then nothing else makes the host ask again. */
const REFRESH = 10
/** Seconds. The scripts stop by themselves long before. */
const TIMEOUT = 5
/** Tools of our server, whether it was installed by us or by a plugin. */
const OWN_TOOLS = 'mcp__(plugin_[A-Za-z0-9-]+_)?session-mcp__.*'
const HOOK_KEYS = new Set(['type', 'command', 'args', 'timeout', 'asyncRewake'])
const SERVER_KEYS = new Set(['type', 'command', 'args', 'env', 'alwaysLoad'])

export const claudeCodeWiring: Wiring = {
  kind: 'claude-code',
  title: 'Claude Code',
  binaries: ['claude'],
  gives:
    'sessions register by themselves, hear of mail at prompts, between tools and at the end of a turn, and are woken when idle',
  capabilities,
  variables: /^CLAUDE/i,
  scripts: (machine, program) => [SCRIPT, GATE, STATUS_LINE].map((name) => machine.join(program.hooks, name)),
  directory,
  files(machine, program) {
    return [settingsFile(machine, program), serverFile(machine, program)]
  },
  combined: bothStatusLines,
  launch: launchOf,
  obstacles,
  plugins: {
    file: (machine) => machine.join(directory(machine), 'plugins', 'installed_plugins.json'),
    hasOurs: (content) =>
      Object.keys(record(record(content)['plugins'])).some((name) => /^session-mcp(@|$)/.test(name)),
  },
  probe: (launch, home) => probeOfHook(launch, home, SCRIPT),
  peers: { directory: (machine) => machine.join(directory(machine), 'sessions'), read: peerOf },
}

function settingsFile(machine: Machine, program: Program): WiredFile {
  const script = machine.join(program.hooks, SCRIPT)
  const rest = program.isDefaultHome ? [] : ['--home', program.home]
  const direct = { type: 'command', command: program.node, args: [script, ...rest], timeout: TIMEOUT }
  const [shell, ...gate] = startOfGate(machine.join(program.hooks, GATE))
  const statusLine = [program.node, machine.join(program.hooks, STATUS_LINE), ...rest]
  // At every prompt and after every batch of tools `sh` sees in a fifth of Node's time that there is nothing to say; at all
  // other moments it starts Node without what a hook does not need. It takes the home; empty leaves it to the environment,
  // as the scripts do.
  const hook = (...at: string[]) =>
    machine.isWindows
      ? direct
      : { ...direct, command: shell, args: [...gate, ...at, rest[1] ?? '', program.node, script, ...rest] }
  const items: Readonly<Record<string, Json>> = {
    SessionStart: { hooks: [hook(ALWAYS)] },
    UserPromptSubmit: { hooks: [hook(AT_PROMPT)] },
    Stop: { hooks: [hook(ALWAYS)] },
    SessionEnd: { hooks: [hook(ALWAYS)] },
    Notification: { hooks: [hook(ALWAYS)] },
    PreToolUse: { matcher: OWN_TOOLS, hooks: [hook(ALWAYS)] },
    PostToolBatch: { hooks: [hook()] },
    FileChanged: { hooks: [{ ...hook(ALWAYS), asyncRewake: true }] },
  }
  return {
    name: 'settings',
    path: machine.join(directory(machine), 'settings.json'),
    isStrict: true,
    members: [
      {
        label: 'status line',
        extra: 'statusline',
        at: ['statusLine'],
        value: { type: 'command', command: commandLine(statusLine, machine.isWindows), refreshInterval: REFRESH },
        isOurs: (value) => isOurStatusLine(value, statusLine[1]),
      },
    ],
    lists: [{ at: ['hooks'], items, ours: (group) => oursIn(group, (each) => isOurHook(each, script)) }],
    obstacle: (root) =>
      record(root)['disableAllHooks'] === true
        ? '"disableAllHooks" is true in it, so Claude Code runs no hook at all.'
        : undefined,
  }
}

function serverFile(machine: Machine, program: Program): WiredFile {
  const { env, userHome, join } = machine
  const older = join(directory(machine), '.config.json')
  return {
    name: 'servers',
    // A `.config.json` left by an early version wins where it is there.
    path: machine.exists(older) ? older : join(env['CLAUDE_CONFIG_DIR'] || userHome, '.claude.json'),
    isStrict: true,
    members: [
      {
        label: 'MCP server session-mcp',
        at: ['mcpServers', 'session-mcp'],
        value: {
          type: 'stdio',
          command: program.node,
          args: [program.server, ...program.serverArgs],
          env: {},
          // Otherwise a model sees our tools only after it searched for them.
          alwaysLoad: true,
        },
        isOurs: (server) => isOurServer(server, program.server),
      },
    ],
    lists: [],
  }
}

/** By the script and the form we write it in. */
function isOurHook(hook: unknown, current: string): boolean {
  return (
    Array.isArray(record(hook)['args']) &&
    Object.keys(record(hook)).every((key) => HOOK_KEYS.has(key)) &&
    isOurHookScript(launchOf(hook)?.scripts ?? [], current, SCRIPT)
  )
}

function isOurServer(server: unknown, current: string): boolean {
  const { alwaysLoad, env } = record(server)
  const script = launchOf(server)?.scripts[0] ?? ''
  return (
    alwaysLoad === true &&
    Object.keys(record(env)).length === 0 &&
    Object.keys(record(server)).every((key) => SERVER_KEYS.has(key)) &&
    (script === current || isInOurPackage(script, 'dist', 'index.js'))
  )
}

function isOurStatusLine(value: unknown, current = ''): boolean {
  const scripts = launchOf(value)?.scripts ?? []
  return scripts[0] === current.replaceAll('\\', '/') || isOurHookScript(scripts, current, STATUS_LINE)
}

/** Theirs gets the input first, ours stands on the line below. */
function bothStatusLines(theirs: unknown, ours: Json): string | undefined {
  const [first, second] = [theirs, ours].map((value) => record(value)['command'])
  if (typeof first !== 'string' || typeof second !== 'string') return undefined
  return `"command": ${JSON.stringify(`in=$(cat); printf %s "$in" | { ${first}; }; printf %s "$in" | ${second}`)}`
}

/** Of a server, a hook, a group with one hook, or a status line, whose command is one text. */
function launchOf(entry: unknown): Launch | undefined {
  const { command, args, env, hooks } = record(entry)
  if (Array.isArray(hooks)) return launchOf(hooks[0])
  if (typeof command === 'string' && args === undefined && record(entry)['type'] === 'command') {
    const [node, script, ...more] = wordsOf(command) ?? []
    if (node === undefined || script === undefined) return undefined
    return { command: node, node, scripts: [script], home: homeIn(more) }
  }
  if (typeof command !== 'string' || !isTexts(args)) return undefined
  const launch = launchOfHook([command, ...args])
  const variable = record(env)['SESSION_MCP_HOME']
  return launch && { ...launch, home: launch.home ?? (typeof variable === 'string' ? variable : undefined) }
}

/** `~/.claude/sessions/<pid>.json`: observed, not published, so nothing in it is taken for granted. */
function peerOf(content: unknown): Peer | undefined {
  const { pid, sessionId, name, procStart } = record(content)
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid < 2 || typeof sessionId !== 'string') return undefined
  return {
    pid,
    hostKey: sessionId,
    name: typeof name === 'string' && name !== '' ? name : undefined,
    start: typeof procStart === 'string' ? procStart : undefined,
  }
}
