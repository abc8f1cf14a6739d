/** Anthropic Messages, as far as Claude Code needs it. */
import { z } from 'zod'
import { type Answer, type Dialect, type Exchange, sendEvents, sendJson } from './dialect.ts'

const Shown = z.union([z.string(), z.array(z.looseObject({ text: z.string().default('') }))]).default('')
const Block = z.looseObject({
  type: z.string(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
  tool_use_id: z.string().optional(),
  content: z.unknown().optional(),
})
const Body = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  tools: z.array(z.looseObject({ name: z.string() })).default([]),
  messages: z.array(z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(Block)]) })),
})

export const anthropic: Dialect = {
  path: /\/messages$/,
  keyHeader: 'x-api-key',

  read(body) {
    const { messages, tools, stream } = Body.parse(body)
    const exchanges = new Map<string, Exchange>()
    for (const block of messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content))) {
      if (block.type === 'tool_use') {
        exchanges.set(block.id ?? '', { tool: block.name ?? '', args: block.input, result: undefined })
      }
      const answered = exchanges.get(block.tool_use_id ?? '')
      if (answered !== undefined) answered.result = textOf(block.content)
    }
    return {
      turn: messages.filter(({ role }) => role === 'assistant').length,
      tools: tools.map(({ name }) => name),
      exchanges: [...exchanges.values()],
      stream,
    }
  },

  write(response, answer, request) {
    const { model } = Body.parse(request.body)
    const base = { id: `msg_${request.key}_${request.turn}`, type: 'message', role: 'assistant', model }
    const block = blockOf(answer, `toolu_${request.key}_${request.turn}`)
    const end = { stop_reason: 'tool' in answer ? 'tool_use' : 'end_turn', stop_sequence: null }
    const usage = { input_tokens: 10, output_tokens: 5 }
    if (!request.stream) return sendJson(response, 200, { ...base, content: [block.whole], ...end, usage })
    const message = { ...base, content: [], stop_reason: null, stop_sequence: null, usage }
    const events = [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: block.start },
      { type: 'content_block_delta', index: 0, delta: block.delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: end, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ]
    sendEvents(
      response,
      events.map((data) => ({ event: data.type, data })),
    )
  },
}

function blockOf(answer: Answer, id: string) {
  if ('text' in answer) {
    const { text } = answer
    return { whole: { type: 'text', text }, start: { type: 'text', text: '' }, delta: { type: 'text_delta', text } }
  }
  const call = { type: 'tool_use', id, name: answer.tool }
  return {
    whole: { ...call, input: answer.args },
    start: { ...call, input: {} },
    delta: { type: 'input_json_delta', partial_json: JSON.stringify(answer.args) },
  }
}

function textOf(content: unknown): string {
  const shown = Shown.parse(content)
  return typeof shown === 'string' ? shown : shown.map(({ text }) => text).join('')
}
