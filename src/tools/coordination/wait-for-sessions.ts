import * as z from 'zod'
import { defineTool } from '../define.ts'

export const waitForSessions = defineTool({
  name: 'wait_for_sessions',
  toolset: 'coordination',
  title: 'Wait for sessions',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  description:
    'Block until sessions reach a state, or with orMessage until mail comes. Use it when there is nothing else to do (else watch_session); on done:false call again with the cursor: nothing in between is missed.',
  input: {
    sessions: z.array(z.string()).describe('Ids or names'),
    mode: z.enum(['all', 'any']).optional(),
    until: z.array(z.string()).describe('finished (default), closed, changed, or any status or activity').optional(),
    timeout: z.string().describe('Like 50s; your client caps it').optional(),
    orMessage: z.boolean().describe('Also return on new mail').optional(),
    cursor: z.string().optional(),
  },
  output: {
    done: z.boolean(),
    reason: z.string(),
    sessions: z.array(
      z.object({ id: z.string(), status: z.string(), activity: z.string(), reached: z.string(), result: z.string() }),
    ),
    pending: z.array(z.string()),
    cursor: z.string(),
    timeoutMs: z.number().int(),
  },
  run({ bus, caller, client, signal, progress }, input) {
    return bus.wait(caller, input, { signal, progress, ceilingMs: client.waitCeilingMs })
  },
})
