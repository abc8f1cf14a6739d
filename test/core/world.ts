/** A machine made up for tests: a clock that moves when told, processes that can be killed, and the clients on it. */

import type { Operation, OperationInput } from '../../src/core/action.ts'
import type {
  CompleteAnswer,
  InboxAnswer,
  ListAnswer,
  News,
  ReceiptAnswer,
  SendAnswer,
  SessionView,
  UpdateAnswer,
  WaitAnswer,
  WatchAnswer,
} from '../../src/core/answers.ts'
import type { CreateAnswer, ManageAnswer } from '../../src/core/answers-actions.ts'
import type {
  Bus,
  CompleteInput,
  CreateInput,
  HandOver,
  ListInput,
  ReadInput,
  SendInput,
  UpdateInput,
  WaitInput,
  WaitOptions,
} from '../../src/core/bus.ts'
import { type Caller, type CallerHints, type Connection, HUMAN } from '../../src/core/caller.ts'
import { type BusDeps, type Context, createContext } from '../../src/core/context.ts'
import { createBus } from '../../src/core/create-bus.ts'
import { BusError } from '../../src/core/errors.ts'
import type { Clock, Entry, Life, ProcessRef, ProjectPath, Store } from '../../src/core/ports.ts'
import type { Executor } from '../../src/core/ports-actions.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { NOON } from '../contract/records.ts'

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

export interface FakeClock extends Clock {
  /** Lets time pass: every timer that falls due fires, and what it starts goes on until it waits again. */
  advance(ms: number): Promise<void>
  /** Sets the wall clock; no time passes. */
  set(wallMs: number): void
  /** How many timers are running. */
  readonly timers: number
}

export function fakeClock(startMs = Date.parse(NOON)): FakeClock {
  let wallMs = startMs
  let steadyMs = 0
  const timers = new Set<{ atMs: number; fn: () => void }>()
  const pass = (ms: number) => {
    wallMs += ms
    steadyMs += ms
  }
  return {
    now: () => wallMs,
    micros: () => wallMs * 1000,
    steady: () => steadyMs,
    after(ms, fn) {
      const timer = { atMs: steadyMs + ms, fn }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    async advance(ms) {
      const untilMs = steadyMs + ms
      await idle()
      for (;;) {
        const [next] = [...timers].filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)
        if (next === undefined) break
        timers.delete(next)
        pass(next.atMs - steadyMs)
        next.fn()
        await idle()
      }
      pass(untilMs - steadyMs)
    },
    set(ms) {
      wallMs = ms
    },
    get timers() {
      return timers.size
    },
  }
}

/** Everything that needs no time has happened: the store of these tests never waits for the system. */
export async function idle(): Promise<void> {
  for (let n = 0; n < 3; n++) await new Promise((resolve) => setImmediate(resolve))
}

export interface World {
  readonly clock: FakeClock
  readonly store: Store
  /** Host keys in the order their wake files were touched. */
  readonly wakes: string[]
  /** What the rules logged: `level event`. */
  readonly logged: string[]
  /** Spellings of projects that stand for something else than themselves. */
  readonly projects: Map<string, ProjectPath>
  process(): ProcessRef
  kill(ref: ProcessRef): void
  /** It can no longer be told whether it lives. */
  hide(ref: ProcessRef): void
  /** A client with a server of its own: one connection, as an MCP client has it. */
  client(options?: ClientOptions): Client
  /** A registered one. */
  session(name: string, options?: ClientOptions & { readonly more?: UpdateInput }): Promise<Client>
  /** What a hook of a host works with: a process of its own, and the same store. */
  context(): Context
  /** The rules themselves, for what belongs to no client. */
  readonly bus: Bus
  readonly human: Client
  entry(id: string): Promise<Entry>
}

export interface ClientOptions {
  /** The process of the client program; a new one when left out, null where it is not known. */
  readonly client?: ProcessRef | null
  readonly doors?: readonly string[]
  readonly kind?: string
  /** Of a host whose sessions share one server. */
  readonly shared?: boolean
  readonly ancestors?: readonly ProcessRef[]
  /** An id that the host puts into every call. */
  readonly hostSays?: string
  readonly configured?: string
  /** The token its environment holds. */
  readonly spawn?: string
}

