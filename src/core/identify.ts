/** Who is calling: the strongest source wins, and what a model wrote is the weakest. */

import { type Clash, isFresh } from './activity.ts'
import { type Caller, type CallerHints, type CallerHost, HUMAN_ID } from './caller.ts'
import type { Context } from './context.ts'
import { BusError } from './errors.ts'
import { cleanId, quote, RESERVED, requireId } from './ids.ts'
import { LIMITS } from './limits.ts'
import { lastSignMs } from './liveness.ts'
import type { Entry } from './ports.ts'
import { type ProcessRef, sameProcess } from './process-ref.ts'
import { settle } from './settle.ts'
import { bound, opens, spawnedId } from './spawn.ts'

/**
 * Host > hook > start hook of our client > the token of its opening > configuration > what this connection registered > the `sessionId` argument.
 * @throws BusError IDENTITY_MISMATCH when the argument contradicts a stronger source, SESSION_IN_USE when it names, or the
 *   connection still speaks for, a session that belongs to another live process; BAD_ID. Nothing is changed then, but the
 *   rightful owner is told.
 */
export async function identify(context: Context, hints: CallerHints): Promise<Caller> {
  const { connection, host, argument, argumentMeans = 'caller' } = hints
  const vouched =
    hints.hostSays ??
    (await fromHook(context, hints.hookSays)) ??
    (await fromStart(context, host)) ??
    (await fromSpawn(context, hints)) ??
    hints.configured
  const strong = vouched === undefined ? undefined : cleanId(vouched)
  if (strong === undefined && argument !== undefined && argument !== connection.own)
    await turnsOutShared(context, hints)
  const known = strong ?? connection.own
  const asCaller = (id: string, verified: boolean) => speakFor(context, hints, id, verified, strong !== undefined)

  if (argument !== undefined && argument !== known) {
    if (argumentMeans === 'inbox' && !(await mayActAs(context, hints, argument))) {
      return known === undefined ? { kind: 'nobody', connection, host } : asCaller(known, true)
    }
    requireId(argument, 'sessionId')
    if (known !== undefined) {
      if (argumentMeans === 'inbox') return asCaller(known, true)
      throw new BusError(
        'IDENTITY_MISMATCH',
        `This is session ${known}; the call asked to act as ${quote(argument)}. Nothing was changed.`,
        'Leave sessionId out: the bus knows who you are. To write to that session use send_message.',
      )
    }
    const caller = await asCaller(argument, false)
    if (caller.kind === 'session' && caller.session !== undefined) connection.named.add(argument)
    return caller
  }
  if (known !== undefined) return asCaller(known, true)
  const [only, ...more] = connection.named
  if (only === undefined && !(host.shared && argumentMeans === 'registers')) return { kind: 'nobody', connection, host }
  const isShared = host.shared || more.length > 0 || (await isSharedSession(context, only))
  if (only !== undefined && !isShared) return asCaller(only, false)
  const speaksFor =
    only === undefined
      ? 'all sessions of its host'
      : `${connection.named.size === 1 ? 'session' : `${connection.named.size} sessions`} (${[...connection.named].slice(0, 5).join(', ')})${more.length === 0 ? ' and may speak for others' : ''}`
  throw new BusError(
    'BAD_INPUT',
    `This server speaks for ${speaksFor}, and the call does not say for which.`,
    'Pass sessionId.',
  )
}

/**
 * One session of the connection forgot to say its id when it registered; another one that is told apart by its argument
 * shows that the connection is not that one’s alone.
 */
async function turnsOutShared(context: Context, { connection, argument }: CallerHints): Promise<void> {
  if (connection.own === undefined || !(await isSharedSession(context, argument))) return
  connection.named.add(connection.own)
  delete connection.own
}

async function isSharedSession(context: Context, id: string | undefined): Promise<boolean> {
  return id !== undefined && (await context.find(id))?.session.host.shared === true
}

