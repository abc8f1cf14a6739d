/** complete_session: closed with a result; read-only from then on, gone after its TTL. */

import type { CompleteAnswer } from './answers.ts'
import type { CompleteInput } from './bus.ts'
import type { Caller } from './caller.ts'
import { type Context, refuseSubagent, requireOwn } from './context.ts'
import { BusError } from './errors.ts'
import { tellFollowers } from './follow.ts'
import { LIMITS } from './limits.ts'
import { expiresAtMs } from './liveness.ts'
import { ungate } from './prompt-gate.ts'
import { isClosed, revise } from './session.ts'
import { requireBody } from './text.ts'
import { parseTtl } from './ttl.ts'

export async function complete(context: Context, caller: Caller, input: CompleteInput): Promise<CompleteAnswer> {
  if (input.ttl !== undefined) parseTtl(input.ttl)
  if (input.result !== undefined) requireBody(input.result, 'result', LIMITS.resultBytes)
  refuseSubagent(caller, 'complete the session')
  const { session: before } = await requireOwn(context, caller, 'complete itself')
  const status = input.status ?? 'completed'
  const entry = await context.store.sessions.change(before.id, (current) => {
    if (current === undefined) return undefined
    const { session } = current
    if (isClosed(session)) {
      // A repeated call whose first answer was lost is no fault.
      if (session.status === status && (input.result === undefined || input.result === session.result)) return undefined
      throw new BusError(
        'SESSION_CLOSED',
        `Session ${session.id} was closed as ${session.status} at ${session.closedAt}. Nothing was changed.`,
        'update_session{status:"active"} opens it again.',
      )
    }
    const nowIso = context.nowIso()
    const { result = session.result, ttl = session.ttl } = input
    const closed = { ...session, status, ttl, closedAt: nowIso, closeReason: 'complete_session' }
    return { session: revise(session, { ...closed, ...(result !== undefined && { result }) }, nowIso) }
  })
  if (entry?.session.closedAt === undefined) throw new Error('a closed session carries the time of its closing')
  const { session } = entry
  await tellFollowers(context, session.id)
  // Hidden after its TTL; the prompt after that is the first of another session.
  await ungate(context, entry)
  return {
    id: session.id,
    ...(session.name !== undefined && { name: session.name }),
    status: session.status,
    closedAt: entry.session.closedAt,
    expiresAt: new Date(expiresAtMs(entry, context.clock.now(), context.defaultTtlMs)).toISOString(),
    followers: await context.store.follow.followers(session.id),
    unread: (await context.store.inbox.unread(session.id)).ids.length,
    next: 'It may still look, read, send and wait. update_session{status:"active"} opens it again, for anything new.',
  }
}