type Says = Partial<Pick<CallerHints, 'argument' | 'argumentMeans' | 'hookSays' | 'hostSays' | 'isSubagent'>>

/** The verbs as the tools offer them: who calls is worked out each time. */
export interface Verbs {
  caller(says?: Says): Promise<Caller>
  /** Sends to `to`, or answers where `to` is left out. */
  send(to: string | readonly string[] | undefined, content: string, more?: Partial<SendInput>): Promise<SendAnswer>
  /** Reads and confirms the hand-over, as a server does whose answer was written. */
  read(input?: ReadInput): Promise<InboxAnswer>
  take(input?: ReadInput): Promise<HandOver<InboxAnswer>>
  list(input?: ListInput): Promise<ListAnswer>
  query(target: string): Promise<SessionView>
  receipt(messageId: string): Promise<ReceiptAnswer>
  wait(input: WaitInput, options?: WaitOptions): Promise<WaitAnswer>
  watch(...sessions: string[]): Promise<WatchAnswer>
  unwatch(...sessions: string[]): Promise<WatchAnswer>
  complete(input?: CompleteInput): Promise<CompleteAnswer>
  create(input: CreateInput): Promise<CreateAnswer>
  manage(session: string, operation: Operation, more?: OperationInput): Promise<ManageAnswer>
  news(): Promise<News | undefined>
}

export interface Client extends Verbs {
  /** The id of the last registration. */
  readonly id: string
  readonly server: ProcessRef
  readonly process: ProcessRef | undefined
  readonly connection: Connection
  update(input: UpdateInput, sessionId?: string, says?: Says): Promise<UpdateAnswer>
  /** The same connection, with `sessionId` in every call: a server that speaks for several sessions. */
  as(sessionId: string): Verbs
}

export interface WorldOptions {
  /** Wraps the store, e.g. to make it fail. */
  readonly store?: (inner: Store) => Store
  readonly inboxLimit?: number
  readonly defaultTtl?: string
  readonly messageTtl?: string
  readonly doors?: BusDeps['doors']
  /** What every process of this machine can do to tabs. */
  readonly executors?: readonly Executor[]
}