/** The session that the start hook of our client bound to it. */
async function fromStart(context: Context, host: CallerHost): Promise<string | undefined> {
  return host.client === undefined ? undefined : (await context.store.hosts.ofClient(host.client))?.sessionId
}

/** The session that was made for our client, which has no hook that could say so. Its first call binds it. */
async function fromSpawn(context: Context, { spawn, host }: CallerHints): Promise<string | undefined> {
  const id = spawnedId(spawn)
  const entry = id === undefined ? undefined : await context.find(id)
  const isOurs = (ref: ProcessRef) => host.client !== undefined && sameProcess(ref, host.client)
  if (id === undefined || entry === undefined || !opens(spawn, entry, isOurs)) return undefined
  if (entry.session.spawn?.boundAt !== undefined) return id
  let isBound = false
  await context.store.sessions.change(id, (current) => {
    if (current === undefined || !opens(spawn, current, isOurs)) return undefined
    isBound = true
    const facts = {
      ...current.session.host,
      ...host,
      doors: current.session.host.doors,
      server: context.processes.self,
    }
    return { session: { ...bound(current.session, context.nowIso()), host: facts } }
  })
  return isBound ? id : undefined
}

/** A hook may name a session whose recorded client is an ancestor of this server; anyone else’s word is ignored. */
async function fromHook(context: Context, id: string | undefined): Promise<string | undefined> {
  if (id === undefined) return undefined
  const entry = await context.find(cleanId(id))
  const client = entry?.session.host.client
  if (client === undefined) return undefined
  return context.processes.ancestors().some((ancestor) => sameProcess(ancestor, client)) ? entry?.session.id : undefined
}

async function speakFor(
  context: Context,
  hints: CallerHints,
  id: string,
  verified: boolean,
  strong: boolean,
): Promise<Caller> {
  const { connection, host, argumentMeans } = hints
  if (id === HUMAN_ID)
    throw new BusError('BAD_ID', '"human" is the person at this machine.', 'Choose another sessionId.')
  if (RESERVED.has(id.toLowerCase()))
    throw new BusError('BAD_ID', `${quote(id)} means something else here.`, 'Choose another sessionId.')
  const entry = await context.find(id)
  // Taking over has to be asked for by name: a server that was replaced does not win the session back by going on.
  const takesOver = argumentMeans === 'registers' && hints.argument !== undefined
  if (entry !== undefined && !strong) await requireRight(context, hints, entry, takesOver)
  // update_session writes all of this itself, and must see who spoke for the session before.
  if (entry !== undefined && argumentMeans !== 'registers') await showLife(context, hints, entry)
  const isSubagent = hints.isSubagent === true
  const { session, activity } = entry ?? {}
  return { kind: 'session', id, session, activity, verified, ...(isSubagent && { isSubagent }), connection, host }
}

/** May this connection speak for a session it only names? */
async function mayActAs(context: Context, hints: CallerHints, id: string): Promise<boolean> {
  if (hints.connection.own === id || hints.connection.named.has(id)) return true
  const entry = await context.find(id)
  return entry !== undefined && hints.connection.own === undefined && standing(context, hints, entry) === 'free'
}

type Standing = 'ours' | 'free' | 'same-client' | 'other'

function standing(context: Context, hints: CallerHints, entry: Entry): Standing {
  const { client, server, shared } = entry.session.host
  const { self } = context.processes
  if (server !== undefined && sameProcess(server, self)) return 'ours'
  // Its plugin made it and knows no process to compare with; the first server that names it serves it.
  if (shared && client === undefined && server === undefined) return 'free'
  const serverLives = server !== undefined && context.processes.check(server) !== 'gone'
  if (client !== undefined && hints.host.client !== undefined && sameProcess(client, hints.host.client)) {
    return serverLives ? 'same-client' : 'free'
  }
  const life = client === undefined ? 'unknown' : context.processes.check(client)
  if (life === 'gone') return 'free'
  const quiet = context.clock.now() - lastSignMs(entry, context.clock.now()) > LIMITS.quietMs
  return life === 'unknown' && quiet ? 'free' : 'other'
}

