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
  /** Environment variables it sets in those shells, and in no terminal that a person opens by other means. */
  readonly shellMarks?: readonly string[]
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
  /** One server process serves all its sessions: they are told apart by the `sessionId` argument. */
  readonly sharedServer?: boolean
  /** How a session of it is started in a terminal. Absent where that is not known. */
  readonly launch?: Launch
  /** What its terminal shows. Absent where nobody has recorded it: then nothing is typed into it. */
  readonly screen?: Screen
  /**
   * Environment variables by which its processes know which session they belong to: a session that is started from
   * another one must not have them. Who started whom (`CLAUDE_CODE_LAUNCHED_BY_SESSION_IDS`) is none of them, and stays.
   */
  readonly identityEnv?: readonly string[]
  /** How a conversation that has ended is opened again: the words before its id. */
  readonly resume?: readonly string[]
}

/** What a new session is given. Its prompt may be any text, and may begin with a dash. */
export interface Wanted {
  readonly name?: string
  readonly model?: string
  readonly prompt: string
}

/** An argument array, never a line for a shell. No flag in it loosens what the host asks its person about. */
export interface Launch {
  /** Looked up in PATH. */
  readonly program: string
  args(wanted: Wanted): readonly string[]
  /** Its conversations may run in a server of the host, and the program in the window only show them. */
  readonly isView?: true
  /** Environment variables that tell the new session who started it, passed on where the starter has them. */
  readonly lineageEnv?: readonly string[]
}

/** What is on the screen of an idle or working session, told from the screen alone. */
export interface Screen {
  /** Undefined where no input line is to be seen: a dialog, another program, an unknown version. */
  read(shown: Shown): Reading | undefined
  /** Typed by a person to rename the conversation, and what the screen says then. */
  readonly rename?: { line(name: string): string; said(name: string): string }
  /** What a person types to change the model, and what comes with it. */
  readonly setModel?: (model: string) => string
}

export interface Shown {
  /** The lines from top to bottom, without trailing blanks and blank lines at the end. */
  readonly lines: readonly string[]
  /** The same without dim text, in which hosts show what could be typed. */
  readonly bright: readonly string[]
}

export interface Reading {
  /** What stands in the input line. */
  readonly input: string
  readonly isWorking: boolean
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

/** The pane a process runs in, and the socket of its multiplexer (tmux manual, "ENVIRONMENT", read 2026-11). */
export function terminalIn(env: Environment): { readonly pane?: string; readonly terminal?: string } {
  const pane = env['TMUX_PANE']
  const terminal = env['TMUX']?.split(',')[0]
  return pane === undefined || !/^%\d{1,9}$/.test(pane) || !terminal ? {} : { pane, terminal }
}

/** The longest wait this host allows for a call, ms. A limit the user lowered counts; one the user raised does not. */
export function waitCeilingMs(host: Host, hasProgressToken: boolean, env: Environment): number {
  const ceilingMs = (hasProgressToken ? host.waitCeilingWithProgressMs : undefined) ?? host.waitCeilingMs
  const text = host.callLimitEnv === undefined ? undefined : env[host.callLimitEnv]
  if (text === undefined || !/^\d{1,9}$/.test(text)) return ceilingMs
  return Math.min(ceilingMs, Math.max(Number(text) - MARGIN_MS, 1_000))
}
