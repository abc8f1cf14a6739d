/** The books of a delivery run: journals of every life against what lies on disk. One line per violation. */

import fs from 'node:fs'
import path from 'node:path'
import { type Life, type Line, readJournals } from '../lab/journal.ts'

export interface Audit {
  readonly acknowledged: number
  /** Stored by senders that were killed before they saw the answer. */
  readonly unacknowledged: number
  readonly shown: number
  readonly redelivered: number
  /** Written to a client that was killed before it noted them: handed over as far as a bus can know. */
  readonly shownToTheDead: number
  readonly violations: readonly string[]
}

interface Showing {
  readonly at: number
  readonly flagged: boolean
  readonly life: string
}

export interface Books {
  readonly journals: string
  /** The inbox's directory under home. */
  readonly inbox: string
  readonly senderKills: number
  /** Readers (or their servers) killed. */
  readonly readerKills: number
  /** When clients of MCP readers were killed themselves, by life name, microseconds. */
  readonly clientKills: ReadonlyMap<string, number>
}

/** How long a server may go on writing to a client that is gone, microseconds: what is scheduled late is noted late. */
const AFTER_DEATH = 10_000_000

export function audit(books: Books): Audit {
  const violations: string[] = []
  const senders = readJournals(books.journals, 'sender')
  const readers = readJournals(books.journals, 'reader')
  for (const { name, lines } of [...senders, ...readers]) {
    for (const line of lines) if (line.k === 'wrong') violations.push(`${name}: ${line.what}`)
  }
  const acks = acksOf(senders, violations)
  const { showings, done } = showingsOf(readers, violations)
  const read = new Set(idsIn(path.join(books.inbox, 'read')))

  checkEmpty(books.inbox, violations)
  let shownToTheDead = 0
  for (const id of read) {
    if (showings.has(id)) continue
    if (wasInFlight(books, readers, id)) shownToTheDead += 1
    else violations.push(`${id} is marked read, and nobody was shown it`)
  }
  for (const id of acks.keys()) {
    if (!read.has(id))
      violations.push(`${id} was acknowledged and is ${showings.has(id) ? 'shown but not' : 'neither shown nor'} read`)
  }
  let redelivered = 0
  for (const [id, unordered] of showings) {
    const times = [...unordered].sort((a, b) => a.at - b.at)
    redelivered += times.filter(({ flagged }) => flagged).length
    for (const [index, { at, flagged, life }] of times.entries()) {
      const doneAt = done.get(id)
      if (index > 0 && !flagged) violations.push(`${id} was shown again by ${life} without being flagged`)
      if (doneAt !== undefined && at > doneAt) violations.push(`${id} was shown by ${life} after it was handed over`)
    }
    if (!read.has(id)) violations.push(`${id} was shown and is not marked read in the end`)
  }
  const unacknowledged = [...read].filter((id) => !acks.has(id)).length
  if (unacknowledged > books.senderKills)
    violations.push(
      `${unacknowledged} messages nobody saw acknowledged, but only ${books.senderKills} kills of senders`,
    )
  if (redelivered > 0 && books.readerKills + books.clientKills.size === 0)
    violations.push(`${redelivered} messages flagged as redelivered, but no reader was killed`)
  return { acknowledged: acks.size, unacknowledged, shown: showings.size, redelivered, shownToTheDead, violations }
}

function acksOf(senders: readonly Life[], violations: string[]): ReadonlyMap<string, number> {
  const acks = new Map<string, number>()
  for (const { name, lines } of senders) {
    for (const line of lines) {
      if (line.k !== 'ack') continue
      if (acks.has(line.id)) violations.push(`${name}: ${line.id} was acknowledged for two sends`)
      acks.set(line.id, line.at)
    }
  }
  return acks
}

function showingsOf(readers: readonly Life[], violations: string[]) {
  const showings = new Map<string, Showing[]>()
  const done = new Map<string, number>()
  for (const { name, lines } of readers) {
    for (const line of lines) {
      if (line.k === 'shown') {
        for (const [id, flagged] of line.messages) {
          const known = showings.get(id) ?? []
          known.push({ at: line.at, flagged, life: name })
          showings.set(id, known)
        }
      } else if (line.k === 'done') {
        for (const id of line.ids) {
          if (done.has(id)) violations.push(`${id} was handed over twice, the second time by ${name}`)
          done.set(id, line.at)
        }
      }
    }
  }
  return { showings, done }
}

/** Nothing may be left unread, in somebody's hands, or set aside. */
function checkEmpty(inbox: string, violations: string[]): void {
  for (const id of idsIn(inbox)) violations.push(`${id} is still unread`)
  for (const id of idsIn(path.join(inbox, 'damaged'))) violations.push(`${id} was set aside as damaged`)
  for (const name of fs.readdirSync(path.join(inbox, 'claimed'))) {
    if (!name.includes('~back~')) violations.push(`${name} is still held`)
  }
}

function idsIn(directory: string): string[] {
  if (!fs.existsSync(directory)) return []
  return fs.readdirSync(directory).flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -5)] : []))
}

/** Whether a killed client had asked for messages when this one was handed over. */
function wasInFlight({ inbox, clientKills }: Books, readers: readonly Life[], id: string): boolean {
  if (clientKills.size === 0) return false
  const readAt = toMonotonic(fs.statSync(path.join(inbox, 'read', `${id}.json`)).mtimeMs)
  return readers.some(({ name, lines }) => {
    const killedAt = clientKills.get(name)
    const last: Line | undefined = lines.at(-1)
    if (killedAt === undefined || last?.k !== 'asked') return false
    return readAt >= last.at - 100_000 && readAt <= killedAt + AFTER_DEATH
  })
}

/** A wall clock time (ms) on the clock of the journals (microseconds). */
function toMonotonic(wallMs: number): number {
  return Number(process.hrtime.bigint() / 1_000n) - (Date.now() - wallMs) * 1_000
}