export function createWorld(options: WorldOptions = {}): World {
  const clock = fakeClock()
  const lives = new Map<number, Life>()
  const wakes: string[] = []
  const logged: string[] = []
  const projects = new Map<string, ProjectPath>()
  let tokens = 0
  let pids = 100
  const memory = memoryStore({
    clock,
    ...(options.inboxLimit !== undefined && { inboxLimit: options.inboxLimit }),
  })
  const counted: Store = {
    ...memory,
    hosts: {
      ...memory.hosts,
      async touchWake(hostKey) {
        wakes.push(hostKey)
        return `wakes/${hostKey}`
      },
    },
  }
  const store = options.store?.(counted) ?? counted

  const newProcess = (): ProcessRef => {
    const pid = pids++
    lives.set(pid, 'alive')
    return { pid, start: `s${pid}`, boot: 'boot', ns: 'ns', node: 'node' }
  }
  const depsOf = (self: ProcessRef, client: ProcessRef | undefined, ancestors: readonly ProcessRef[]): BusDeps => ({
    store,
    clock,
    random: { token: (length) => (tokens++).toString(36).padStart(length, '0') },
    processes: { self, client, ancestors: () => ancestors, check: (ref) => lives.get(ref.pid) ?? 'unknown' },
    projects: { resolve: (text) => projects.get(text) ?? plainProject(text) },
    doors: options.doors,
    foldCase: false,
    executors: options.executors ?? [],
    options: { defaultTtl: options.defaultTtl ?? '4h', messageTtl: options.messageTtl ?? '7d' },
    log: (level, event) => logged.push(`${level} ${event}`),
  })

  const client = (given: ClientOptions = {}): Client => {
    const server = newProcess()
    const own = given.client === null ? undefined : (given.client ?? newProcess())
    const connection: Connection = { named: new Set() }
    const bus = createBus(depsOf(server, own, given.ancestors ?? (own === undefined ? [] : [own])))
    let id = ''
    const caller = (says: Says = {}) =>
      bus.identify({
        connection,
        host: {
          kind: given.kind ?? 'test',
          doors: given.doors ?? [],
          ...(given.shared && { shared: true }),
          ...(own !== undefined && { client: own }),
        },
        hostSays: given.hostSays,
        configured: given.configured,
        spawn: given.spawn,
        ...says,
      })
    return {
      get id() {
        return id
      },
      server,
      process: own,
      connection,
      ...verbs(bus, caller),
      as: (sessionId) => verbs(bus, (says) => caller({ argument: sessionId, ...says })),
      async update(input, sessionId, says = {}) {
        const answer = await bus.update(
          await caller({ argument: sessionId, argumentMeans: 'registers', ...says }),
          input,
        )
        id = answer.id
        return answer
      },
    }
  }

  const outside = newProcess()
  const bus = createBus(depsOf(outside, undefined, []))
  return {
    clock,
    store,
    wakes,
    logged,
    projects,
    process: newProcess,
    kill: (ref) => lives.set(ref.pid, 'gone'),
    hide: (ref) => lives.set(ref.pid, 'unknown'),
    client,
    context: () => createContext(depsOf(newProcess(), undefined, [])),
    async session(name, given = {}) {
      const { more, ...rest } = given
      const made = client(rest)
      await made.update({ task: `the work of ${name}`, projectPath: '/p/one', name, ...more })
      return made
    },
    bus,
    human: {
      id: 'human',
      server: outside,
      process: undefined,
      connection: { named: new Set() },
      ...verbs(bus, async () => HUMAN),
      as: () => verbs(bus, async () => HUMAN),
      update: (input) => bus.update(HUMAN, input),
    },
    async entry(id) {
      const entry = await store.sessions.read(id)
      if (entry === undefined) throw new Error(`there is no session ${id}`)
      return entry
    },
  }
}

function verbs(bus: Bus, caller: Verbs['caller']): Verbs {
  const take: Verbs['take'] = async (input = {}) =>
    bus.read(await caller(input.inbox === undefined ? {} : { argument: input.inbox, argumentMeans: 'inbox' }), input)
  return {
    caller,
    take,
    async read(input) {
      const { answer, handedOver } = await take(input)
      await handedOver()
      return answer
    },
    async send(to, content, more = {}) {
      return bus.send(await caller(), {
        ...(to !== undefined && { to: typeof to === 'string' ? [to] : to }),
        content,
        ...more,
      })
    },
    list: async (input = {}) => bus.list(await caller(), input),
    query: async (target) => bus.query(await caller(), target),
    receipt: async (messageId) => bus.receipt(await caller(), messageId),
    wait: async (input, options) => bus.wait(await caller(), input, options),
    watch: async (...sessions) => bus.watch(await caller(), { sessions }),
    unwatch: async (...sessions) => bus.watch(await caller(), { sessions, unwatch: true }),
    complete: async (input = {}) => bus.complete(await caller(), input),
    create: async (input) => bus.create(await caller(), input),
    manage: async (session, operation, more = {}) => bus.manage(await caller(), { session, operation, ...more }),
    news: async () => bus.news(await caller()),
  }
}

/** As the system resolves: absolute only. */
function plainProject(text: string): ProjectPath {
  if (!text.startsWith('/') || text === '/') {
    throw new BusError('BAD_PATH', `projectPath ${JSON.stringify(text)} is not absolute.`, 'Send an absolute path.')
  }
  return { path: text.replace(/(?<=.)\/$/, '') }
}

/** The refusal a call ends with; a call that succeeds fails the test. */
export async function refusalOf(call: Promise<unknown>): Promise<BusError> {
  try {
    await call
  } catch (fault) {
    if (fault instanceof BusError) return fault
    throw fault
  }
  throw new Error('expected a refusal, but the call succeeded')
}

/** The first of a list that must not be empty. */
export function only<T>(items: readonly T[] | undefined): T {
  if (items?.length !== 1 || items[0] === undefined) throw new Error(`expected one, got ${JSON.stringify(items)}`)
  return items[0]
}
