/** Whose shell this is: the session whose client is an ancestor of this process, else what its host left in it, else the person. */

import type { Caller } from '../core/caller.ts'
import { HUMAN } from '../core/caller.ts'
import { BusError } from '../core/errors.ts'
import { quote } from '../core/ids.ts'
import type { Entry, Listing, ProcessRef } from '../core/ports.ts'
import { isClosed, label, type Session } from '../core/session.ts'
import { listing } from './words.ts'

export interface Shell {
  readonly caller: Caller
  readonly session?: Session
  /** More than one open session may be meant: it may look, but not act, before it says which. */
  readonly among: readonly Session[]
  /** A host opened it for its model, and for no session on the bus: it may look, and is not the person. */
  readonly stray?: Sign
}

/** What a host leaves in the shells of its model. */
export interface Sign {
  readonly kind: string
  /** How a person would call that host. */
  readonly by: string
  readonly variable: string
  /** The session its conversation is bound to, or the host's own id where it is bound to none. */
  readonly sessionId?: string
}

export interface Surroundings {
  /** Nearest first. */
  readonly ancestors: readonly ProcessRef[]
  readonly signs: readonly Sign[]
  /** From --session-id: picks one where several may be meant. */
  readonly wanted?: { readonly sessionId: string; readonly isFlag: boolean }
  /** Runs here and can be seen: were this shell its own, it would be an ancestor. */
  readonly isSeen: (client: ProcessRef) => boolean
}

/**
 * The nearest ancestor that is the client of a session decides: what runs inside a nested agent is not its outer agent.
 * A sandbox hides the ancestors, and a program may leave them; then the variables of a host say whose it is, which only
 * makes the sender one that is not verified. With such variables and no session it is nobody.
 * @throws BusError IDENTITY_MISMATCH when `wanted` was a flag and is none that it could be.
 */
export function shellOf(sessions: Listing, around: Surroundings): Shell {
  const { ancestors, signs, wanted } = around
  const open = sessions.entries.map(({ session }) => session).filter((session) => !isClosed(session))
  const mine = ancestors.map((ref) => open.filter(({ host }) => host.client !== undefined && isSame(host.client, ref)))
  const near = mine.find((found) => found.length > 0) ?? []
  const told = open.filter(({ id, host }) => signs.some((sign) => sign.kind === host.kind && sign.sessionId === id))
  const among = near.length > 0 ? near : told
  const named = wanted && (among.find(({ id }) => id === wanted.sessionId) ?? claimed(open, among, around))
  if (wanted?.isFlag && named === undefined) {
    throw new BusError(
      'IDENTITY_MISMATCH',
      `This shell does not run inside the session ${quote(wanted.sessionId)}. Nothing was done.`,
      among.length > 0
        ? `It runs inside ${listing(among.map(label))}.`
        : signs.length > 0
          ? 'session-mcp list shows the open sessions.'
          : 'Leave --session-id out to speak as the person.',
    )
  }
  const session = named ?? only(among) ?? only(among.filter((each) => told.includes(each)))
  if (session !== undefined) return { caller: asSession(session, near.includes(session)), session, among: [] }
  const [stray] = signs
  if (near.length > 0 || stray === undefined) return { caller: HUMAN, among }
  return { caller: NOBODY, among, ...(among.length === 0 && { stray }) }
}

function only<T>(list: readonly T[]): T | undefined {
  return list.length === 1 ? list[0] : undefined
}

/** By its word alone: where nothing tells more, and only one of the host that opened the shell, not one that runs elsewhere. */
function claimed(open: readonly Session[], among: readonly Session[], around: Surroundings): Session | undefined {
  const { signs, wanted, isSeen } = around
  if (among.length > 0 || wanted?.isFlag !== true) return undefined
  return open.find(
    ({ id, host }) =>
      id === wanted.sessionId &&
      signs.some(({ kind }) => kind === host.kind) &&
      !(host.client !== undefined && isSeen(host.client)),
  )
}

const NOBODY: Caller = { kind: 'nobody', connection: { named: new Set() }, host: { kind: 'cli', doors: [] } }

/** @throws BusError IDENTITY_MISMATCH where several sessions may be meant, or a model of none: not the person, either. */
export function actingCaller({ caller, among, stray }: Shell): Caller {
  if (stray !== undefined) throw strayed(stray)
  if (among.length === 0) return caller
  throw new BusError(
    'IDENTITY_MISMATCH',
    `The program this shell runs in has ${among.length} open sessions: ${listing(among.map(label))}. Nothing was done.`,
    `Say which one you are, for example --session-id=${among[0]?.id}.`,
  )
}

function strayed({ by, variable }: Sign): BusError {
  return new BusError(
    'IDENTITY_MISMATCH',
    `It seems that ${by} opened this shell for its model (${variable} is set), and no open session on the bus is known to be that model's. Nothing was done: a model does not speak as the person.`,
    'A session says which one it is with --session-id=ID; one that is not on the bus calls update_session first. The person uses a terminal that was not opened from there.',
  )
}

function asSession(session: Session, isVerified: boolean): Caller {
  const { kind, version, client, doors, pane } = session.host
  return {
    kind: 'session',
    id: session.id,
    session,
    verified: isVerified,
    connection: { own: session.id, named: new Set() },
    host: { kind, doors, ...(version && { version }), ...(client && { client }), ...(pane && { pane }) },
  }
}

/**
 * As whom this shell closes a session: a session closes itself, the person any.
 * @throws BusError IDENTITY_MISMATCH inside another session, SESSION_NOT_FOUND where `entry` is gone.
 */
export function closingCaller(who: Shell, target: string, id: string, entry: Entry | undefined): Caller {
  if (who.stray !== undefined) throw strayed(who.stray)
  const isOwn = who.session?.id === id
  if (!isOwn && (who.session !== undefined || who.among.length > 0)) {
    throw new BusError(
      'IDENTITY_MISMATCH',
      `This shell runs inside another session, and only ${target} itself or the person may close it. Nothing was changed.`,
      'Send it a message and ask, or tell the person.',
    )
  }
  if (entry === undefined) {
    throw new BusError('SESSION_NOT_FOUND', `The session ${target} is gone.`, 'See session-mcp list.')
  }
  return isOwn ? who.caller : onBehalfOf(entry.session)
}

/** For what the person does to a session that is not theirs to speak for: closing it. */
export function onBehalfOf(session: Session): Caller {
  return {
    kind: 'session',
    id: session.id,
    session,
    verified: false,
    connection: { named: new Set() },
    host: { kind: 'cli', doors: [] },
  }
}

/** One process, for sure: a pid alone may have been given to another program since. */
function isSame(a: ProcessRef, b: ProcessRef): boolean {
  const agrees = (x: string | undefined, y: string | undefined) => x === undefined || y === undefined || x === y
  return (
    a.pid === b.pid &&
    a.start !== undefined &&
    a.start === b.start &&
    agrees(a.boot, b.boot) &&
    agrees(a.ns, b.ns) &&
    agrees(a.node, b.node)
  )
}
