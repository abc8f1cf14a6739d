/** Our tools and their results as the host tests read them: the one place that knows their fields. */
import { z } from 'zod'
import type { Conversation, Script, Step } from './conversation.ts'

export const tools = [
  'complete_session',
  'create_session',
  'list_sessions',
  'manage_session',
  'message_status',
  'query_session',
  'read_inbox',
  'send_message',
  'update_session',
  'wait_for_sessions',
  'watch_session',
]

interface Result<Shape extends z.ZodType> {
  tool: string
  shape: Shape
}

const Peer = z.looseObject({ id: z.string(), name: z.string().optional() })

/** A refusal is `{ok: false, error}`; hosts show a failed call as plain text. */
const Accepted = z.looseObject({ ok: z.literal(true).optional() })

export const sendMessage = {
  tool: 'send_message',
  shape: z.looseObject({ messageId: z.string(), to: z.array(Peer.extend({ stored: z.boolean() })) }),
}

export const readInbox = {
  tool: 'read_inbox',
  shape: z.looseObject({
    messages: z.array(
      z.looseObject({
        id: z.string(),
        from: Peer,
        content: z.string(),
        replyTo: z.string().optional(),
        intent: z.string().optional(),
        nextOffset: z.number().optional(),
      }),
    ),
    remaining: z.number(),
  }),
}

export const waitForSessions = {
  tool: 'wait_for_sessions',
  shape: z.looseObject({
    done: z.boolean(),
    cursor: z.string(),
    pending: z.array(z.string()),
    sessions: z.array(Peer.extend({ status: z.string(), result: z.string().optional() })),
  }),
}

export const querySession = {
  tool: 'query_session',
  shape: Peer.extend({ status: z.string(), activity: z.string(), finished: z.string().optional() }),
}

/** What the model of a conversation was shown last for a tool; a refusal or a foreign shape throws with its text. */
export function shown<Shape extends z.ZodType>(conversation: Conversation, { tool, shape }: Result<Shape>) {
  return parse(tool, shape, conversation.result(tool))
}

/** All that it was shown for a tool, in order. */
export function allShown<Shape extends z.ZodType>(conversation: Conversation, { tool, shape }: Result<Shape>) {
  const exchanges = conversation.requests.at(-1)?.exchanges.filter((exchange) => exchange.tool.endsWith(tool)) ?? []
  return exchanges.map(({ result = '' }) => parse(tool, shape, result))
}

/** A refusal as the model saw it; undefined when it was not one JSON object. */
export function refusal(text: string): unknown {
  return z.looseObject({ ok: z.literal(false) }).safeParse(jsonOf(text)).data
}

function parse<Shape extends z.ZodType>(tool: string, shape: Shape, text: string): z.infer<Shape> {
  const parsed = shape.safeParse(jsonOf(text))
  if (!parsed.success) throw new Error(`${tool} answered ${text}`, { cause: parsed.error })
  return parsed.data
}

/** Plays the steps, but ends the turn at the first call that was refused or failed: what follows would only wait. */
export function untilRefused(steps: readonly Step[]): Script {
  return (request) => {
    const last = request.exchanges.at(-1)
    const failed = last !== undefined && !Accepted.safeParse(jsonOf(last.result ?? '')).success
    return failed ? { text: `lab: stopped after ${last.tool}` } : (steps[request.turn] ?? { text: 'lab: no step left' })
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
