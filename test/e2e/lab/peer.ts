/** A session of no particular host: an MCP client that has started our server and calls its tools itself. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ourServer } from './host.ts'
import type { Place } from './place.ts'
import { patienceMs } from './until.ts'

/** The client gives up after a minute otherwise. */
const options = { timeout: patienceMs }

export interface Peer {
  readonly id: string
  /** @throws Error with the refusal where the call is refused. */
  call(tool: string, args?: Record<string, unknown>): Promise<Record<string, unknown>>
  end(): Promise<void>
}

export async function openPeer(
  place: Place,
  name: string,
  task = `be ${name}`,
  more: Readonly<Record<string, string>> = {},
): Promise<Peer> {
  const { args } = ourServer(place.busHome)
  const client = new Client({ name: 'lab-peer', version: '1.0.0' })
  const env = { PATH: process.env['PATH'] ?? '', HOME: place.root, ...more }
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }), options)
  const call = async (tool: string, toolArgs: Record<string, unknown> = {}) => {
    const { structuredContent, isError } = await client.callTool(
      { name: tool, arguments: toolArgs },
      undefined,
      options,
    )
    if (isError === true) throw new Error(JSON.stringify(structuredContent))
    return structuredContent as Record<string, unknown>
  }
  const { id } = await call('update_session', { name, task, projectPath: place.project })
  return { id: String(id), call, end: () => client.close() }
}
