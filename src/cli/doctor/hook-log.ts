/** Faults that hooks kept to themselves: they must not break a turn, so they end up in a log. */

import fs from 'node:fs'
import path from 'node:path'
import { oneLine } from '../safe-text.ts'
import { cut } from '../width.ts'
import { count, when } from '../words.ts'
import { type Check, warn } from './check.ts'

const RECENT_MS = 7 * 24 * 3_600_000
const SHOWN = 3
const TAIL_BYTES = 64 * 1024

interface Fault {
  readonly t: string
  readonly text: string
}

/** Nothing where there is no fault of the last seven days. */
export function checkHookLog(home: string, nowMs = Date.now()): Check[] {
  const faults = hookFaults(home).filter(({ t }) => nowMs - Date.parse(t) < RECENT_MS)
  if (faults.length === 0) return []
  const newest = faults.slice(-SHOWN).reverse()
  const told = newest.map(({ t, text }) => `${when(t, nowMs)}: ${text}`).join('; ')
  return [
    warn(
      'hosts',
      `Hooks failed ${count(faults.length, 'time')} in the last 7 days, without disturbing their sessions. Newest: ${told}.`,
      `The whole story is in ${fileOf(home)}.`,
    ),
  ]
}

/** Those that are told at the end of the log, oldest first. */
export function hookFaults(home: string): Fault[] {
  return tailOf(fileOf(home)).flatMap(faultIn)
}

function fileOf(home: string): string {
  return path.join(home, 'log', 'hooks.log')
}

function tailOf(file: string): string[] {
  let fd: number
  try {
    fd = fs.openSync(file, 'r')
  } catch {
    return [] // no hook ever had anything to say
  }
  try {
    const { size } = fs.fstatSync(fd)
    const start = Math.max(0, size - TAIL_BYTES)
    const buffer = Buffer.alloc(size - start)
    const got = fs.readSync(fd, buffer, 0, buffer.length, start)
    return buffer
      .toString('utf8', 0, got)
      .split('\n')
      .slice(start > 0 ? 1 : 0)
  } finally {
    fs.closeSync(fd)
  }
}

/** A line of system/log.ts; what is torn or of another kind is passed over. */
function faultIn(line: string): Fault[] {
  try {
    const { t, level, event, ...more } = JSON.parse(line) as Record<string, unknown>
    if (typeof t !== 'string' || Number.isNaN(Date.parse(t)) || (level !== 'error' && level !== 'warn')) return []
    const details = Object.entries(more).map(
      ([key, value]) => `${key} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    )
    return [{ t, text: cut(oneLine([String(event), ...details].join(', ')), 160) }]
  } catch {
    return []
  }
}
