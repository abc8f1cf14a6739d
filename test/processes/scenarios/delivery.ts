/**
 * Senders and readers on one inbox, killed at random. Holds when every acknowledged message is read exactly once, or is
 * flagged when it is shown again, and nobody ever reads half a file.
 *
 * What "exactly once" means when a reader is killed: a reader notes what it is shown, then hands over, then notes that.
 * Killed before the hand-over, the message comes again, flagged. Killed after it, the message is read and never comes
 * again, and the first note proves that it was shown. So both notes are needed to tell lost from read.
 */

import type { ChildProcess } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { openBus } from '../../../src/lib.ts'
import { bundleProgram } from '../lab/bundle.ts'
import { linesOf, nowMicros, readJournals } from '../lab/journal.ts'
import { startLooker } from '../lab/looker.ts'
import type { Place } from '../lab/place.ts'
import { endGroup, groupOf, isRunning, start } from '../lab/processes.ts'
import { dice } from '../lab/random.ts'
import { pause, until } from '../lab/until.ts'
import type { ReaderOrder } from '../programs/reader.ts'
import type { SenderOrder } from '../programs/sender.ts'
import { type Audit, audit } from './audit.ts'

export interface DeliveryOptions {
  readonly place: Place
  readonly seed: number
  /** The least of each: as many messages again are sent until all three are reached, on a fast machine and on a slow one. */
  readonly messages: number
  readonly kills?: number
  readonly looks?: number
  /** How many of each go through a real MCP server. */
  readonly senders: { readonly library: number; readonly mcp: number }
  readonly readers: { readonly library: number; readonly mcp: number }
  readonly durability: 'power' | 'process'
  /** The built server. */
  readonly server: string
  /** Pause between two kills, ms. */
  readonly killEveryMs: readonly [least: number, most: number]
  /** Kill whole clients of MCP readers too, not only their servers. */
  readonly killClients?: boolean
  readonly bodyBytes?: number
  /** Where the workers take their notes; beside home when left out. */
  readonly journals?: string
  /** Codes of refusals after which workers try again. A full inbox is always one. */
  readonly tolerate?: readonly string[]
  /** Done again and again while messages are on their way. */
  readonly meanwhile?: () => void
  readonly timeoutMs: number
  readonly say?: (line: string) => void
}

export interface DeliveryResult extends Audit {
  /** Messages that were to be sent in the end. */
  readonly ordered: number
  readonly senderKills: number
  readonly readerKills: number
  readonly clientKills: number
  readonly filesLooked: number
  readonly seconds: number
}

const INBOX = 'the-inbox'

/** A worker that is started again whenever it was killed, until it is done. */
interface Worker {
  readonly kind: 'sender' | 'reader'
  readonly via: 'library' | 'mcp'
  readonly number: number
  life: number
  child?: ChildProcess
  /** The server a client worker talks to now. */
  serverPid?: number
  /** Where it stood when it was killed last, and whether it had got on at all before that. */
  killedAt?: string | undefined
  wasIdle: boolean
  isDone: boolean
}

