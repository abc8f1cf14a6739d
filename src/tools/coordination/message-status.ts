import * as z from 'zod'
import { defineTool } from '../define.ts'

export const messageStatus = defineTool({
  name: 'message_status',
  toolset: 'coordination',
  title: 'Look at a sent message',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  description:
    'Show what is known of a message you sent, per recipient: stored, turn started, read and by whom, replied. Use it instead of asking whether it arrived; what is not shown is not known.',
  input: {
    messageId: z.string().describe('From the answer of send_message'),
  },
  run({ bus, caller }, { messageId }) {
    return bus.receipt(caller, messageId)
  },
})
