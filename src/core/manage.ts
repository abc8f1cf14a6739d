/** manage_session: ten operations on a session's tab, each with its own honest answer. */

import { checkOperation, OPERATIONS, type Operation } from './action.ts'
import { resolve } from './address.ts'
import type { ActionAnswer, ManageAnswer } from './answers-actions.ts'
import type { ManageInput } from './bus.ts'
import { type Caller, HUMAN_ID } from './caller.ts'
import { type Context, refuseSubagent, requireOwn } from './context.ts'
import { BusError } from './errors.ts'
import { tellFollowers } from './follow.ts'
import { quote } from './ids.ts'
import { aliasesAfter, dropOldNames, giveNameBack, takeName } from './naming.ts'
import { answerOf, type NewAction, perform, routeTo, targetOf, unsupported } from './perform.ts'
import type { Entry } from './ports.ts'
import type { HostExecutor } from './ports-actions.ts'
import { send } from './send.ts'
import { isClosed, label, revise, type Session } from './session.ts'

export async function manage(context: Context, caller: Caller, input: ManageInput): Promise<ManageAnswer> {
  const { operation, session: who, ...given } = input
  if (!OPERATIONS.includes(operation)) {
    throw new BusError(
      'BAD_INPUT',
      `operation ${quote(operation)} is not known.`,
      `One of: ${OPERATIONS.join(', ')}. To open a session use create_session.`,
    )
  }
  refuseSubagent(caller, `${operation} a session`)
  const own = caller.kind === 'human' ? undefined : await requireOwn(context, caller, 'manage sessions')
  const by = actorOf(own?.session)
  const params = checkOperation(operation, given)
  const entry = await resolve(context, who === 'me' && caller.kind === 'session' ? caller.id : who)
  const { id } = entry.session
  if (SETS.includes(operation)) requireOpen(entry, `takes no ${operation.slice('set_'.length)}`)
  if (operation === 'send_message') return deliver(context, caller, entry, params.text ?? '')
  const named = params.name === undefined ? entry : await rename(context, entry, params.name)
  const action = await onTab(context, operation, { by, params, entry: named })
  const { session } = named
  return {
    session: id,
    ...(session.name !== undefined && { name: session.name }),
    operation,
    action: params.name === undefined ? action : renamed(action),
  }
}

export interface Actor {
  readonly id: string
  readonly name: string
  readonly executor?: HostExecutor
}

/** Who asks: a session that is on the bus, or the person. */
export function actorOf(session: Session | undefined): Actor {
  if (session === undefined) return { id: HUMAN_ID, name: HUMAN_ID }
  const { executor } = session.host
  return { id: session.id, name: label(session), ...(executor !== undefined && { executor }) }
}

interface Wanted {
  readonly by: Actor
  readonly params: ReturnType<typeof checkOperation>
  readonly entry: Entry
}

/** What the record of the session holds too. */
const SETS: readonly Operation[] = ['set_model', 'set_scene']
/** What a terminal can still do to a tab when what ran in it has ended. */
const OUTLIVE: readonly Operation[] = ['switch', 'close', 'pin', 'unpin']
/** What ends the turn in which it is asked for. */
const ENDS_TURN: readonly Operation[] = ['close', 'cancel']

async function onTab(context: Context, operation: Operation, { by, params, entry }: Wanted): Promise<ActionAnswer> {
  const { id, host } = entry.session
  const seen = context.observe(entry)
  const gone: ActionAnswer = {
    kind: operation,
    state: 'failed',
    evidence: `${label(entry.session)} has no tab any more: ${seen.evidence}`,
    next: 'create_session opens a new one. What is sent to it is kept, for when it comes back.',
  }
  if (seen.life === 'gone') return gone
  if (seen.state === 'ended' && !OUTLIVE.includes(operation)) {
    return { ...gone, evidence: `${label(entry.session)} does not run any more: ${seen.evidence}` }
  }
  const target = targetOf(entry)
  const route = await routeTo(context, { kind: operation, target, params }, host.executor, by.executor)
  if ('reason' in route) return unsupported(operation, route)
  // A host that performs says when a tab ends; a terminal stays there when what ran in it has ended.
  if ('queue' in route && seen.state === 'ended') return gone
  // Where the host performs after the answer, there is one.
  if (id === by.id && ENDS_TURN.includes(operation) && ('local' in route || route.queue.watches))
    throw ownTurn(operation)
  const { executor: _, ...actor } = by
  const wanted = { kind: operation, by: actor, target, params }
  const { action, outcome } = await perform(context, route, wanted)
  const answer = answerOf(action, outcome)
  return 'queue' in route && operation === 'switch' ? inFront(context, answer, wanted) : answer
}