async function requireRight(context: Context, hints: CallerHints, entry: Entry, registers: boolean): Promise<void> {
  const { id, host } = entry.session
  const stand = standing(context, hints, entry)
  if (stand === 'ours' || stand === 'free' || (stand === 'same-client' && registers)) return
  await noteClash(context, id, 'refused')
  if (stand === 'same-client') {
    throw new BusError(
      'SESSION_IN_USE',
      `Session ${id} is served by another server process (${host.server?.pid}) of the same client now. Nothing was changed.`,
      `Call update_session with sessionId ${quote(id)} to take it over, or register under another id.`,
    )
  }
  throw heldByOther(entry)
}

/** For an id that was free when the call came: of two clients that register it at once, one gets it. */
export function requireSameClient(context: Context, entry: Entry, caller: Exclude<Caller, { kind: 'human' }>): void {
  if (caller.kind === 'session' && caller.verified) return
  const { client, server } = entry.session.host
  const { host } = caller
  if (server !== undefined && sameProcess(server, context.processes.self)) return
  if (client === undefined || host.client === undefined || !sameProcess(client, host.client)) throw heldByOther(entry)
}

function heldByOther({ session }: Entry): BusError {
  return new BusError(
    'SESSION_IN_USE',
    `Session ${session.id} belongs to another client (process ${session.host.client?.pid ?? 'unknown'}), which is not gone. Nothing was changed.`,
    'Register under another id: leave sessionId out of update_session. To write to that session use send_message.',
  )
}

/** Tells the owner, at its next call, that someone else used its id. A fault here must not hide the refusal itself. */
export async function noteClash(
  context: Context,
  id: string,
  outcome: Clash['outcome'],
  pid = context.processes.self.pid,
): Promise<void> {
  const clash = { at: context.nowIso(), pid, outcome }
  try {
    const entry = await context.store.sessions.change(id, (current) =>
      current?.activity === undefined ? undefined : { activity: { ...current.activity, clash } },
    )
    if (entry?.session.host.hooked) await context.store.hosts.mark(entry.session.host.hostKey)
  } catch {
    // the refusal says what is wrong; the owner is told at the next one
  }
}

/**
 * A sign of life, at most every 30 s, and at once when the process that spoke for the session is gone.
 * Never a reason for a call to fail: a read-only home still answers questions.
 */
async function showLife(context: Context, hints: CallerHints, entry: Entry): Promise<void> {
  if (entry.session.closedAt !== undefined) return
  const { self } = context.processes
  const { server, client: before } = entry.session.host
  const { client } = hints.host
  // A server outlives its client for a moment, and speaks for nobody then.
  const isOrphan = before && client && !sameProcess(before, client) && context.processes.check(before) === 'gone'
  // Of two servers that both may speak for it the record keeps the one it names, for as long as that lives.
  const lives = server !== undefined && (sameProcess(server, self) || context.processes.check(server) === 'alive')
  const served = lives && !isOrphan
  const { activity } = entry
  if (served && activity !== undefined && isFresh(activity, context.clock.now())) return
  await context.store.sessions
    .change(entry.session.id, (current) => {
      if (current?.activity === undefined) return undefined
      const host = { ...current.session.host, server: self, ...(client !== undefined && { client }) }
      return {
        ...(!served && { session: { ...current.session, host } }),
        activity: { ...current.activity, lastSeenAt: context.nowIso() },
      }
    })
    .catch(() => undefined)
  await takeUp(context, server)
}

/** What the server that spoke for the session before left undone, where it is gone. */
export async function takeUp(context: Context, before: ProcessRef | undefined): Promise<void> {
  if (before !== undefined && context.processes.check(before) === 'gone') await settle(context)
}
