/** What every hook process does around its work: a limit of its own, input that may never end, one whole answer. */

import fs from 'node:fs'
import path from 'node:path'
import { BusError } from '../src/core/errors.ts'
import type { Doors } from '../src/core/ports-hosts.ts'
import { readInput } from '../src/system/json-input.ts'
import { homeIn } from './home.ts'
import { type HookBus, hookLog, openHookBus } from './open.ts'

/** Hosts wait for hooks; this is what a turn may lose to us at the most, ms. */
const LIMIT_MS = 1_100

export type Input = Readonly<Record<string, unknown>>

/** What the process says: one JSON object on stdout, or text on stderr with exit code 2; nothing for neither. */
export interface Answer {
  readonly json?: unknown
  readonly wake?: string
  /** The host watches this file from now on. */
  readonly wakeFile?: string
  /** The host itself; when it has ended nobody watches any more. */
  readonly hostPid?: number
}

export interface Hook {
  readonly host: string
  /** Asked before anything is opened: is this moment ours to answer? */
  isOurs?(input: Input): boolean
  /** Silence is an empty one. Undefined = no moment of this host as we know it, which is silence and a line in the log. */
  answer(input: Input, bus: HookBus): Promise<Answer | undefined>
  /** Doors that this very process opens. */
  doors?(): Doors
}

/**
 * The whole of a hook process. Whatever goes wrong on our side, the turn goes on: exit code 0, within 1.2 s, and a line in
 * log/hooks.log for `session-mcp doctor`.
 */
export function runHook(hook: Hook): void {
  let late = silence
  setTimeout(() => late(), LIMIT_MS).unref()
  readInput()
    .then(async (input) => {
      if (input === undefined || hook.isOurs?.(input) === false) return silence()
      const args = process.argv.slice(2)
      const log = hookLog(homeIn(args, process.env))
      const report = (fault: unknown) => {
        const moment = String(input['hook_event_name'])
        log.error('hook', { host: hook.host, moment, fault, script: path.basename(__filename) })
        silence()
      }
      late = () => report(`no answer within ${LIMIT_MS} ms`)
      let bus: HookBus | undefined
      try {
        bus = openHookBus(process.env, args, hook.doors?.())
        const answer = await hook.answer(input, bus)
        if (answer === undefined) bus.log.warn('strange', { host: hook.host, what: describe(input) })
        const { json, wake, wakeFile, hostPid } = answer ?? {}
        if (wakeFile !== undefined) touchAgain(wakeFile, hostPid)
        say(json, wake)
      } catch (fault) {
        // Of a home that cannot be used doctor knows by itself, and one that is not safe is no place to write to.
        if (bus === undefined && fault instanceof BusError) return silence()
        report(fault)
      }
    })
    .catch(silence)
}

/** Names of fields only: what is in them may be anybody's. */
function describe(input: Input): string {
  const names = Object.keys(input).slice(0, 20)
  return `a payload without a conversation or a moment; it has ${names.map((name) => name.slice(0, 40)).join(' ') || 'nothing'}`
}

function silence(): void {
  process.exit(0)
}

/**
 * When the wake file is touched again after a start, seconds from one to the next: for a minute, as long as the host is there.
 * A shell, because it waits longer than a hook may weigh.
 */
const LATER = `file=$1 mark=$2 host=$3
look() { [ ! -e "$mark" ] || touch -c "$file"; }
for s in 0.25 0.35 0.6; do sleep $s; look; done
for s in 1 1 2 2 3 5 5 10 15 15; do
  sleep $s
  [ -z "$host" ] || kill -0 "$host" 2>/dev/null || exit 0
  look
done`
/** The same where there is no such shell, for as long as a process of Node may stay. */
const LATER_ON_WINDOWS = `const fs = require('fs')
const [file, mark] = process.argv.slice(1)
const look = () => { try { fs.existsSync(mark) && fs.utimesSync(file, new Date(), new Date()) } catch {} }
for (const ms of [250, 600, 1200]) setTimeout(look, ms)`

/**
 * The host begins to watch a wake file some 200 ms after the hook that named it, seconds after where the machine is busy, and
 * would never hear of a message from before. So a process of its own looks later, and touches the file if there is a mark
 * for the conversation by then.
 */
function touchAgain(wakeFile: string, hostPid: number | undefined): void {
  const mark = path.join(wakeFile, '../../pending', path.basename(wakeFile))
  const files = [wakeFile, mark]
  // Loaded here: it costs every other hook a millisecond.
  const { spawn } = process.getBuiltinModule('node:child_process')
  const options = { detached: true, stdio: 'ignore', windowsHide: true } as const
  const child =
    process.platform === 'win32'
      ? spawn(process.execPath, ['-e', LATER_ON_WINDOWS, ...files], options)
      : spawn('/bin/sh', ['-c', LATER, 'sh', ...files, String(hostPid ?? '')], { ...options, cwd: '/' })
  child.on('error', () => undefined).unref()
}

function say(json: unknown, wake: string | undefined): void {
  try {
    // Not through the streams of the process: making one costs milliseconds.
    if (wake !== undefined) fs.writeSync(2, wake)
    else if (json !== undefined) fs.writeSync(1, JSON.stringify(json))
  } catch {
    silence() // nobody listens any more
  }
  process.exit(wake === undefined ? 0 : 2)
}
