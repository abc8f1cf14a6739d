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
}

export interface Hook {
  readonly host: string
  /** Asked before anything is opened: is this moment ours to answer? */
  isOurs?(input: Input): boolean
  /** Undefined = silence. */
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
        const { json, wake, wakeFile } = (await hook.answer(input, bus)) ?? {}
        if (wakeFile !== undefined) touchAgain(wakeFile)
        say(json, wake)
      } catch (fault) {
        // Of a home that cannot be used doctor knows by itself, and one that is not safe is no place to write to.
        if (bus === undefined && fault instanceof BusError) return silence()
        report(fault)
      }
    })
    .catch(silence)
}

function silence(): void {
  process.exit(0)
}

/** When the wake file is touched again after a start, ms: in any case up to `SURE_MS`, then while mail goes on to wait. */
const AGAIN_MS = [250, 600, 1_200, 2_500, 5_000, 10_000, 20_000]
const SURE_MS = 1_200

/**
 * The host begins to watch a wake file some 200 ms after the hook that named it, a busy machine later, and would never hear
 * of a message from before. So a process of its own looks later, and touches the file if there is a mark for the
 * conversation by then. It ends with the mark, which the next turn takes away, or with the host.
 */
function touchAgain(wakeFile: string): void {
  const mark = path.join(wakeFile, '../../pending', path.basename(wakeFile))
  const later = `const fs = require('fs')
const [file, mark, host, sure, ...times] = process.argv.slice(1)
const lives = () => { try { return process.kill(Number(host), 0) } catch { return false } }
const look = () => {
  const ms = performance.now() - started
  const isMarked = fs.existsSync(mark)
  if (ms > Number(sure) && !(isMarked && lives())) return
  const isDue = ms >= Number(times[0])
  if (isDue) times.shift()
  try { isDue && isMarked && fs.utimesSync(file, new Date(), new Date()) } catch {}
  if (times.length > 0) setTimeout(look, 100)
}
const started = performance.now()
look()`
  const args = ['-e', later, wakeFile, mark, String(process.ppid), String(SURE_MS), ...AGAIN_MS.map(String)]
  // Loaded here: it costs every other hook a millisecond.
  const { spawn } = process.getBuiltinModule('node:child_process')
  spawn(process.execPath, args, { detached: true, stdio: 'ignore', windowsHide: true })
    .on('error', () => undefined)
    .unref()
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
