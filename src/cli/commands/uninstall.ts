import { defineCommand } from '../define.ts'
import { EXIT } from '../exit.ts'
import { jobOf } from './install.ts'

export default defineCommand({
  name: 'uninstall',
  summary: 'take the bus out of a host again',
  description: [
    'Removes from the host’s settings exactly what session-mcp install wrote. A file nobody changed since becomes what it was before, byte for byte; in one that changed only our entries go. The bus itself, with its sessions and messages, stays.',
  ],
  args: {
    host: { kind: 'positional', required: true, help: 'for example claude-code; session-mcp install lists all' },
    dryRun: { kind: 'flag', help: 'show every change as a diff and write nothing' },
  },
  examples: [{ line: 'session-mcp uninstall claude-code --dry-run', does: 'what would be removed' }],
  async run(context, { host, dryRun }) {
    const { uninstall } = await import('../install/uninstall.ts')
    const { renderUninstall } = await import('../install/render.ts')
    await context.out.answer(await uninstall(await jobOf(context, host, dryRun)), renderUninstall)
    return EXIT.ok
  },
})
