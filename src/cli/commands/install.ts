import type { Config } from '../../config.ts'
import { type Context, defineCommand } from '../define.ts'
import { EXIT } from '../exit.ts'
import type { WireAnswer } from '../install/install.ts'

export default defineCommand({
  name: 'install',
  summary: 'wire a host to the bus: its hooks and the MCP server',
  description: [
    'Writes into the host’s own settings, for all your projects, what makes its sessions register, hear of their mail and wake up: hooks, and the MCP server. Your own entries, comments, order and indentation stay as they are; a second run changes nothing.',
    'Without a host: which hosts there are, which of them are on this machine and which are installed.',
    'Settings given here, such as --home or --toolsets, are written for every server the host starts.',
  ],
  args: {
    host: { kind: 'positional', help: 'for example claude-code' },
    statusline: {
      kind: 'flag',
      help: 'also show name, unread and who waits in the host’s status line, if it has none',
    },
    dryRun: { kind: 'flag', help: 'show every change as a diff and write nothing' },
  },
  examples: [
    { line: 'session-mcp install', does: 'which hosts are here' },
    { line: 'session-mcp install claude-code --dry-run', does: 'what would be written' },
    { line: 'session-mcp install claude-code', does: 'write it' },
    { line: 'session-mcp install claude-code --statusline', does: 'and the status line' },
  ],
  async run(context, { host, dryRun, statusline }) {
    const { out } = context
    const { renderHosts, renderInstall } = await import('../install/render.ts')
    if (host !== undefined) {
      const { install } = await import('../install/install.ts')
      const extras = statusline ? (['statusline'] as const) : []
      await out.answer<WireAnswer>(await install({ ...(await jobOf(context, host, dryRun)), extras }), renderInstall)
      return EXIT.ok
    }
    const { machineOf, programOf } = await import('../install/machine.ts')
    const { hostsHere } = await import('../install/hosts-here.ts')
    const program = programOf(context.config, runningScript())
    const hosts = hostsHere(machineOf(context.config), program)
    await out.answer({ hosts }, (answer, view) => renderHosts(answer.hosts, view, program.server))
    return EXIT.ok
  },
})

/** What both directions need. @throws BusError BAD_INPUT for a host that does not exist. */
export async function jobOf({ config: given, version, open }: Context, host: string, dryRun: boolean) {
  const { configFor, machineOf, programOf, wiringOf } = await import('../install/machine.ts')
  const wiring = wiringOf(host)
  const machine = machineOf(given)
  const config = configFor(given, wiring, machine)
  return {
    wiring,
    machine,
    program: programOf(config, runningScript()),
    version,
    dryRun,
    openHome: config.home === given.home ? open : () => makeHome(config),
  }
}

async function makeHome({ home, durability, allowForeignHome }: Config): Promise<void> {
  const { openBus } = await import('../../open.ts')
  const opened = await openBus({ home, durability, allowForeignHome })
  opened.close()
}

function runningScript(): string {
  return process.argv[1] ?? ''
}
