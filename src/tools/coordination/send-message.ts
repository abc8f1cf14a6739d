import * as z from 'zod'
import { ACTIVATIONS, INTENTS, PRIORITIES } from '../../core/message.ts'
import { defineTool } from '../define.ts'

export const sendMessage = defineTool({
  name: 'send_message',
  toolset: 'coordination',
  title: 'Send a message',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  description:
    'Put a message into the inbox of other sessions and, if they are idle, ask their hosts to wake them. The answer says what is stored, not what is read: see message_status for that, or wait_for_sessions with orMessage for the reply.',
  input: {
    to: z
      .array(z.string())
      .describe('Ids, names, group:<id>, project:<path>, human; with replyTo default: its sender')
      .optional(),
    content: z.string().describe('The whole text'),
    activationMessage: z.string().describe('Short line shown when it wakes').optional(),
    activate: z.enum(ACTIVATIONS).describe('auto: wake if idle; always: also mid-turn').optional(),
    replyTo: z.string().describe('Id of what you answer').optional(),
    intent: z.enum(INTENTS).describe('ack wakes nobody').optional(),
    priority: z.enum(PRIORITIES).optional(),
  },
  output: {
    messageId: z.string(),
    to: z.array(
      z.object({
        id: z.string(),
        stored: z.boolean(),
        activity: z.string(),
        wake: z.object({ outcome: z.string(), evidence: z.string() }),
      }),
    ),
    skipped: z.array(z.object({ to: z.string(), code: z.string(), reason: z.string() })),
  },
  run({ bus, caller }, input) {
    return bus.send(caller, input)
  },
})
