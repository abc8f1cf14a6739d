/** A bus in a temporary home, the plugin on it, and an OpenCode around it that says what the recorded one says. */

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { openHookBus } from '../../hooks/open.ts'
import type { Bus } from '../../src/core/bus.ts'
import { createBus } from '../../src/core/create-bus.ts'
import type { Client } from '../../src/hosts/opencode/client.ts'
import { createOpenings } from '../../src/hosts/opencode/openings.ts'
import { createOpencodeHooks } from '../../src/hosts/opencode/plugin.ts'
import { type OpenedBus, openBus } from '../../src/open.ts'
import { here } from '../../src/system/here.ts'

const PAYLOADS = path.join(import.meta.dirname, 'payloads', 'opencode')

export interface Payload {
  readonly input: Record<string, unknown>
  readonly output: Record<string, unknown>
}

export const MAIN = 'ses_000000000000MainMainMainMa'
export const CHILD = 'ses_000000000000ChildChildChil'

/** A recorded hook or event of session `id`, a child of `MAIN` where it has a parent; each time a fresh copy. */
export function payload(name: string, id = MAIN): Payload {
  const text = fs.readFileSync(path.join(PAYLOADS, `${name}.json`), 'utf8')
  const own = /"sessionID": "([^"]+)"/.exec(text)?.[1] ?? MAIN
  const parent = /"parentID": "([^"]+)"/.exec(text)?.[1] ?? MAIN
  const { input = {}, output = {} } = JSON.parse(text.replaceAll(own, id).replaceAll(parent, MAIN))
  return { input, output }
}

export const PAYLOAD_NAMES = fs.readdirSync(PAYLOADS).map((name) => name.replace(/\.json$/, ''))

export interface Started {
  readonly id: string
  readonly body: Record<string, unknown>
}

export interface Place {
  readonly home: string
  /** Calls a hook as OpenCode does. @throws Error where there is no such hook. */
  call(hook: string, input: unknown, output?: unknown): Promise<void>
  /** Plays a recorded one, with `change` made in it first. @returns its output afterwards. */
  play(name: string, id?: string, change?: (payload: Payload) => void): Promise<Record<string, unknown>>
  /** OpenCode loads the plugin once more, in the same process. */
  reload(): Promise<void>
  /** The sessions OpenCode knows, as it describes them. */
  readonly sessions: Map<string, Record<string, unknown>>
  /** Turns the plugin started. */
  readonly turns: Started[]
  readonly bus: OpenedBus
  /** Lines of log/hooks.log. */
  log(): Record<string, unknown>[]
  close(): Promise<void>
}

export interface PlaceOptions {
  readonly client?: Client
  readonly argv?: readonly string[]
  /** The token OpenCode was started with. */
  readonly spawn?: string
  /** Of what a hook may take, ms. Left out: what a hook did is looked at when it is over, on a busy machine as well. */
  readonly limitMs?: number
}

/** The same rules and files, without a limit for how long an answer waits for OpenCode: a busy machine would exceed it. */
function patientBus({ store, processes }: OpenedBus): Bus {
  const around = here()
  return createBus({
    ...{ store, processes, executors: [], ...around, clock: { ...around.clock, steady: () => 0 } },
    options: { defaultTtl: '4h', messageTtl: '7d' },
  })
}

export async function openPlace(options: PlaceOptions = {}): Promise<Place> {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'session-mcp-opencode-')))
  const home = path.join(root, 'bus')
  const sessions = new Map<string, Record<string, unknown>>()
  const turns: Started[] = []
  const session = {
    async get({ path: { id } }: { path: { id: string } }) {
      const data = sessions.get(id)
      return data === undefined ? { error: { name: 'NotFoundError' } } : { data }
    },
    async promptAsync({ path: { id }, body }: { path: { id: string }; body: Record<string, unknown> }) {
      turns.push({ id, body })
      return {}
    },
  }
  const { context, processes, log } = openHookBus({}, ['--home', home])
  const openings = createOpenings(options.spawn)
  const load = () =>
    createOpencodeHooks({
      context,
      client: options.client ?? { session },
      directory: path.join(root, 'project'),
      argv: options.argv ?? ['bun', '/opencode', 'serve'],
      openings,
      self: processes.self,
      serverScript: '/opt/session-mcp/dist/index.js',
      limitMs: options.limitMs ?? 10 * 60_000,
      log: (level, event, facts) => log[level](event, facts),
    })
  let hooks = load()
  const call = async (hook: string, input: unknown, output: unknown = {}) => {
    const run = hooks[hook]
    if (run === undefined) throw new Error(`no hook ${hook}`)
    await run(input, output)
  }
  const opened = await openBus({ home: path.join(root, 'bus'), durability: 'process' })
  const bus = { ...opened, bus: patientBus(opened) }
  return {
    home,
    call,
    async play(name, id, change) {
      const given = payload(name, id)
      change?.(given)
      const hook = /^event\./.test(name) ? 'event' : name.replace(/\.title$/, '')
      await call(hook, given.input, given.output)
      return given.output
    },
    async reload() {
      hooks = load()
    },
    sessions,
    turns,
    bus,
    log() {
      const file = path.join(home, 'log', 'hooks.log')
      if (!fs.existsSync(file)) return []
      return fs
        .readFileSync(file, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    },
    async close() {
      await call('dispose', undefined)
      bus.close()
      fs.rmSync(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
