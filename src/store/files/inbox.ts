/** One folder per recipient, one file per message: created by its sender, claimed by rename, kept under read/. */

import { BusError } from '../../core/errors.ts'
import { LIMITS } from '../../core/limits.ts'
import { decodeMessage, isMessageId, type Place } from '../../core/message.ts'
import type { FoundMessage, InboxStore, Skipped, Unread } from '../../core/ports.ts'
import { factsIfThere, namesIn, publish, publishKept, readIfThere, syncDirectory } from '../../system/atomic-file.ts'
import { claimInFolder, type createClaims } from './claims.ts'
import { readFault, reading, writeFault } from './fault.ts'
import type { Home } from './home.ts'
import { idOf, inside, messageFile } from './layout.ts'
import { dropExpired, removeFolder } from './retention.ts'
import { recordFiles } from './sent.ts'
import { watchDirectories } from './watch.ts'

export interface InboxOptions {
  readonly home: Home
  readonly uid: number | undefined
  /** Unread messages an inbox may hold. */
  readonly limit: number
  readonly claims: ReturnType<typeof createClaims>
}

/** Between two counts of one inbox by one process, sends: counting each time would make sending as slow as listing. */
const COUNT_EVERY = 64

export function fileInbox(options: InboxOptions): InboxStore {
  const { home, uid, limit, claims } = options
  const { at } = home
  const sends = new Map<string, number>()

  const makeFolder = (id: string) => {
    home.directory(at.inbox(id))
    if (home.durability === 'power') syncDirectory(at.inboxes)
  }

  const requireRoom = (id: string) => {
    const before = sends.get(id) ?? 0
    sends.set(id, before + 1)
    if (before % COUNT_EVERY !== 0) return
    const unread = listed(at.inbox(id), id).filter((name) => messageOf(name) !== undefined).length
    if (unread < limit) return
    sends.set(id, 0) // full: count again at the next send
    throw new BusError(
      'INBOX_FULL',
      `The inbox of ${id} holds ${unread} unread messages; the limit is ${limit}. Nothing was sent to it.`,
      'Wait until it has read some, or send to another session.',
    )
  }

  const listed = (directory: string, id: string): string[] => {
    try {
      return namesIn(directory)
    } catch (fault) {
      throw readFault(fault, `The inbox of ${id}`)
    }
  }

  const scanFolder = (id: string): Unread => {
    const claimed = claims.recover(id)
    const ids: string[] = []
    const skipped: Skipped[] = []
    for (const name of namesIn(at.inbox(id))) {
      const messageId = messageOf(name)
      if (messageId !== undefined) ids.push(messageId)
      else if (name !== 'claimed' && name !== 'read' && name !== 'damaged')
        skipped.push({ what: name, why: 'not a message' })
    }
    return { ids: ids.sort(), claimed, skipped }
  }

  const placed = (id: string, messageId: string): [Place, string][] => [
    ['unread', inside(at.inbox(id), messageFile(messageId))],
    ['read', inside(at.read(id), messageFile(messageId))],
    ['damaged', inside(at.damaged(id), messageFile(messageId))],
  ]

  const look = (id: string, messageId: string): FoundMessage | undefined => {
    const places = placed(id, messageId)
    const held = claims.fileOf(id, messageId)
    if (held !== undefined) places.push(['claimed', held])
    for (const [place, file] of places) {
      const got = readIfThere(file, LIMITS.messageBytes * 2)
      if (got === undefined) continue
      if (uid !== undefined && got.facts.uid !== uid) throw new Error(`belongs to another user, uid ${got.facts.uid}`)
      const message = decodeMessage(JSON.parse(got.text))
      // A handed-over file carries the moment of hand-over as its time.
      return place === 'read'
        ? { message, place, readAt: new Date(got.facts.mtimeMs).toISOString() }
        : { message, place }
    }
    return undefined
  }

  return {
    async deliver(message, options = {}) {
      const file = inside(at.inbox(message.to), messageFile(message.id))
      const text = JSON.stringify(message)
      // A message to one recipient is its own record.
      const [kept, ...also] = options.asRecord ? recordFiles(at, message.from.id, message) : []
      const send = () =>
        kept === undefined
          ? publish(home.tmp(), file, text, home.durability)
          : publishKept({ kept, also, final: file, tmp: home.tmp }, text, home.durability)
      requireRoom(message.to)
      const fresh = home.write(() => {
        try {
          return send()
        } catch (fault) {
          // The first message ever, or the sweep closed the empty folder meanwhile.
          const missing = [at.inbox(message.to), at.sent(message.from.id)].filter(
            (folder) => factsIfThere(folder) === undefined,
          )
          if (missing.length === 0) throw fault
          home.directory(at.sent(message.from.id))
          makeFolder(message.to)
          return send()
        }
      })
      return fresh ? 'stored' : 'already'
    },

    async unread(id) {
      try {
        return scanFolder(id)
      } catch (fault) {
        throw readFault(fault, `The inbox of ${id}`)
      }
    },

    async count(id) {
      return listed(at.inbox(id), id).filter((name) => messageOf(name) !== undefined).length
    },

    async claim(id, messageId) {
      try {
        return claimInFolder({ home, claims, id, messageId, uid })
      } catch (fault) {
        throw writeFault(fault, at.home)
      }
    },

    async find(id, messageId) {
      if (!isMessageId(messageId)) return undefined
      try {
        // It may move on between two looks, but only forward: unread, claimed, read.
        return look(id, messageId) ?? look(id, messageId)
      } catch (fault) {
        throw readFault(fault, `Message ${messageId}`)
      }
    },

    async history(id, count) {
      const ids = listed(at.read(id), id).flatMap((name) => messageOf(name) ?? [])
      return ids.sort().slice(-count)
    },

    async damaged(id) {
      return listed(at.damaged(id), id).sort()
    },

    async drop(id, expired, options) {
      return home.write(() => {
        // What a dead reader held, and the marks of what came back, would keep an inbox for ever.
        if (!options.dryRun) claims.recover(id)
        const { read, unread } = dropExpired(at, id, expired, options)
        if (!options.dryRun) for (const messageId of unread) claims.forgetReturns(id, messageId)
        return { read: read.length, unread: unread.length }
      })
    },

    async owners() {
      return reading('The directory of inboxes', () => namesIn(at.inboxes)).flatMap((name) => idOf(name) ?? [])
    },

    async close(id) {
      removeFolder(at, id)
    },

    watch(id, hint) {
      return watchDirectories([at.inbox(id)], () => hint())
    },
  }
}

/** The message id of a file name, or undefined for any other file. */
function messageOf(name: string): string | undefined {
  const id = name.endsWith('.json') ? name.slice(0, -5) : ''
  return isMessageId(id) ? id : undefined
}
