import { defineCommand } from '../define.ts'
import { EXIT } from '../exit.ts'

export default defineCommand({
  name: 'statusline',
  summary: 'one line for the status line of a host: name, unread, who waits',
  description: [
    'Reads the JSON that Claude Code writes to the program of its status line, and prints one line: the name of the session, its unread messages, who waits for it, how much of the context is used, the model. It only looks, and starts nothing.',
    'session-mcp install claude-code --statusline sets it up, with a smaller program that prints the same; this command is for status lines of your own.',
  ],
  hasNoJson: true,
  tellsWarnings: true,
  args: {},
  examples: [{ line: 'cat payload.json | session-mcp statusline', does: 'what it would show' }],
  async run({ config }) {
    const { printStatusLine } = await import('../status-line/run.ts')
    await printStatusLine({ env: config.env, home: config.home })
    return EXIT.ok
  },
})
