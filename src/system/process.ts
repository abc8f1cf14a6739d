/** Who is alive: pid + start time + boot + pid namespace + machine. The rules of "gone" are here, the looking in process-table. */

import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { shortHash } from '../core/hash.ts'
import type { Life, Processes, ProcessRef } from '../core/ports.ts'
import { steadyMs } from './clock.ts'
import { lookUp } from './process-table.ts'

/** Where a process lives: what all refs made by one process share. */
type Where = Pick<ProcessRef, 'boot' | 'ns' | 'node'>

/** Nobody nests hosts, shells and multiplexers deeper than this. */
const MAX_ANCESTORS = 32

/**
 * The processes of this machine as seen from here. Reads the system once; `check` then costs one small read on Linux, a
 * signal elsewhere, and on macOS one `ps` per pid and second. Nothing throws.
 *
 * `client` never names pid 0 or 1: init adopts orphans, and is everybody's ancestor.
 */
export function createProcesses(): Processes {
  const where = whereWeAre()
  const parent = process.ppid
  let self: ProcessRef | undefined
  let client: ProcessRef | undefined
  let hasClient = false

  return {
    get self() {
      self ??= refTo(process.pid, where) ?? { pid: process.pid, ...where }
      return self
    },
    get client() {
      if (!hasClient) {
        const ref = refTo(parent, where)
        // Asked after looking: still our parent means the pid was not given to another program in between.
        client = parent > 1 && process.ppid === parent ? ref : undefined
        hasClient = true
      }
      return client
    },
    ancestors() {
      const refs: ProcessRef[] = []
      let pid = process.ppid
      while (pid > 1 && refs.length < MAX_ANCESTORS && !refs.some((ref) => ref.pid === pid)) {
        const sight = lookUp(pid)
        if (sight === 'absent') break
        if (sight === 'hidden') return [...refs, { pid, ...where }]
        refs.push({ pid, start: sight.start, ...where })
        pid = sight.ppid
      }
      return refs
    },
    check: (ref) => checkRef(ref, where),
    glance: quickly((ref) => checkRef(ref, where)),
  }
}

/**
 * A short name for a process that fits into a file name, `^[0-9a-z.]+$`: pid, start, boot, and where it lives (pid
 * namespace and machine), the last two as hashes. For {@link checkTag}; nothing else may parse it.
 */
export function processTag(ref: ProcessRef): string {
  const start = ref.start !== undefined && /^[0-9a-z]+$/.test(ref.start) ? ref.start : 'x'
  return `${ref.pid}.${start}.${shortHash(ref.boot ?? '')}.${shortHash(`${ref.ns}\n${ref.node}`)}`
}

/**
 * Whether the process behind a {@link processTag} lives, seen by the process `self`. `gone` also for an earlier boot of
 * this machine; `unknown` for what is no tag, and for one from another namespace or machine.
 */
export function checkTag(tag: string, self: ProcessRef): Life {
  const [, pid, start, boot, where] = /^(\d{1,10})\.([0-9a-z]+)\.([0-9a-z]+)\.([0-9a-z]+)$/.exec(tag) ?? []
  if (pid === undefined || where !== shortHash(`${self.ns}\n${self.node}`)) return 'unknown'
  if (boot !== shortHash(self.boot ?? '')) return self.boot === undefined || boot === shortHash('') ? 'unknown' : 'gone'
  const { start: _, ...here } = self
  return checkRef({ ...here, pid: Number(pid), ...(start !== undefined && start !== 'x' && { start }) }, self)
}

/** For so long a signal is proof enough that a process seen alive is still there, ms: pids are not reused that fast. */
const SEEN_FOR_MS = 500

/** The same answers for a tenth of the price: a send asks about its recipient each time. A zombie may pass for alive so long. */
function quickly(check: (ref: ProcessRef) => Life): (ref: ProcessRef) => Life {
  const seenMs = new Map<string, number>()
  return (ref) => {
    const key = `${ref.pid} ${ref.start} ${ref.boot} ${ref.ns} ${ref.node}`
    const nowMs = steadyMs()
    if (nowMs - (seenMs.get(key) ?? Number.NEGATIVE_INFINITY) < SEEN_FOR_MS && isThere(ref.pid)) return 'alive'
    const life = check(ref)
    if (life !== 'alive') seenMs.delete(key)
    else {
      if (seenMs.size > 1_000) seenMs.clear()
      seenMs.set(key, nowMs)
    }
    return life
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false // gone, or not ours to signal: the full look tells which
  }
}

function checkRef(ref: ProcessRef, here: Where): Life {
  if (ref.node === undefined || ref.node !== here.node) return 'unknown'
  if (ref.boot !== undefined && here.boot !== undefined && ref.boot !== here.boot) return 'gone'
  if (ref.ns === undefined || ref.ns !== here.ns) return 'unknown'
  const sight = lookUp(ref.pid)
  if (sight === 'absent') return 'gone'
  if (sight === 'hidden') return 'unknown'
  if (sight.isZombie) return 'gone'
  if (ref.start === undefined) return 'unknown'
  return ref.start === sight.start ? 'alive' : 'gone'
}

function refTo(pid: number, where: Where): ProcessRef | undefined {
  const sight = lookUp(pid)
  if (sight === 'absent') return undefined
  return sight === 'hidden' ? { pid, ...where } : { pid, start: sight.start, ...where }
}

function whereWeAre(): Where {
  // systemd, machine-id(5), read 2026-08: first boot leaves the file empty or with the word "uninitialized".
  const machine = orUndefined(() => readFileSync('/etc/machine-id', 'utf8').trim())
  // With the host name, since cloned machines share their machine-id; a wrong "another machine" only means "unknown".
  const node = shortHash(
    machine !== undefined && /^[0-9a-f]{32}$/.test(machine) ? `${machine} ${hostname()}` : hostname(),
  )
  if (process.platform !== 'linux') {
    // Systems without pid namespaces have exactly one; of any other system it is not known.
    return process.platform === 'darwin' || process.platform === 'win32' ? { node, ns: process.platform } : { node }
  }
  const boot = orUndefined(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
  const ns = orUndefined(() => readlinkSync('/proc/self/ns/pid'))
  return { node, ...(boot !== undefined && { boot }), ...(ns !== undefined && { ns }) }
}

function orUndefined(read: () => string): string | undefined {
  try {
    const text = read()
    return text === '' ? undefined : text
  } catch {
    return undefined // not told on this system, which is what undefined says
  }
}
