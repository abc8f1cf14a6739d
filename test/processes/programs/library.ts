/** A process that uses the library, told what to do line by line. Arguments: home, then options as JSON. */

import { EventEmitter } from 'node:events'
import fs from 'node:fs'
import {
  type Caller,
  type CallerHost,
  type Connection,
  type HandOver,
  type InboxAnswer,
  type OpenOptions,
  openBus,
  type WaitInput,
} from '../../../src/lib.ts'
import { serve } from './serve.ts'

export interface LibraryOptions extends Omit<OpenOptions, 'home'> {
  /** Swallow every file event, as a full queue of the kernel does: without a word. */
  readonly deaf?: boolean
}

const [home = '', json = '{}'] = process.argv.slice(2)
const { deaf, ...options } = JSON.parse(json) as LibraryOptions
if (deaf) {
  fs.watch = (() => Object.assign(new EventEmitter(), { close: () => undefined })) as unknown as typeof fs.watch
}

const opened = await openBus({ home, ...options })
const { bus } = opened
const connection: Connection = { named: new Set() }
const aborts = new Map<string, AbortController>()
let caller: Caller | undefined
let held: HandOver<InboxAnswer> | undefined

function me(): Caller {
  if (caller === undefined) throw new Error('join first')
  return caller
}

async function identify(id: string | undefined): Promise<Caller> {
  return bus.identify({ connection, configured: id, host: hostOf() })
}

function hostOf(): CallerHost {
  const { client } = opened.processes
  return { kind: 'generic', doors: [], ...(client !== undefined && { client }) }
}

/** Processes that spin start within microseconds of each other. A moment that is far off, because a clock was set, is none. */
function spinUntil(at = 0): void {
  const now = () => performance.timeOrigin + performance.now()
  if (at - now() < 100) while (now() < at);
}

const handles: number[] = []

serve({
  /** Registers, or speaks for the session `id` if that is there already. */
  async join({ id, name }: { id?: string; name?: string }) {
    const first = await identify(id)
    if (first.kind !== 'session' || first.session === undefined) {
      await bus.update(first, { task: 'a test', projectPath: '/project', name })
    }
    caller = await identify(id)
    return caller.kind === 'session' ? caller.id : undefined
  },
  /** Registers one more session of this process, which `updateOf` speaks for. */
  async register({ name }: { name: string }) {
    const own = { connection: { named: new Set<string>() }, configured: name, host: hostOf() }
    await bus.update(await bus.identify(own), { task: 'a test', projectPath: '/project' })
  },
  async updateOf({ name, ...input }: { name: string }) {
    const own = { connection: { named: new Set<string>() }, configured: name, host: hostOf() }
    return bus.update(await bus.identify(own), input)
  },
  update: (input: object) => bus.update(me(), input),
  send: (input: { to: string[]; content: string }) => bus.send(me(), input),
  list: (input: object) => bus.list({ kind: 'human' }, input),
  query: (id: string) => bus.query({ kind: 'human' }, id),
  complete: (input: object) => bus.complete(me(), input),
  sweep: () => bus.sweep(),
  tidy: () => opened.store.tidy(),
  /** `at`: as for `wait`. */
  async take({ at }: { at?: number } = {}) {
    spinUntil(at)
    const { answer, handedOver } = await bus.read(me(), {})
    await handedOver()
    return answer
  },
  /** Takes without handing over. */
  async hold() {
    held = await bus.read(me(), {})
    return held.answer
  },
  release: () => held?.notHandedOver(),
  /** `at`: start at this moment, ms since the epoch. `key`: what `abort` may cut short. */
  async wait({ at, key, ...input }: WaitInput & { at?: number; key?: string }) {
    const abort = new AbortController()
    if (key !== undefined) aborts.set(key, abort)
    spinUntil(at)
    return bus.wait(me(), input, { signal: abort.signal })
  },
  warnings: () => opened.warnings,
  /** Opens files until none is left to open. */
  exhaust() {
    try {
      for (;;) handles.push(fs.openSync('/dev/null', 'r'))
    } catch (fault) {
      return (fault as NodeJS.ErrnoException).code
    }
  },
  relieve() {
    for (const fd of handles.splice(0)) fs.closeSync(fd)
  },
  abort: (key: string) => aborts.get(key)?.abort(),
  /** Blocks the event loop until a file is there, so that events pile up in the kernel. `say`: a file that tells that it does. */
  block({ say, until }: { say: string; until: string }) {
    fs.writeFileSync(say, '')
    while (!fs.existsSync(until)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
  },
  /** Signs of life as fast as a timer goes, until the process ends. */
  beat({ id, everyMs }: { id: string; everyMs: number }) {
    setInterval(() => {
      void opened.store.sessions
        .change(
          id,
          (entry) => entry?.activity && { activity: { ...entry.activity, lastSeenAt: new Date().toISOString() } },
        )
        .catch(() => undefined)
    }, everyMs)
  },
})
