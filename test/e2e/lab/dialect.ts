/** What a dialect (one vendor's wire format) turns a request into, and what it can answer. */
import type { ServerResponse } from 'node:http'

export type Args = Record<string, unknown>

/** One tool call the model made earlier in this conversation, with the result the host showed it. */
export interface Exchange {
  tool: string
  args: unknown
  /** Text as the model saw it; undefined while the host has not answered. */
  result: string | undefined
}

export interface ModelRequest {
  /** Which conversation: the API key the host was started with. */
  key: string
  /** How many answers this conversation already holds, so a repeated request gets the same step again. */
  turn: number
  tools: string[]
  exchanges: Exchange[]
  stream: boolean
  /** The body as it arrived. */
  body: unknown
  /** When it arrived, ms. */
  at: number
}

export type Answer = { text: string } | { tool: string; args: Args }

export interface Dialect {
  /** The path below the base URL that asks for an answer. */
  path: RegExp
  keyHeader: string
  read(body: unknown): Omit<ModelRequest, 'key' | 'body' | 'at'>
  write(response: ServerResponse, answer: Answer, request: ModelRequest): void
}

/** Ends `response` with server-sent events; OpenAI's have no event name. */
export function sendEvents(response: ServerResponse, events: { event?: string; data: unknown }[], end = ''): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const { event, data } of events) {
    response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`)
  }
  response.end(end)
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}
