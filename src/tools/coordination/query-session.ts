import * as z from 'zod'
import { defineTool } from '../define.ts'

export const querySession = defineTool({
  name: 'query_session',
  toolset: 'coordination',
  title: 'Look at one session',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  description:
    'Show one session in full: what it declares, what its host observes and how that is known, unread mail, waits, followers. Use it before you rely on a session or conclude that it is stuck.',
  input: {
    session: z.string().describe('Id or name'),
  },
  run({ bus, caller }, { session }) {
    return bus.query(caller, session)
  },
})
