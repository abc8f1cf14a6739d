/** Sessions that a host says are running and the bus has never heard of, and those that the host never spoke for. */

import fs from 'node:fs'
import path from 'node:path'
import type { Config } from '../../config.ts'
import { cleanId } from '../../core/ids.ts'
import type { Machine, Peer, Program, Wiring } from '../../hosts/wiring.ts'
import type { OpenedBus } from '../../open.ts'
import { lookUp } from '../../system/process-table.ts'
import { readData } from '../install/look.ts'
import { oneLine } from '../safe-text.ts'
import { cut } from '../width.ts'
import { listing } from '../words.ts'
import { type Check, warn } from './check.ts'

export interface HostsView {
  readonly config: Pick<Config, 'home' | 'userHome' | 'env'>
  readonly machine: Machine
  /** What an install would write now: which files, which entries. */
  readonly program: Program
  /** Undefined where there is no home yet, so nobody has registered. */
  readonly opened: OpenedBus | undefined
}

/** Hosts keep one file per running session; more than this is something else (files). */
const MOST = 500
const SHOWN = 5

export async function strangersOf(wiring: Wiring, view: HostsView, fix = 'Restart them.'): Promise<Check[]> {
  const { peers, title } = wiring
  if (peers === undefined) return []
  const running = jsonFilesIn(peers.directory(view.machine))
    .map((file) => peers.read(readData(file)))
    .filter((peer): peer is Peer => peer !== undefined && lives(peer))
  const strangers: Peer[] = []
  for (const peer of running) if (!(await isRegistered(peer, view))) strangers.push(peer)
  if (strangers.length === 0) return []
  const shown = shorten(strangers.map(({ name, pid }) => name ?? `pid ${pid}`))
  const many = strangers.length > 1
  const text = `${strangers.length} ${title} ${many ? 'sessions run but have' : 'session runs but has'} not registered: ${shown}. Started before the install?`
  return [warn('hosts', text, fix)]
}

/** Sessions that call our tools while nothing of the host ever spoke for them: they are told nothing, and cannot be woken. */
export async function unhookedOf({ kind, title, approval }: Wiring, { opened }: HostsView): Promise<Check[]> {
  if (opened === undefined) return []
  const { entries } = await opened.store.sessions.list()
  const found = entries.filter(({ session: { host, closedAt } }) => {
    const isOpen = host.kind === kind && closedAt === undefined && host.client !== undefined
    return isOpen && host.hooked !== true && opened.processes.check(host.client) === 'alive'
  })
  if (found.length === 0) return []
  const shown = shorten(found.map(({ session }) => session.name ?? session.id))
  const many = found.length > 1
  const text = `${found.length} ${title} ${many ? 'sessions' : 'session'} on the bus had no word from ${title} itself: ${shown}. Started before the install, or its hooks or plugin did not run.`
  return [warn('hosts', text, `Restart ${many ? 'them' : 'it'}. ${approval?.how ?? ''}`.trim())]
}

function shorten(names: readonly string[]): string {
  const all = names.map((name) => cut(oneLine(name), 40))
  return listing(all.length > SHOWN ? [...all.slice(0, SHOWN), `${all.length - SHOWN} more`] : all)
}

function lives({ pid, start }: Peer): boolean {
  const sight = lookUp(pid)
  if (sight === 'absent' || sight === 'hidden' || sight.isZombie) return false
  // The number may be another program's by now; on Linux both tell the start in the same ticks.
  return process.platform !== 'linux' || start === undefined || start === sight.start
}

/** By what its hooks told us, else by its process: after a clear the host may list an id that is not the newest. */
async function isRegistered({ pid, hostKey }: Peer, { opened }: HostsView): Promise<boolean> {
  if (opened === undefined) return false
  if ((await opened.store.hosts.find(cleanId(hostKey))) !== undefined) return true
  const { entries } = await opened.store.sessions.list()
  return entries.some(({ session }) => session.host.client?.pid === pid)
}

function jsonFilesIn(directory: string): string[] {
  try {
    const names = fs.readdirSync(directory).filter((name) => /^\d+\.json$/.test(name))
    return names.slice(0, MOST).map((name) => path.join(directory, name))
  } catch {
    return [] // a host without a list, or with one that is not for us
  }
}