function ownTurn(operation: Operation): BusError {
  if (operation === 'cancel') {
    return new BusError(
      'BAD_INPUT',
      'A session cannot cancel its own turn: the answer would be broken off with it. Nothing was changed.',
      'End the turn by saying no more; another session, or the person, can cancel it.',
    )
  }
  return new BusError(
    'BAD_INPUT',
    'A session cannot close its own tab: the program that would answer ends with it. Nothing was changed.',
    'Call complete_session to close the session; another session, or the person, can close the tab.',
  )
}

/** The host shows the session in its own terminal; bringing that to the front is for whoever has the terminal. */
async function inFront(context: Context, answer: ActionAnswer, wanted: NewAction): Promise<ActionAnswer> {
  if (answer.state !== 'done') return answer
  const route = await routeTo(context, wanted, undefined, undefined)
  if ('reason' in route) return answer
  const { action, outcome } = await perform(context, route, wanted)
  const { evidence, byHand } = answerOf(action, outcome)
  return {
    ...answer,
    evidence: `${answer.evidence.replace(/\.$/, '')}; ${evidence}`,
    ...(byHand !== undefined && { byHand }),
  }
}

/** The name on the bus is ours to change; the title of the tab follows where the host lets it. */
async function rename(context: Context, entry: Entry, name: string): Promise<Entry> {
  const { id } = entry.session
  const requireRenamable = (current: Entry) =>
    current.session.name === name ? undefined : requireOpen(current, 'keeps its name')
  requireRenamable(entry)
  await takeName(context, name, id)
  let after: Entry | undefined
  try {
    after = await context.store.sessions.change(id, (current) => {
      if (current === undefined || current.session.name === name) return undefined
      requireRenamable(current)
      const next = { ...current.session, name, aliases: aliasesAfter(current.session, name) }
      return { session: revise(current.session, next, context.nowIso()) }
    })
  } catch (fault) {
    await giveNameBack(context, name, id)
    throw fault
  }
  if (after === undefined) {
    await giveNameBack(context, name, id)
    return resolve(context, id) // which says that it went meanwhile
  }
  await dropOldNames(context, entry.session, after.session)
  await tellFollowers(context, id)
  return after
}

/** @throws BusError SESSION_CLOSED */
function requireOpen({ session }: Entry, says: string): void {
  if (!isClosed(session)) return
  throw new BusError(
    'SESSION_CLOSED',
    `Session ${label(session)} was closed at ${session.closedAt} and ${says}. Nothing was changed.`,
    'Leave it as it is, or have it opened again: by itself, with update_session{status:"active"}.',
  )
}

function renamed(action: ActionAnswer): ActionAnswer {
  if (action.state === 'done' || action.state === 'requested')
    return { ...action, evidence: `renamed on the bus; the tab: ${action.evidence}` }
  return { ...action, state: 'done', evidence: `renamed on the bus; its tab keeps the old title: ${action.evidence}` }
}

async function deliver(context: Context, caller: Caller, entry: Entry, text: string): Promise<ManageAnswer> {
  const { session } = entry
  const sent = await send(context, caller, { to: [session.id], content: text, activate: 'always' })
  const [delivery] = sent.to
  if (delivery === undefined) throw new Error('a send that is not refused has a recipient')
  const { wake } = delivery
  return {
    session: session.id,
    ...(session.name !== undefined && { name: session.name }),
    operation: 'send_message',
    messageId: sent.messageId,
    action: {
      kind: 'send_message',
      ...(wake.action !== undefined && { id: wake.action.id }),
      state: wake.action?.state ?? 'done',
      evidence: `stored in its inbox; wake ${wake.outcome}: ${wake.evidence}`,
    },
  }
}
