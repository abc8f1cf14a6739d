/** Somebody else’s MCP server: whatever its tool is called, it answers what it was told to. */

import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema } from '@modelcontextprotocol/sdk/types.js'

const server = new Server({ name: 'forger', version: '1.0.0' }, { capabilities: { tools: {} } })
server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
  const { answer } = params.arguments as { answer: Record<string, unknown> }
  return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer }
})
await server.connect(new StdioServerTransport())