export async function runDelivery(options: DeliveryOptions): Promise<DeliveryResult> {
  const { place, messages, durability, timeoutMs, say = () => undefined } = options
  const startedMs = performance.now()
  const journals = options.journals ?? path.join(place.directory, 'journals')
  fs.mkdirSync(journals)
  const programs = {
    sender: await bundleProgram(`${PROGRAMS}/sender.ts`),
    reader: await bundleProgram(`${PROGRAMS}/reader.ts`),
  }
  const inbox = path.join(place.home, 'inboxes', INBOX)
  const workers = [...workersOf('sender', options.senders), ...workersOf('reader', options.readers)]
  const senderCount = options.senders.library + options.senders.mcp
  let ordered = messages
  const kills = { sender: 0, reader: 0 }
  const clientKills = new Map<string, number>()
  /** Every worker there ever was: the server of a killed client lives on for a moment. */
  const groups: number[] = []
  let isOver = false

  const orderOf = (worker: Worker): SenderOrder | ReaderOrder => {
    const { kind, via, number, life } = worker
    const tolerate = ['INBOX_FULL', ...(options.tolerate ?? [])]
    const common = { via, home: place.home, durability, server: options.server, tolerate }
    const journal = path.join(journals, `${kind}-${number}.${life}`)
    if (kind === 'reader') return { ...common, id: INBOX, journal }
    const from = acknowledgedBy(journals, number)
    const share = Math.ceil(ordered / senderCount)
    const to = Math.min(share, ordered - number * share)
    return {
      ...common,
      id: `sender-${number}`,
      journal,
      sender: number,
      inbox: INBOX,
      from,
      to,
      bodyBytes: options.bodyBytes ?? 700,
    }
  }

  const run = (worker: Worker) => {
    const child = start(process.execPath, [programs[worker.kind], JSON.stringify(orderOf(worker))])
    worker.child = child
    if (child.pid !== undefined) groups.push(child.pid)
    delete worker.serverPid
    if (child.stdout !== null) {
      createInterface({ input: child.stdout }).on('line', (line) => {
        const [, pid] = /^server (\d+)$/.exec(line) ?? []
        if (pid !== undefined) worker.serverPid = Number(pid)
      })
    }
    child.once('exit', (code) => {
      if (worker.kind === 'sender' && code !== null) worker.isDone = true
      if (isOver || worker.isDone) return
      worker.life += 1
      run(worker)
    })
  }

  const killOne = (victim: Worker) => {
    const { kind, via, child, serverPid } = victim
    // Now and then before it gets anywhere, but never twice in a row: where a start takes longer than the pause between two
    // kills, nobody would ever get anywhere.
    const stands = standOf(journals, victim)
    const isIdle = stands === undefined || stands === victim.killedAt
    if (isIdle && victim.wasIdle) return
    if (via === 'mcp' && kind === 'reader' && options.killClients && random.next() < 0.5) {
      if (!child?.kill('SIGKILL')) return
      clientKills.set(`reader-${victim.number}.${victim.life}`, nowMicros())
    } else {
      const pid = via === 'mcp' ? serverPid : child?.pid
      if (pid === undefined || !isRunning(pid)) return
      process.kill(pid, 'SIGKILL')
      kills[kind] += 1
    }
    victim.killedAt = stands
    victim.wasIdle = isIdle
  }

  // The recipient must be there before the first send.
  const opened = await openBus({ home: place.home, durability })
  const caller = await opened.bus.identify({
    connection: { named: new Set() },
    configured: INBOX,
    host: { kind: 'generic', doors: [], client: opened.processes.self },
  })
  await opened.bus.update(caller, { task: 'is written to', projectPath: '/project' })

  const random = dice(options.seed)
  const looker = await startLooker(place.home, path.join(journals, 'looker'))
  for (const worker of workers) run(worker)
  const senders = workers.filter(({ kind }) => kind === 'sender')
  const isAllSent = () => senders.every(({ isDone }) => isDone)
  const isDrained = () => isAllSent() && isEmpty(inbox)
  const isEnough = () =>
    kills.sender + kills.reader + clientKills.size >= (options.kills ?? 0) && looker.looked() >= (options.looks ?? 0)
  const sendMore = () => {
    ordered += messages
    for (const sender of senders) {
      sender.isDone = false
      sender.life += 1
      run(sender)
    }
  }
  const [least, most] = options.killEveryMs
  let saidMs = performance.now()
  while (!isDrained() || !isEnough()) {
    if (isAllSent() && !isEnough()) sendMore()
    await pause(random.between(least, most))
    const victim = random.pick(workers.filter(({ isDone }) => !isDone))
    if (victim !== undefined) killOne(victim)
    options.meanwhile?.()
    if (performance.now() - startedMs > timeoutMs) break
    if (performance.now() - saidMs > 5_000) {
      saidMs = performance.now()
      say(
        `${countIn(path.join(inbox, 'read'))} of ${ordered} read, ${kills.sender} senders and ${kills.reader} readers killed`,
      )
    }
  }
  const isLate = !isDrained() || !isEnough()
  // In peace now: who asks again has noted everything it was shown before.
  const drainedAt = nowMicros()
  const hasAskedAgain = ({ kind, number, life }: Worker) => {
    const last = kind === 'reader' ? linesOf(path.join(journals, `reader-${number}.${life}`)).at(-2) : undefined
    return (
      kind === 'sender' || (last?.k === 'asked' && last.at > drainedAt) || (last?.k === 'shown' && last.at > drainedAt)
    )
  }
  if (!isLate) await until('the readers rest', () => workers.every(hasAskedAgain))
  isOver = true
  for (const group of groups) endGroup(group)
  await until('all workers and their servers end', () => groups.every((group) => groupOf(group).length === 0))
  const looked = await looker.end()

  const books = audit({ journals, inbox, senderKills: kills.sender, readerKills: kills.reader, clientKills })
  await opened.store.tidy()
  const leftovers = fs.readdirSync(path.join(place.home, 'tmp'))
  opened.close()
  return {
    ...books,
    ordered,
    violations: [
      ...(isLate ? [`not drained, or too few kills and looks, within ${timeoutMs} ms`] : []),
      ...looked.torn,
      ...leftovers.map((name) => `tmp/${name} was left behind by a process that is gone`),
      ...books.violations,
    ],
    senderKills: kills.sender,
    readerKills: kills.reader,
    clientKills: clientKills.size,
    filesLooked: looked.files,
    seconds: (performance.now() - startedMs) / 1_000,
  }
}

const PROGRAMS = 'test/processes/programs'

function workersOf(kind: Worker['kind'], { library, mcp }: { library: number; mcp: number }): Worker[] {
  return Array.from({ length: library + mcp }, (_, number) => ({
    kind,
    via: number < library ? 'library' : 'mcp',
    number,
    life: 0,
    wasIdle: false,
    isDone: false,
  }))
}

/** Where a sender goes on: behind the last message it saw acknowledged in any of its lives. */
function acknowledgedBy(journals: string, number: number): number {
  let next = 0
  for (const { name, lines } of readJournals(journals, 'sender')) {
    if (!name.startsWith(`sender-${number}.`)) continue
    for (const line of lines) if (line.k === 'ack') next = Math.max(next, line.n + 1)
  }
  return next
}

/** Changes with each message that a worker saw acknowledged, and with each answer that it was shown; undefined before. */
function standOf(journals: string, { kind, number, life }: Worker): string | undefined {
  const lines = linesOf(path.join(journals, `${kind}-${number}.${life}`))
  const count = lines.filter(({ k }) => k === 'ack' || k === 'shown').length
  return count === 0 ? undefined : `${life} ${count}`
}

function isEmpty(inbox: string): boolean {
  const claimed = path.join(inbox, 'claimed')
  const held = fs.existsSync(claimed) ? fs.readdirSync(claimed).filter((name) => !name.includes('~back~')) : []
  return held.length === 0 && countIn(inbox) === 0
}

function countIn(directory: string): number {
  return fs.existsSync(directory) ? fs.readdirSync(directory).filter((name) => name.endsWith('.json')).length : 0
}
