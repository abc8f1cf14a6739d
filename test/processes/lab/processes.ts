/** Real processes that end with the test: each leads a group of its own, and the group is killed as a whole. */

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import fs from 'node:fs'

const groups = new Set<ChildProcess>()
process.once('exit', endAll)

/** Starts a process as the leader of a new group. */
export function start(command: string, args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], ...options, detached: true })
  child.on('error', () => undefined) // the exit event tells
  child.stdin?.on('error', () => undefined) // it was killed while being written to
  groups.add(child)
  return child
}

/** Kills every group that was started, children of children included. For afterEach. */
export function endAll(): void {
  for (const { pid } of groups) if (pid !== undefined) endGroup(pid)
  groups.clear()
}

export function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // nobody of that group is left
  }
}

/** Also false for a process that is dead and only not collected yet. */
export function isRunning(pid: number): boolean {
  try {
    const row = fs.readFileSync(`/proc/${pid}/stat`, 'latin1')
    return !/^[ZX]/.test(row.slice(row.lastIndexOf(')') + 2))
  } catch {
    try {
      process.kill(pid, 0)
      return process.platform !== 'linux'
    } catch {
      return false
    }
  }
}

/** Every running process of a group, from /proc. */
export function groupOf(leader: number): number[] {
  return fs.readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const row = fs.readFileSync(`/proc/${name}/stat`, 'latin1')
      const [state = '', , group] = row.slice(row.lastIndexOf(')') + 2).split(' ')
      return Number(group) === leader && !/^[ZX]/.test(state) ? [Number(name)] : []
    } catch {
      return [] // it ended while we looked
    }
  })
}

export interface Usage {
  /** CPU time used so far, clock ticks (10 ms). */
  readonly cpuTicks: number
  readonly rssMb: number
  /** Open inotify instances. */
  readonly inotify: number
  readonly handles: number
}

/** What a process uses now, from /proc. */
export function usageOf(pid: number): Usage {
  const row = fs.readFileSync(`/proc/${pid}/stat`, 'latin1')
  const fields = row.slice(row.lastIndexOf(')') + 2).split(' ')
  const rss = /VmRSS:\s+(\d+) kB/.exec(fs.readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
  const handles = fs.readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [fs.readlinkSync(`/proc/${pid}/fd/${fd}`)]
    } catch {
      return [] // closed meanwhile
    }
  })
  return {
    cpuTicks: Number(fields[11]) + Number(fields[12]),
    rssMb: Number(rss) / 1024,
    inotify: handles.filter((handle) => handle.includes('inotify')).length,
    handles: handles.length,
  }
}
