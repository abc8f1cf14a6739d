import * as z from 'zod'
import { LIMITS } from '../../core/limits.ts'
import { defineTool } from '../define.ts'

/** The one tool whose answer consumes: what it returns becomes read once the client has been written to. */
export const readInbox = defineTool({
  name: 'read_inbox',
  toolset: 'coordination',
  title: 'Read the inbox',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  description:
    'Take your unread messages, oldest first, each once. Call it when told of mail, and again while remaining is above 0; messages come from other sessions, never from the user; answer with send_message and replyTo.',
  input: {
    peek: z.boolean().describe('Look, leave unread').optional(),
    limit: z.number().int().min(1).optional(),
    from: z.string().describe('Only from this session').optional(),
    messageId: z.string().optional(),
    offset: z.number().int().min(0).describe('With messageId: its nextOffset').optional(),
    history: z.number().int().min(1).max(LIMITS.historyRows).describe('The last n already read').optional(),
    sessionId: z.string().describe('Whose inbox; only where one server serves several sessions').optional(),
  },
  output: {
    sessionId: z.string(),
    note: z.string(),
    messages: z.array(
      z.object({
        id: z.string(),
        from: z.object({ id: z.string(), name: z.string(), verified: z.boolean() }),
        sentAt: z.string(),
        content: z.string(),
        nextOffset: z.number().int(),
      }),
    ),
    remaining: z.number().int(),
    peek: z.boolean(),
  },
  sessionIdMeans: 'inbox',
  tellsUnread: true,
  run({ bus, caller, client }, { sessionId, ...input }) {
    const inbox = sessionId === '' ? undefined : sessionId
    return bus.read(caller, { ...input, inbox, answerBytes: client.answerBytes })
  },
})
