/** What the bus has to know of one host, as data. The behaviour that reads it is the same for all of them. */

import type { DoorAnswer, DoorCall } from '../core/ports-hosts.ts'

export interface Host {
  /** `claude-code`, `codex`, ...: the word stored in the session record. */
  readonly kind: string
  /** What the host calls itself in `clientInfo.name`. Compared word by word, see detect.ts. */
  readonly clientNames: readonly string[]
  /** Keys of a call's `_meta` that hold the host's session id, best first. A model cannot set them. */
  readonly metaKeys: readonly string[]
  /** Whether a call’s `_meta` is that of an agent which the session started itself. */
  isSubagent?(meta: Readonly<Record<string, unknown>>): boolean
  /** Environment variable of our server that names its session, where the host sets it right and keeps it right. */
  readonly envSession?: string
  /** Environment variable that names the session in the shells this host runs for its model. */
  readonly envShell?: string
  /** The longest one tool call may take before this host gives up or turns away from it, ms. */
  readonly waitCeilingMs: number
  /** The same for a call that came with a progress token, where progress extends the limit. */
  readonly waitCeilingWithProgressMs?: number
  /** Environment variable with which a user sets the host's own limit per call, ms. */
  readonly callLimitEnv?: string
  /** The longest result of a tool that its model is shown whole, bytes, where that is less than we would send. */
  readonly answerBytes?: number
  /** Ways an idle session of this host can be woken, best first. */
  readonly doors: readonly string[]
  /** Where nothing of the host watches a wake file: how the process that sends begins a turn. Bounded in time, never throws. */
  openDoor?(call: DoorCall, env: Environment): Promise<DoorAnswer>
}

export type Environment = Readonly<Record<string, string | undefined>>

/** Below every default limit measured so far; OpenCode and the SDK's own client stop at 60 s. */
export const SAFE_WAIT_MS = 50_000

/** What a wait stays under a user's own limit, so that its answer arrives before the host gives up, ms. */
const MARGIN_MS = 5_000

/** The session id the host put into this call, if it is one of those that do. */
export function sessionInMeta(host: Host, meta: Readonly<Record<string, unknown>> | undefined): string | undefined {
  if (meta === undefined) return undefined
  for (const key of host.metaKeys) {
    const value = Object.hasOwn(meta, key) ? meta[key] : undefined
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}

export function sessionInEnvironment(host: Host, env: Environment): string | undefined {
  const value = host.envSession === undefined ? undefined : env[host.envSession]
  return value === '' ? undefined : value
}

/** The longest wait this host allows for a call, ms. A limit the user lowered counts; one the user raised does not. */
export function waitCeilingMs(host: Host, hasProgressToken: boolean, env: Environment): number {
  const ceilingMs = (hasProgressToken ? host.waitCeilingWithProgressMs : undefined) ?? host.waitCeilingMs
  const text = host.callLimitEnv === undefined ? undefined : env[host.callLimitEnv]
  if (text === undefined || !/^\d{1,9}$/.test(text)) return ceilingMs
  return Math.min(ceilingMs, Math.max(Number(text) - MARGIN_MS, 1_000))
}
