/** What every hook process does around its work: a limit of its own, input that may never end, one whole answer. */

import fs from 'node:fs'
import path from 'node:path'
import type { Doors } from '../src/core/ports-hosts.ts'
import { readInput } from '../src/system/json-input.ts'
import { type HookBus, openHookBus } from './open.ts'

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
      const bus = openHookBus(process.env, process.argv.slice(2), hook.doors?.())
      const report = (fault: unknown) => {
        const moment = String(input['hook_event_name'])
        bus.log.error('hook', { host: hook.host, moment, fault, script: path.basename(__filename) })
        silence()
      }
      late = () => report(`no answer within ${LIMIT_MS} ms`)
      try {
        const answer = await hook.answer(input, bus)
        if (answer === undefined) bus.log.warn('strange', { host: hook.host, what: describe(input) })
        const { json, wake, wakeFile } = answer ?? {}
        if (wakeFile !== undefined) touchAgain(wakeFile)
        say(json, wake)
      } catch (fault) {
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

/** When the wake file is touched again after a start, ms. */
const AGAIN_MS = [250, 600, 1_200]

/**
 * The host begins to watch a wake file some 200 ms after the hook that named it, and would never hear of a message from
 * before. So a process of its own looks later, and touches the file if there is a mark for the conversation by then.
 */
function touchAgain(wakeFile: string): void {
  const mark = path.join(wakeFile, '../../pending', path.basename(wakeFile))
  const later = `const fs = require('fs')
const [file, mark, ...times] = process.argv.slice(1)
const touch = () => { try { fs.existsSync(mark) && fs.utimesSync(file, new Date(), new Date()) } catch {} }
for (const ms of times) setTimeout(touch, Number(ms))`
  const args = ['-e', later, wakeFile, mark, ...AGAIN_MS.map(String)]
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
