/** Whose shell this is: the session whose client is an ancestor of this process, else the person. */

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
  /** More than one open session shares the client this shell runs in: it may look, but not act, before it says which. */
  readonly among: readonly Session[]
}

/**
 * The nearest ancestor that is the client of a session decides: what runs inside a nested agent is not its outer agent.
 * @param wanted from --session-id: picks one where a client serves several. It never makes a stranger somebody.
 * @throws BusError IDENTITY_MISMATCH when `wanted` was a flag and is not one of them.
 */
export function shellOf(
  sessions: Listing,
  ancestors: readonly ProcessRef[],
  wanted?: { readonly sessionId: string; readonly isFlag: boolean },
): Shell {
  const open = sessions.entries.map(({ session }) => session).filter((session) => !isClosed(session))
  const mine = ancestors.map((ref) => open.filter(({ host }) => host.client !== undefined && isSame(host.client, ref)))
  const among = mine.find((found) => found.length > 0) ?? []
  const named = wanted && among.find(({ id }) => id === wanted.sessionId)
  if (wanted?.isFlag && named === undefined) {
    throw new BusError(
      'IDENTITY_MISMATCH',
      `This shell does not run inside the session ${quote(wanted.sessionId)}. Nothing was done.`,
      among.length === 0
        ? 'Leave --session-id out to speak as the person.'
        : `It runs inside ${listing(among.map(label))}.`,
    )
  }
  const session = named ?? (among.length === 1 ? among[0] : undefined)
  if (session !== undefined) return { caller: asSession(session), session, among: [] }
  return { caller: HUMAN, among }
}

/** @throws BusError IDENTITY_MISMATCH where several sessions share the client: none of them, and not the person, may be assumed. */
export function actingCaller({ caller, among }: Shell): Caller {
  if (among.length === 0) return caller
  throw new BusError(
    'IDENTITY_MISMATCH',
    `The program this shell runs in has ${among.length} open sessions: ${listing(among.map(label))}. Nothing was done.`,
    `Say which one you are, for example --session-id=${among[0]?.id}.`,
  )
}

function asSession(session: Session): Caller {
  const { kind, version, client, doors, pane } = session.host
  return {
    kind: 'session',
    id: session.id,
    session,
    verified: true,
    connection: { own: session.id, named: new Set() },
    host: { kind, doors, ...(version && { version }), ...(client && { client }), ...(pane && { pane }) },
  }
}

/**
 * As whom this shell closes a session: a session closes itself, the person any.
 * @throws BusError IDENTITY_MISMATCH inside another session, SESSION_NOT_FOUND where `entry` is gone.
 */
export function closingCaller(who: Shell, target: string, id: string, entry: Entry | undefined): Caller {
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
