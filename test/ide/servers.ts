/** The MCP servers of the IDE: one process each, for all tabs, as `mcp-servers.json` says. */

import fs from 'node:fs'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'

interface ServerEntry {
  readonly command: string
  readonly args?: string[]
  readonly env?: Record<string, string>
  readonly enabled?: boolean
}

export interface Servers {
  readonly pids: Readonly<Record<string, number | null>>
  /** The result as it came. A refusal is a result with `isError`. */
  call(server: string, tool: string, args: Record<string, unknown>): Promise<unknown>
  close(): Promise<void>
}

export async function startServers(file: string): Promise<Servers> {
  const entries = JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, ServerEntry>
  const clients = new Map<string, Client>()
  const pids: Record<string, number | null> = {}
  for (const [name, { command, args = [], env = {}, enabled = true }] of Object.entries(entries)) {
    if (!enabled) continue
    const transport = new StdioClientTransport({
      command,
      args,
      env: { ...getDefaultEnvironment(), ...env },
      stderr: 'inherit',
    })
    const client = new Client({ name: 'msun', version: '1.0.0' })
    await client.connect(transport)
    clients.set(name, client)
    pids[name] = transport.pid
  }
  return {
    pids,
    async call(server, tool, args) {
      const client = clients.get(server)
      if (client === undefined) throw new Error(`no server ${server}`)
      return client.callTool({ name: tool, arguments: args })
    },
    async close() {
      for (const client of clients.values()) await client.close()
    },
  }
}
