import * as z from 'zod'
import { defineTool } from '../define.ts'

export const watchSession = defineTool({
  name: 'watch_session',
  toolset: 'coordination',
  title: 'Follow sessions',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  description:
    'Follow sessions without blocking: you are told each change once, in reminders and as news beside tool answers. Use it while you go on working; wait_for_sessions blocks instead.',
  input: {
    sessions: z.array(z.string()).describe('Ids or names'),
    unwatch: z.boolean().describe('true: stop following them').optional(),
  },
  run({ bus, caller }, input) {
    return bus.watch(caller, input)
  },
})
