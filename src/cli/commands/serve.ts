import { defineCommand } from '../define.ts'
import { EXIT } from '../exit.ts'
import { startSweeps } from '../sweeper.ts'

export default defineCommand({
  name: 'serve',
  summary: 'run the MCP server on stdin and stdout',
  description: [
    'Speaks the Model Context Protocol with the client that started it and ends with it. This is also what session-mcp does without a command when stdin is not a terminal, so a client needs no more than the path.',
    'Stdout belongs to the protocol; the log goes to log/bus.log in the home directory.',
  ],
  hasNoJson: true,
  args: {},
  examples: [
    { line: 'claude mcp add --scope user session-mcp -- session-mcp serve', does: 'for every session of Claude Code' },
  ],
  async run({ config, version, open }) {
    const [{ serveStdio }, { bus, processes, warnings, log }] = await Promise.all([
      import('../../mcp/server.ts'),
      open(),
    ])
    for (const warning of [...config.warnings, ...warnings]) log.warn('start', { warning })
    const { toolsets, sessionId, name, env } = config
    const { client } = processes
    const serving = await serveStdio({
      bus,
      env,
      version,
      toolsets,
      sessionId,
      name,
      client,
      log: (level, event, facts) => log[level](event, facts),
    })
    const stop = startSweeps(bus, log)
    await serving.closed
    stop()
    return EXIT.ok
  },
})
