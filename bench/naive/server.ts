/**
 * The layout everyone writes first, as fast as it can be written: the message straight into the recipient's folder; readers
 * list, read and unlink. It is the floor of the benchmarks, and it loses messages when readers race. Arguments: home, session.
 */

import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
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
  ({ task, projectPath }) => {
    fs.mkdirSync(path.join(home, 'sessions'), { recursive: true })
    fs.mkdirSync(inboxOf(self), { recursive: true })
    const record = { id: self, task, projectPath, status: 'active', updatedAt: new Date().toISOString() }
    fs.writeFileSync(path.join(home, 'sessions', `${self}.json`), JSON.stringify(record))
    return answer({ id: self })
  },
)

server.registerTool(
  'send_message',
  { inputSchema: { to: z.array(z.string()), content: z.string() } },
  ({ to, content }) => {
    const messageId = `msg-${Date.now()}-${randomUUID()}`
    for (const id of to) {
      const message = { id: messageId, from: self, to: id, content, sentAt: new Date().toISOString() }
      fs.writeFileSync(path.join(inboxOf(id), `${messageId}.json`), JSON.stringify(message))
    }
    return answer({ messageId })
  },
)

server.registerTool('read_inbox', { inputSchema: {} }, () => {
  const messages: unknown[] = []
  for (const name of fs.readdirSync(inboxOf(self)).sort()) {
    const file = path.join(inboxOf(self), name)
    try {
      messages.push(JSON.parse(fs.readFileSync(file, 'utf8')))
    } catch {
      // half written, or another reader has it: what the layout cannot tell apart
    }
    fs.rmSync(file, { force: true })
  }
  return answer({ messages, remaining: 0 })
})

await server.connect(new StdioServerTransport())
process.stdin.on('end', () => process.exit(0))
