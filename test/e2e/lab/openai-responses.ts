/** OpenAI Responses, streamed, as far as Codex needs it. */
import { z } from 'zod'
import { type Answer, type Dialect, type Exchange, sendEvents, sendJson } from './dialect.ts'

const Part = z.looseObject({ text: z.string().optional() })
const Item = z.looseObject({
  type: z.string(),
  role: z.string().optional(),
  content: z.unknown().optional(),
  name: z.string().optional(),
  namespace: z.string().optional(),
  arguments: z.string().optional(),
  call_id: z.string().optional(),
  output: z.union([z.string(), z.array(Part)]).optional(),
})
const Named = z.looseObject({ type: z.string(), name: z.string().optional() })
const Body = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  tools: z.array(Named.extend({ tools: z.array(Named).optional() })).default([]),
  input: z.array(Item),
})

/** Codex puts the tools of a server into a namespace of their own. */
const BETWEEN = '__'

export const openaiResponses: Dialect = {
  path: /\/responses$/,
  keyHeader: 'authorization',

  read(body) {
    const { input, tools, stream } = Body.parse(body)
    const exchanges = new Map<string, Exchange>()
    for (const item of input) {
      if (item.type === 'function_call') {
        const tool = [item.namespace, item.name].filter(Boolean).join(BETWEEN)
        exchanges.set(item.call_id ?? '', { tool, args: JSON.parse(item.arguments ?? '{}'), result: undefined })
      }
      const answered = item.type === 'function_call_output' ? exchanges.get(item.call_id ?? '') : undefined
      if (answered !== undefined) answered.result = resultOf(item.output)
    }
    return {
      turn: input.filter(({ type, role }) => type === 'function_call' || role === 'assistant').length,
      tools: tools.flatMap(namesOf),
      exchanges: [...exchanges.values()],
      stream,
    }
  },

  write(response, answer, request) {
    const { tools, model } = Body.parse(request.body)
    const item = itemOf(answer, `${request.key}_${request.turn}`, tools)
    const base = { id: `resp_${request.key}_${request.turn}`, object: 'response', model, output: [] }
    const usage = {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 15,
    }
    const whole = { ...base, status: 'completed', output: [item], usage }
    if (!request.stream) return sendJson(response, 200, whole)
    const events = [
      { type: 'response.created', response: { ...base, status: 'in_progress' } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: whole },
    ]
    sendEvents(
      response,
      events.map((data) => ({ event: data.type, data })),
    )
  },
}

type Tool = z.infer<typeof Body>['tools'][number]

function namesOf({ type, name = type, tools }: Tool): string[] {
  return tools === undefined ? [name] : tools.map((tool) => `${name}${BETWEEN}${tool.name}`)
}

function itemOf(answer: Answer, id: string, tools: readonly Tool[]) {
  if ('text' in answer) {
    const content = [{ type: 'output_text', text: answer.text, annotations: [] }]
    return { type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content }
  }
  const space = tools.find((tool) => tool.tools !== undefined && namesOf(tool).includes(answer.tool))?.name
  return {
    type: 'function_call',
    id: `fc_${id}`,
    call_id: `call_${id}`,
    name: space === undefined ? answer.tool : answer.tool.slice(space.length + BETWEEN.length),
    ...(space !== undefined && { namespace: space }),
    arguments: JSON.stringify(answer.args),
    status: 'completed',
  }
}

/** What the tool said, without the line in which Codex tells how long it took. */
function resultOf(output: z.infer<typeof Item>['output']): string {
  const text = typeof output === 'string' ? output : (output ?? []).map((part) => part.text ?? '').join('')
  return text.replace(/^Wall time: [\d.]+ seconds\nOutput:\n?/, '')
}
