/** What the use cases share: the ports, and the few questions everyone asks of them. */

import { type Caller, HUMAN_ID } from './caller.ts'
import { BusError } from './errors.ts'
import { isId } from './ids.ts'
import type { Json } from './json.ts'
import { type CheckLife, isExpired, type Observed, observed } from './liveness.ts'
import { createMessageClock, type MessageClock } from './message.ts'
import type { Clock, Entry, Listing, Processes, Projects, Random, Store } from './ports.ts'
import type { Executor } from './ports-actions.ts'
import type { Doors } from './ports-hosts.ts'
import { projectKey } from './project.ts'
import { parseTtl } from './ttl.ts'

export interface BusOptions {
  /** TTL of sessions that declare none, e.g. `4h`. */
  readonly defaultTtl: string
  /** How long messages are kept, from the moment they were sent, e.g. `7d`. */
  readonly messageTtl: string
}

export interface BusDeps {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly processes: Processes
  readonly projects: Projects
  readonly options: BusOptions
  /** True where paths that differ only in case are one. */
  readonly foldCase: boolean
  /** Left out, every door is a touch of the wake file. */
  readonly doors?: Doors | undefined
  /** Ways to perform actions from this process, best first. */
  readonly executors?: readonly Executor[]
  readonly log?: (level: 'info' | 'warn' | 'error', event: string, facts?: Readonly<Record<string, Json>>) => void
}

export interface Context extends BusDeps {
  readonly executors: readonly Executor[]
  readonly defaultTtlMs: number
  readonly messageTtlMs: number
  readonly messageClock: MessageClock
  nowIso(): string
  /** One check per process and tick: a list asks about the same clients again and again. */
  checker(): CheckLife
  observe(entry: Entry, check?: CheckLife): Observed
  isHidden(entry: Entry, check?: CheckLife): boolean
  /** A session that is on the bus and not expired. */
  find(id: string): Promise<Entry | undefined>
  /** All unexpired sessions. */
  live(check?: CheckLife): Promise<Listing>
  projectKeyOf(text: string): string
}

export function createContext(deps: BusDeps): Context {
  const { clock, store, processes, options } = deps
  const defaultTtlMs = parseTtl(options.defaultTtl, 'default-ttl')
  const messageTtlMs = parseTtl(options.messageTtl, 'message-ttl')
  const checker = (): CheckLife => {
    const known = new Map<string, ReturnType<CheckLife>>()
    return (ref) => {
      const key = `${ref.pid} ${ref.start} ${ref.boot} ${ref.ns} ${ref.node}`
      const life = known.get(key) ?? processes.check(ref)
      known.set(key, life)
      return life
    }
  }
  const isHidden = (entry: Entry, check: CheckLife = processes.check) =>
    isExpired(entry, check, clock.now(), defaultTtlMs)
  return {
    ...deps,
    executors: deps.executors ?? [],
    defaultTtlMs,
    messageTtlMs,
    messageClock: createMessageClock(),
    nowIso: () => new Date(clock.now()).toISOString(),
    checker,
    observe: (entry, check = processes.glance ?? processes.check) => observed(entry, check, clock.now()),
    isHidden,
    async find(id) {
      if (!isId(id)) return undefined // names and typing errors come this way too
      const entry = await store.sessions.read(id)
      return entry === undefined || isHidden(entry) ? undefined : entry
    },
    async live(check = checker()) {
      const { entries, skipped } = await store.sessions.list()
      return { entries: entries.filter((entry) => !isHidden(entry, check)), skipped }
    },
    projectKeyOf: (text) => projectKey(deps.projects.resolve(text), deps.foldCase),
  }
}

/** The caller's own session, which may be closed. @throws BusError NOT_REGISTERED */
export async function requireOwn(context: Context, caller: Caller, doing: string): Promise<Entry> {
  if (caller.kind === 'human') {
    throw new BusError(
      'NOT_REGISTERED',
      `Only a session can ${doing}; you speak as the person at this machine.`,
      'Name a session, or run it from inside one.',
    )
  }
  const entry = caller.kind === 'nobody' ? undefined : await context.find(caller.id)
  if (entry === undefined) throw notRegistered(doing, caller.kind === 'session' ? caller.id : undefined)
  return entry
}

/** The same, still open: what begins something new. @throws BusError NOT_REGISTERED, SESSION_CLOSED */
export async function requireOpenOwn(context: Context, caller: Caller, doing: string): Promise<Entry> {
  const entry = await requireOwn(context, caller, doing)
  const { id, status, closedAt } = entry.session
  if (closedAt === undefined) return entry
  throw new BusError(
    'SESSION_CLOSED',
    `Session ${id} was closed as ${status} at ${closedAt}, so it cannot ${doing}. Nothing was changed.`,
    'update_session{status:"active"} opens it again. As it is, it may look, read, send and wait.',
  )
}

export function notRegistered(doing: string, id?: string): BusError {
  const who = id === undefined ? 'This session is not registered' : `Session ${id} is not (or no longer) on the bus`
  return new BusError(
    'NOT_REGISTERED',
    `${who}, so it cannot ${doing}.`,
    'Call update_session with task and projectPath first.',
  )
}

/** @throws BusError SUBAGENT where an agent of the session asks for what only the session itself may do. */
export function refuseSubagent(caller: Caller, doing: string): void {
  if (caller.kind !== 'session' || caller.isSubagent !== true) return
  throw new BusError(
    'SUBAGENT',
    `A subagent of session ${caller.id} asked to ${doing}; it shares the id of its parent and may only look and send. Nothing was changed.`,
    'Report to the parent, which can do it.',
  )
}

/** The id mail is kept under for a caller. @throws BusError NOT_REGISTERED for a client without a session. */
export function mailId(caller: Caller, doing: string): string {
  if (caller.kind === 'human') return HUMAN_ID
  if (caller.kind === 'session') return caller.id
  throw notRegistered(doing)
}
