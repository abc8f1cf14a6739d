/** What the system says about a pid right now. Never signals a process, never reads its command line or environment. */

import { readFileSync, readlinkSync } from 'node:fs'

export interface Seen {
  readonly ppid: number
  /** When it started, as text of digits. Linux: clock ticks since boot. macOS: seconds since the epoch. */
  readonly start: string
  /** Dead, and only not yet collected by its parent. */
  readonly isZombie: boolean
}

/** `hidden`: something may run under this pid, but it cannot be looked at. */
export type Sight = Seen | 'absent' | 'hidden'

/** How long an answer of `ps` is good for (ms). Starting `ps` costs milliseconds, and pids do not come round in a second. */
const PS_CACHE_MS = 1_000
const PS_CACHE_ROWS = 256
const MAX_PID = 0x7fff_ffff

const psCache = new Map<number, { readonly at: number; readonly sight: Sight }>()
let procIsOurs: boolean | undefined

/**
 * Looks one pid up. Costs one small read on Linux. Never throws; what is no pid at all is `hidden`, because
 * `kill(0)` and `kill(-1)` would speak of whole groups.
 */
export function lookUp(pid: number): Sight {
  if (!Number.isInteger(pid) || pid < 1 || pid > MAX_PID) return 'hidden'
  if (process.platform === 'linux') return hasOwnProc() ? fromProc(pid) : fromSignal(pid)
  if (process.platform !== 'darwin') return fromSignal(pid)
  const cached = psCache.get(pid)
  if (cached !== undefined && performance.now() - cached.at < PS_CACHE_MS) {
    // A process that died meanwhile is noticed at once all the same: this asks the kernel, not `ps`.
    return fromSignal(pid) === 'absent' ? 'absent' : cached.sight
  }
  const sight = fromPs(pid)
  if (psCache.size >= PS_CACHE_ROWS) psCache.clear()
  psCache.set(pid, { at: performance.now(), sight })
  return sight
}

/**
 * A row of /proc/<pid>/stat; undefined when it is not one. proc_pid_stat(5), man-pages 6.9: field 3 is the state, 4 the
 * parent, 22 the start time; field 2 is the command in parentheses and may itself hold spaces, `)` and line breaks.
 */
export function parseStat(row: string): Seen | undefined {
  const fields = row.slice(row.lastIndexOf(')') + 2).split(' ')
  const [state, ppid] = fields
  const start = fields[19]
  if (state === undefined || ppid === undefined || !/^\d+$/.test(ppid)) return undefined
  if (start === undefined || !/^\d+$/.test(start)) return undefined
  return { ppid: Number(ppid), start, isZombie: /^[ZXx]/.test(state) }
}

/**
 * Whether a process belongs to the group that its terminal's keys reach. False also for one that is stopped, and for one
 * that cannot be looked at.
 */
export function isInForeground(pid: number): boolean {
  if (!Number.isInteger(pid) || pid < 1 || pid > MAX_PID) return false
  if (process.platform !== 'linux') return foregroundFromPs(pid)
  try {
    const row = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // proc_pid_stat(5): after the command come the state, the parent, the group, the session, the terminal, and its group.
    const [state = '', , group, , , foreground] = row.slice(row.lastIndexOf(')') + 2).split(' ')
    return group !== undefined && group === foreground && !/^[ZXxTt]/.test(state)
  } catch {
    return false // gone, or hidden
  }
}

function foregroundFromPs(pid: number): boolean {
  const { stdout, status } = process
    .getBuiltinModule('node:child_process')
    .spawnSync('/bin/ps', ['-o', 'pgid=,tpgid=,stat=', '-p', String(pid)], {
      env: { LC_ALL: 'C' },
      encoding: 'utf8',
      timeout: 2_000,
      windowsHide: true,
    })
  const [, group, foreground, state = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+)/.exec(status === 0 ? stdout : '') ?? []
  return group !== undefined && group === foreground && !/^[ZT]/.test(state)
}

/** Asks `ps`, for systems without /proc. The flags are POSIX's plus `lstart`, which macOS and procps both have. */
export function fromPs(pid: number): Sight {
  // A fixed zone and language, or the same process would have two start times for two callers.
  const { stdout, status } = process
    .getBuiltinModule('node:child_process')
    .spawnSync('/bin/ps', ['-o', 'ppid=,stat=,lstart=', '-p', String(pid)], {
      env: { LC_ALL: 'C', TZ: 'UTC' },
      encoding: 'utf8',
      timeout: 2_000,
      windowsHide: true,
    })
  const row = status === 0 ? /^\s*(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(stdout) : undefined
  const startMs = Date.parse(`${row?.[3]} UTC`)
  if (row?.[1] === undefined || row[2] === undefined || Number.isNaN(startMs)) return fromSignal(pid)
  return { ppid: Number(row[1]), start: String(startMs / 1_000), isZombie: row[2].startsWith('Z') }
}

function fromProc(pid: number): Sight {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? 'hidden'
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException
    // With hidepid=2 other users' processes are missing from /proc and still alive, so the kernel has the last word.
    // Any other code, such as too many open files, says nothing about the process.
    return code === 'ENOENT' || code === 'ESRCH' ? fromSignal(pid) : 'hidden'
  }
}

function fromSignal(pid: number): 'absent' | 'hidden' {
  try {
    process.kill(pid, 0)
    return 'hidden'
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === 'ESRCH' ? 'absent' : 'hidden'
  }
}

/** Some sandboxes keep the outer /proc, where our pids name other processes. */
function hasOwnProc(): boolean {
  if (procIsOurs === undefined) {
    try {
      procIsOurs = readlinkSync('/proc/self') === String(process.pid)
    } catch {
      procIsOurs = false // no /proc here: signals are all there is
    }
  }
  return procIsOurs
}
