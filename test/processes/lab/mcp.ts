/** An MCP client over pipes to a server it started, with the process in reach: real clients hide it. */

import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'

export interface ServerOrder {
  readonly command?: string
  /** The script and what follows it. */
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly clientName?: string
  /** Run as this user; takes root. */
  readonly uid?: number
}

export interface ServerLink {
  readonly client: Client
  readonly server: ChildProcess
  readonly pid: number
  /** Calls a tool. @throws Error with `code` for a refusal. */
  call<T>(name: string, args?: object, timeoutMs?: number): Promise<T>
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

export async function connectServer(order: ServerOrder): Promise<ServerLink> {
  const { uid } = order
  const server = spawn(order.command ?? process.execPath, order.args, {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...order.env },
    ...(order.cwd !== undefined && { cwd: order.cwd }),
    ...(uid !== undefined && { uid, gid: uid }),
  })
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    server.once('exit', (code, signal) => resolve({ code, signal }))
    server.once('error', () => resolve({ code: -1, signal: null }))
  })
  const client = new Client({ name: order.clientName ?? 'test-client', version: '1.0.0' })
  await client.connect(transportTo(server))
  return {
    client,
    server,
    pid: server.pid ?? -1,
    ended,
    async call<T>(name: string, args: object = {}, timeoutMs = 60_000) {
      const result = await client.callTool({ name, arguments: { ...args } }, undefined, { timeout: timeoutMs })
      const answer = (result.structuredContent ?? textOf(result.content)) as {
        error?: { code: string; message: string; hint: string }
      }
      if (result.isError && answer.error !== undefined) {
        const { code, message, hint } = answer.error
        throw Object.assign(new Error(`${message} ${hint}`), { code })
      }
      return answer as T
    },
  }
}

function textOf(content: unknown): unknown {
  const [first] = content as { text?: string }[]
  return JSON.parse(first?.text ?? 'null')
}

function transportTo({ stdin, stdout }: ChildProcess): Transport {
  if (stdin === null || stdout === null) throw new Error('no pipes')
  const transport: Transport = {
    async start() {
      const lines = createInterface({ input: stdout })
      lines.on('line', (line) => transport.onmessage?.(JSON.parse(line) as JSONRPCMessage))
      lines.once('close', () => transport.onclose?.())
      stdin.on('error', () => undefined) // the server is gone; the end of its output says so
    },
    send(message) {
      return new Promise((resolve, reject) => {
        // A pipe to a process that was killed fails in several ways, depending on how much of its end was noticed.
        const lost = (cause: Error) => reject(new Error('Connection closed', { cause }))
        stdin.write(`${JSON.stringify(message)}\n`, (fault) => (fault ? lost(fault) : resolve()))
      })
    },
    async close() {
      stdin.end()
    },
  }
  return transport
}
