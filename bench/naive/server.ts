/**
 * The layout everyone writes first, with the calls everyone writes it with: the message straight into the recipient's folder;
 * readers list, read and unlink. It is the floor of the benchmarks, and it loses messages when readers race. Arguments: home,
 * session.
 */

import { randomUUID } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import * as z from 'zod'

const [home = '', self = ''] = process.argv.slice(2)
const inboxOf = (id: string) => path.join(home, 'inboxes', id)
const answer = (value: object) => ({ content: [{ type: 'text' as const, text: JSON.stringify(value) }] })
const server = new McpServer({ name: 'naive', version: '1.0.0' })

server.registerTool(
  'update_session',
  { inputSchema: { task: z.string(), projectPath: z.string() } },
  async ({ task, projectPath }) => {
    await fs.mkdir(path.join(home, 'sessions'), { recursive: true })
    await fs.mkdir(inboxOf(self), { recursive: true })
    const record = { id: self, task, projectPath, status: 'active', updatedAt: new Date().toISOString() }
    await fs.writeFile(path.join(home, 'sessions', `${self}.json`), JSON.stringify(record))
    return answer({ id: self })
  },
)

server.registerTool(
  'send_message',
  { inputSchema: { to: z.array(z.string()), content: z.string() } },
  async ({ to, content }) => {
    const messageId = `msg-${Date.now()}-${randomUUID()}`
    for (const id of to) {
      const message = { id: messageId, from: self, to: id, content, sentAt: new Date().toISOString() }
      await fs.writeFile(path.join(inboxOf(id), `${messageId}.json`), JSON.stringify(message))
    }
    return answer({ messageId })
  },
)

/** As large as our answers get: hosts cut longer ones off. So the layouts are compared, not the sizes of answers. */
const ANSWER_BYTES = 40 * 1024

server.registerTool('read_inbox', { inputSchema: {} }, async () => {
  const messages: unknown[] = []
  const names = (await fs.readdir(inboxOf(self))).sort()
  let bytes = 0
  let taken = 0
  for (const name of names) {
    if (bytes > ANSWER_BYTES) break
    taken += 1
    const file = path.join(inboxOf(self), name)
    try {
      const text = await fs.readFile(file, 'utf8')
      bytes += text.length
      messages.push(JSON.parse(text))
    } catch {
      // half written, or another reader has it: what the layout cannot tell apart
    }
    await fs.rm(file, { force: true })
  }
  return answer({ messages, remaining: names.length - taken })
})

await server.connect(new StdioServerTransport())
process.stdin.on('end', () => process.exit(0))
