import * as z from 'zod'
import { ACTIVITIES } from '../../core/activity.ts'
import { STATUSES } from '../../core/session.ts'
import { defineTool } from '../define.ts'

export const listSessions = defineTool({
  name: 'list_sessions',
  toolset: 'coordination',
  title: 'List sessions',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  description:
    'List the sessions of this machine, whatever program they run in: task, status, activity, unread mail; completed ones until they expire. Use it to find whom to message or wait for; query_session shows one in full.',
  input: {
    projectPath: z.string().optional(),
    groupId: z.string().optional(),
    status: z.enum(STATUSES).optional(),
    activity: z.enum(ACTIVITIES).optional(),
    host: z.string().describe('Like codex').optional(),
    text: z.string().describe('Words in name, task or progress').optional(),
    limit: z.number().int().min(1).max(100).optional(),
    cursor: z.string().describe('Last nextCursor').optional(),
  },
  output: {
    sessions: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        task: z.string(),
        status: z.string(),
        activity: z.string(),
        finished: z.string(),
        unread: z.number().int(),
      }),
    ),
    total: z.number().int(),
    open: z.number().int(),
    nextCursor: z.string(),
  },
  run({ bus, caller }, input) {
    return bus.list(caller, input)
  },
})
