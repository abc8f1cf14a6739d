import * as z from 'zod'
import { defineTool } from '../define.ts'

export const completeSession = defineTool({
  name: 'complete_session',
  toolset: 'coordination',
  title: 'Close this session',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  description:
    'Close your session with its result; followers and waiting sessions are told, and the record becomes read-only. Call it last, when the task is done or given up; for a pause or a block use update_session.',
  input: {
    result: z.string().describe('Outcome, for the others').optional(),
    status: z.enum(['completed', 'cancelled']).optional(),
    ttl: z.string().describe('Kept so long: 30m, 4h').optional(),
  },
  run({ bus, caller }, input) {
    return bus.complete(caller, input)
  },
})
