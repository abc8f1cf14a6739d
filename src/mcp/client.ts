/** A real MCP client over stdio, for the demo: starts one server, calls its tools, ends it. */

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'

export interface ToolClient {
  /** The structured answer of one tool. @throws Error with the refusal's message and hint. */
  call<T>(tool: string, args: Readonly<Record<string, unknown>>): Promise<T>
  close(): Promise<void>
}

/** @param command the program and its arguments; it is started and gets one connection. */
export async function connectTool(name: string, version: string, command: readonly string[]): Promise<ToolClient> {
  const [program = process.execPath, ...args] = command
  const client = new Client({ name, version })
  await client.connect(new StdioClientTransport({ command: program, args, stderr: 'inherit' }))
  return {
    async call<T>(tool: string, parameters: Readonly<Record<string, unknown>>) {
      const answer = await client.callTool({ name: tool, arguments: { ...parameters } })
      const data = answer.structuredContent as Record<string, unknown>
      if (answer.isError !== true) return data as T
      const { message, hint } = data['error'] as { message: string; hint: string }
      throw new Error(`${tool}: ${message} ${hint}`)
    },
    close: () => client.close(),
  }
}
