/** OpenAI chat completions, as far as OpenCode's `@ai-sdk/openai-compatible` provider needs it. */
import { z } from 'zod'
import { type Dialect, type Exchange, sendEvents, sendJson } from './dialect.ts'

const Part = z.looseObject({ type: z.string(), text: z.string().optional() })
const Call = z.looseObject({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) })
const Message = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.array(Part)]).nullish(),
  tool_calls: z.array(Call).nullish(),
  tool_call_id: z.string().optional(),
})
const Body = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).default([]),
  messages: z.array(Message),
})

export const openaiChat: Dialect = {
  path: /\/chat\/completions$/,
  keyHeader: 'authorization',

  read(body) {
    const { messages, tools, stream } = Body.parse(body)
    const exchanges = new Map<string, Exchange>()
    for (const message of messages) {
      for (const { id, function: call } of message.tool_calls ?? []) {
        exchanges.set(id, { tool: call.name, args: JSON.parse(call.arguments), result: undefined })
      }
      const answered = exchanges.get(message.tool_call_id ?? '')
      if (answered !== undefined) answered.result = textOf(message.content)
    }
    return {
      turn: messages.filter(({ role }) => role === 'assistant').length,
      tools: tools.map((tool) => tool.function.name),
      exchanges: [...exchanges.values()],
      stream,
    }
  },

  write(response, answer, request) {
    const base = {
      id: `chatcmpl_${request.key}_${request.turn}`,
      created: 1,
      model: Body.parse(request.body).model,
    }
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
    const message =
      'text' in answer
        ? { role: 'assistant', content: answer.text }
        : {
            role: 'assistant',
            tool_calls: [
              {
                index: 0,
                id: `call_${request.key}_${request.turn}`,
                type: 'function',
                function: { name: answer.tool, arguments: JSON.stringify(answer.args) },
              },
            ],
          }
    const finish_reason = 'text' in answer ? 'stop' : 'tool_calls'
    if (!request.stream) {
      const choices = [{ index: 0, message, finish_reason }]
      return sendJson(response, 200, { ...base, object: 'chat.completion', choices, usage })
    }
    const chunk = { ...base, object: 'chat.completion.chunk' }
    sendEvents(
      response,
      [
        { data: { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] } },
        { data: { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }], usage } },
      ],
      'data: [DONE]\n\n',
    )
  },
}

function textOf(content: z.infer<typeof Message>['content']): string {
  return typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('')
}
