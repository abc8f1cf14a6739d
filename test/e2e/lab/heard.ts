/** What a model was told beside its prompts: the text of a request, whole or since its last answer. */
import { z } from 'zod'
import type { ModelRequest } from './dialect.ts'

const Block = z.looseObject({ type: z.string(), text: z.string().optional(), content: z.unknown().optional() })
const Message = z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(Block)]) })
/** Responses: calls and their results are items of their own. */
const Item = z.looseObject({
  type: z.string(),
  role: z.string().default(''),
  content: z.union([z.string(), z.array(Block)]).default(''),
  output: z.unknown().optional(),
})
type Said = z.infer<typeof Message>
const Body = z.looseObject({ messages: z.array(Message).optional(), input: z.array(Item).default([]) })

/** All that stands in the conversation, in order, without the system prompt. */
export function conversationOf({ body }: ModelRequest): string {
  return saidIn(body).map(textOf).join('\n')
}

/** The part that came after the model’s last answer. */
export function newIn({ body }: ModelRequest): string {
  const messages = saidIn(body)
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  return messages
    .slice(last + 1)
    .map(textOf)
    .join('\n')
}

/** Messages in order; what the model itself said or called has the role of the assistant. */
function saidIn(body: unknown): Said[] {
  const { messages, input } = Body.parse(body)
  if (messages !== undefined) return messages
  return input.map(({ type, role, content, output }) => {
    if (type === 'function_call_output') return { role: 'tool', content: [{ type: 'tool_result', content: output }] }
    return { role: type === 'message' ? role : 'assistant', content }
  })
}

/** Tool results count as well: what is announced beside them must not be confused with them, so they are marked. */
function textOf({ content }: z.infer<typeof Message>): string {
  if (typeof content === 'string') return content
  return content
    .map(({ type, text, content: result }) =>
      type === 'tool_result' ? `[result] ${JSON.stringify(result)}` : (text ?? ''),
    )
    .join('\n')
}

const OURS =
  /session-mcp: this is session|^\d+ unread messages? in the inbox|^- from |^- and \d+ more$|^read_inbox returns them|^This turn was started by|^Followed session |session-mcp wake [0-9a-z]+:/

/** The lines of our reminders in a text; tool results are no reminders. */
export function reminders(text: string): string[] {
  return text.split('\n').filter((line) => OURS.test(line) && !line.startsWith('[result]'))
}

export const IDENTITY = /session-mcp: this is session "([^"]+)" \(id ([0-9A-Za-z_-]+)\)/

/** Name and id in the line that says who this is; the newest one. */
export function identityIn(text: string): { name: string; id: string } | undefined {
  const [, name, id] = [...text.matchAll(new RegExp(IDENTITY, 'g'))].at(-1) ?? []
  return name === undefined || id === undefined ? undefined : { name, id }
}

export function times(text: string, piece: string): number {
  return text.split(piece).length - 1
}

/** One line of evidence. */
export function proof(host: { name: string }, what: string): void {
  console.log(`[proof] ${host.name}: ${what}`)
}
