/** The scripted model: a server on loopback that plays one script per API key and keeps every request it got. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { anthropic } from './anthropic.ts'
import { type Conversation, createConversation } from './conversation.ts'
import { type Dialect, sendJson } from './dialect.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'

const dialects: readonly Dialect[] = [anthropic, openaiChat, openaiResponses]
const evidenceLength = 250

/**
 * May end an API key: Claude Code asks a person before it uses a key whose last 20 characters nobody approved, so keys that
 * end alike need one approval.
 */
export const APPROVED = '-approved-by-the-person'

export interface RecordedRequest {
  method: string
  path: string
  body: unknown
}

export interface ScriptedModel {
  readonly url: string
  /** Everything that arrived, answered or not. */
  readonly recorded: readonly RecordedRequest[]
  /** Hosts and ports a host tried to reach through the proxy it was given: all of them were refused. */
  readonly refused: readonly string[]
  /** The conversation of the host that was started with the API key `key`. */
  conversation(key: string): Conversation
  close(): Promise<void>
}

export async function startModel(): Promise<ScriptedModel> {
  const recorded: RecordedRequest[] = []
  const refused: string[] = []
  const conversations = new Map<string, Conversation>()

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      console.log(`scripted model: ${error instanceof Error ? error.stack : String(error)}`)
      // 400, because hosts repeat what fails with 500 for minutes.
      if (!response.headersSent) sendJson(response, 400, { error: { message: String(error) } })
    })
  })
  server.on('connect', (request, socket) => {
    refused.push(request.url ?? '')
    socket.on('error', () => undefined) // The host hangs up as it likes.
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = request.url ?? ''
    const at = Date.now()
    if (!target.startsWith('/')) {
      refused.push(target)
      return sendJson(response, 403, {})
    }
    const { pathname } = new URL(target, 'http://127.0.0.1')
    const body = await readJson(request)
    recorded.push({ method: request.method ?? '', path: target, body })
    if (pathname.endsWith('/count_tokens')) return sendJson(response, 200, { input_tokens: estimateTokens(body) })
    const dialect = dialects.find(({ path }) => path.test(pathname))
    if (dialect === undefined || request.method !== 'POST') return sendJson(response, 404, {})
    const key = String(request.headers[dialect.keyHeader] ?? '')
      .replace(/^Bearer /, '')
      .replace(APPROVED, '')
    const asked = { ...dialect.read(body), key, body, at }
    // Titles and summaries come without tools; they are no part of the script.
    if (asked.tools.length === 0) return dialect.write(response, { text: 'ok' }, asked)
    const conversation = conversations.get(key)
    if (conversation === undefined) throw new Error(`no conversation for the API key "${key}"`)
    dialect.write(response, await conversation.answer(asked), asked)
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the scripted model has no port')

  return {
    url: `http://127.0.0.1:${address.port}`,
    recorded,
    refused,
    conversation(key) {
      const existing = conversations.get(key)
      if (existing !== undefined) return existing
      const created = createConversation(key, ({ tool, args, result = '(no result)' }) =>
        console.log(`[${key}] ${tool} ${clip(JSON.stringify(args))} -> ${clip(result)}`),
      )
      conversations.set(key, created)
      return created
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** On the high side, so that a host which counts before it cuts does not spare us. */
function estimateTokens(body: unknown): number {
  return Math.ceil(Buffer.byteLength(JSON.stringify(body)) / 3)
}

function clip(text: string): string {
  return text.length <= evidenceLength ? text : `${text.slice(0, evidenceLength)}… (${text.length} characters)`
}
