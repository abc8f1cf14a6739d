/**
 * The program behind a host's status line, the same for `session-mcp statusline` and for the small file that hosts start:
 * one JSON object in, one line out. It looks and writes nothing; it starts nothing; whatever is wrong, there is a line.
 */

import fs from 'node:fs'
import path from 'node:path'
import { isatty } from 'node:tty'
import { createContext } from '../../core/context.ts'
import type { Conversation } from '../../core/host-plugin.ts'
import type { Processes } from '../../core/ports.ts'
import { partsOf, type StatusSeen, statusOf } from '../../core/status-line.ts'
import { MARGIN, readStatus } from '../../hosts/claude-code/status-line.ts'
import type { Environment } from '../../hosts/host.ts'
import { fileStore } from '../../store/files/store.ts'
import { here } from '../../system/here.ts'
import { readInput } from '../../system/json-input.ts'
import { createProcesses } from '../../system/process.ts'
import { createPaint } from '../paint.ts'
import { statusLine } from './line.ts'

/** After this the line is printed without what did not come, ms. */
export const PATIENCE_MS = 250

export interface StatusOrder {
  readonly env: Environment
  /** The directory of the bus. */
  readonly home: string
}

export async function printStatusLine({ env, home }: StatusOrder): Promise<void> {
  const raw = isatty(0) ? undefined : await soon(readInput())
  const processes = createProcesses()
  const { conversation, ...beside } = readStatus(raw, env, processes)
  const seen = conversation === undefined ? 'not-asked' : await look(home, processes, conversation)
  const color = !env['NO_COLOR'] && env['TERM'] !== 'dumb'
  const line = statusLine(partsOf(seen, beside), Math.max(1, columnsOf(env) - MARGIN), createPaint(color))
  try {
    fs.writeSync(1, `${line}\n`)
  } catch {
    // Nobody reads it any more: a newer line is on its way.
  }
}

async function look(home: string, processes: Processes, conversation: Conversation): Promise<StatusSeen> {
  try {
    // Opening the store would make a bus where none is.
    if (!fs.existsSync(path.join(home, 'format.json'))) return 'not-on-bus'
    const store = fileStore({ home, self: processes.self, durability: 'process' })
    const context = createContext({
      store,
      processes,
      ...here(),
      options: { defaultTtl: '4h', messageTtl: '7d' },
    })
    return (await statusOf(context, conversation)) ?? 'not-on-bus'
  } catch {
    return 'unreadable' // `session-mcp doctor`, which the line names, says why
  }
}

function columnsOf(env: Environment): number {
  const given = Number(env['COLUMNS'])
  if (Number.isInteger(given) && given > 0) return given
  // Asked of the handle: making the stream only to see that it is a pipe costs milliseconds.
  return isatty(1) ? process.stdout.columns : Number.POSITIVE_INFINITY
}

async function soon<T>(answer: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<undefined>((resolve) => {
    // On a busy machine the input may lie there although the time is over: it is looked at once more.
    timer = setTimeout(() => setImmediate(() => setImmediate(resolve, undefined)), PATIENCE_MS)
  })
  const first = await Promise.race([answer, over])
  clearTimeout(timer)
  return first
}
