/** From an argument list to an exit code. Loads nothing it does not need: `serve` must start fast. */

import { type Config, type Environment, readConfig, thisWorld } from '../config.ts'
import { type Refusal, refusal } from '../core/errors.ts'
import type { OpenedBus } from '../open.ts'
import { tooOld } from '../system/node-version.ts'
import { loadCommand } from './commands.ts'
import type { Command, Context } from './define.ts'
import { EXIT, type ExitCode, exitOf } from './exit.ts'
import { wrongUsage } from './options.ts'
import { createOutput, type Output, ReaderGone } from './output.ts'
import { type Parsed, parseArguments } from './parse.ts'
import { type Route, route, unknownCommand } from './route.ts'
import { stdinText } from './text-input.ts'

export interface Io {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
}

/** Never throws. Everything it wrote has reached the system when it resolves. */
export async function main(argv: readonly string[], io: Io, version: string): Promise<ExitCode> {
  const world = thisWorld()
  const plain = (isJson: boolean) =>
    createOutput({
      ...io,
      isJson,
      color: !world.env['NO_COLOR'] && world.env['TERM'] !== 'dumb',
      userHome: world.userHome,
    })
  let out = plain(asksForJson(argv))
  try {
    const way = route(argv)
    if (way.kind === 'version') {
      await out.answer({ version }, () => version)
      return EXIT.ok
    }
    if (way.kind === 'help' && way.topic === undefined) return await printOverallHelp(out, version)
    const command = await commandOf(way, io)
    const parsed = parseArguments(command.name, command.args, way.argv)
    out = plain(parsed.isJson)
    if (way.kind === 'help' || parsed.wantsHelp) return await printHelp(out, command)
    if (parsed.isJson && command.hasNoJson) {
      throw wrongUsage(
        `${command.name} has no --json.`,
        'Leave it out, or name a command: session-mcp overview --json.',
      )
    }
    const config = readConfig(parsed.settings, world)
    if (!command.tellsWarnings) for (const warning of config.warnings) await out.note(warning)
    return await runCommand(command, parsed, { config, version, out, io })
  } catch (fault) {
    return await failed(fault, out, world.env)
  }
}

function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return (end === -1 ? argv : argv.slice(0, end)).some((arg) => arg === '--json' || arg === '--json=true')
}

/** Without a word: a client at the other end of stdin gets the server, a person the overview. */
async function commandOf(way: Exclude<Route, { kind: 'version' }>, io: Io): Promise<Command> {
  if (way.kind === 'command') return loadCommand(way.name)
  if (way.kind === 'bare') return loadCommand(io.stdin.isTTY === true ? 'overview' : 'serve')
  const { COMMAND_NAMES } = await import('./commands.ts')
  if (way.topic !== undefined && COMMAND_NAMES.includes(way.topic)) return loadCommand(way.topic)
  throw unknownCommand(way.topic ?? '')
}

interface Setup {
  readonly config: Config
  readonly version: string
  readonly out: Output
  readonly io: Io
}

async function runCommand(command: Command, parsed: Parsed, { config, version, out, io }: Setup): Promise<ExitCode> {
  let opened: Promise<OpenedBus> | undefined
  const context: Context = {
    config,
    version,
    out,
    stdin: stdinText(io.stdin),
    interrupted,
    open() {
      opened ??= openHome(config, out)
      return opened
    },
    async shell() {
      const [{ shellOf }, { signsIn }, { store, processes }] = await Promise.all([
        import('./who.ts'),
        import('./signs.ts'),
        context.open(),
      ])
      const { sources, env, sessionId } = config
      return shellOf(await store.sessions.list(), {
        ancestors: processes.ancestors(),
        signs: await signsIn(env, store.hosts),
        isSeen: (client) => processes.check(client) === 'alive',
        ...(sessionId !== undefined && { wanted: { sessionId, isFlag: sources.sessionId === 'flag' } }),
      })
    },
  }
  // The timers and watches of the bus never hold a process; a command that still waits for one must.
  const stayAlive = setInterval(() => {}, 2 ** 30)
  try {
    return await command.run(context, parsed.values)
  } finally {
    clearInterval(stayAlive)
    await opened?.then(
      (bus) => bus.close(),
      () => undefined, // told by whoever waited for it
    )
  }
}

async function openHome(config: Config, out: Output): Promise<OpenedBus> {
  const { openBus } = await import('../open.ts')
  const { home, defaultTtl, messageTtl, durability, inboxLimit, allowForeignHome, logLevel, env } = config
  const opened = await openBus({
    home,
    defaultTtl,
    messageTtl,
    durability,
    inboxLimit,
    allowForeignHome,
    logLevel,
    env,
  })
  for (const warning of opened.warnings) await out.note(warning)
  return opened
}

function interrupted(): AbortSignal {
  const controller = new AbortController()
  process.once('SIGINT', () => controller.abort())
  return controller.signal
}

async function printOverallHelp(out: Output, version: string): Promise<ExitCode> {
  const { overallHelp } = await import('./help.ts')
  const help = await overallHelp(version)
  await out.answer(help.data, (_, view) => help.text(view))
  return EXIT.ok
}

async function printHelp(out: Output, command: Command): Promise<ExitCode> {
  const { commandHelp } = await import('./help.ts')
  const help = commandHelp(command)
  await out.answer(help.data, (_, view) => help.text(view))
  return EXIT.ok
}

/** A Node that is too old lacks what we use, and what it says of that helps nobody. */
function refusalOf(fault: unknown): Refusal {
  const told = refusal(fault)
  const old = told.error.code === 'INTERNAL' ? tooOld(process.versions.node) : undefined
  return old === undefined ? told : { ...told, error: { ...told.error, message: old.text, hint: old.fix } }
}

/** A reader that went away is no fault: `session-mcp list | head -1` ends quietly. */
async function failed(fault: unknown, out: Output, env: Environment): Promise<ExitCode> {
  if (fault instanceof ReaderGone) return EXIT.ok
  let told = refusalOf(fault)
  try {
    if (told.error.code === 'HOME_UNWRITABLE') told = (await import('./signs.ts')).inShellOfModel(told, env)
    await out.refuse(told)
  } catch {
    // stderr is closed too: the exit code is all that is left to say
  }
  return exitOf(told.error.code)
}
