/** Whose inbox a call is about, and whether reading it takes from it. */

import { resolve } from './address.ts'
import type { ReadInput } from './bus.ts'
import { type Caller, HUMAN_ID } from './caller.ts'
import { type Context, mailId, notRegistered } from './context.ts'
import { BusError } from './errors.ts'

export async function whose(context: Context, caller: Caller, input: ReadInput): Promise<{ id: string; own: boolean }> {
  if (input.inbox === undefined || (caller.kind !== 'nobody' && input.inbox === mailId(caller, 'read mail'))) {
    if (caller.kind === 'session' && caller.session === undefined) throw notRegistered('read its inbox', caller.id)
    // Of a subagent the parent would never learn what it took.
    return { id: mailId(caller, 'read an inbox'), own: caller.kind !== 'session' || caller.isSubagent !== true }
  }
  if (input.inbox === HUMAN_ID) return { id: HUMAN_ID, own: false }
  const { session } = await resolve(context, input.inbox)
  return { id: session.id, own: caller.kind === 'session' && caller.id === session.id }
}

/** Messages may come from a session that has expired since: then its id still counts. */
export async function senderId(context: Context, from: string): Promise<string> {
  if (from === HUMAN_ID) return from
  try {
    return (await resolve(context, from)).session.id
  } catch (fault) {
    if (fault instanceof BusError && fault.code === 'SESSION_NOT_FOUND') return from
    throw fault
  }
}
