import * as z from 'zod'
import type { Json } from '../../core/json.ts'
import { defineTool } from '../define.ts'

const CLOSING = 'To close the session, call complete_session with this status.'

/** Registering and changing are one tool: a session exists from its first update on. */
export const updateSession = defineTool({
  name: 'update_session',
  toolset: 'coordination',
  title: 'Register or update this session',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  description:
    'Register this session on the bus, or change what other sessions see of it. The first call needs task and projectPath; call it again when your task, progress or status changes, and complete_session at the end.',
  input: {
    task: z.string().describe('What you work on, one line').optional(),
    projectPath: z.string().describe('Absolute path of the project').optional(),
    name: z.string().describe('What others call you').optional(),
    status: z.enum(['active', 'paused', 'blocked']).optional(),
    progress: z.string().describe('How far you are, one line').optional(),
    groupId: z.string().describe('Group to join').optional(),
    tags: z.array(z.string()).optional(),
    metadata: z.record(z.string(), z.custom<Json>()).optional(),
    ttl: z.string().describe('Kept so long after its end: 30m, 4h').optional(),
    wakeable: z.boolean().describe('false: mail never starts a turn').optional(),
    sessionId: z.string().describe('Your id; only where one server serves several sessions').optional(),
  },
  advice: { status: { completed: CLOSING, cancelled: CLOSING, closed: CLOSING, done: CLOSING } },
  sessionIdMeans: 'registers',
  isBarrier: true,
  run({ bus, caller, defaultName }, { sessionId: _caller, ...input }) {
    const isNew = caller.kind === 'nobody' || (caller.kind === 'session' && caller.session === undefined)
    return bus.update(caller, { ...input, name: input.name ?? (isNew ? defaultName : undefined) })
  },
})
