/**
 * Claims: `claimed/{messageId}~{owner}~{since}` while a reader holds a message, `claimed/{messageId}~back~{n}` for one
 * that came back from a reader that is gone. Winning the rename is the only right to deliver.
 */

import fs from 'node:fs'
import { LIMITS } from '../../core/limits.ts'
import { decodeMessage, isMessageId, type Message } from '../../core/message.ts'
import type { Claim, Life, ProcessRef, Skipped } from '../../core/ports.ts'
import { errorCode, factsIfThere, moveIfThere, namesIn, readIfThere, removeIfThere } from '../../system/atomic-file.ts'
import { checkTag } from '../../system/process.ts'
import { readFault } from './fault.ts'
import type { Home } from './home.ts'
import { inside } from './layout.ts'

interface Held {
  readonly messageId: string
  readonly owner: string
  readonly sinceMs: number
}

function parseHeld(name: string): Held | undefined {
  const [messageId = '', owner = '', since = ''] = name.split('~')
  if (!isMessageId(messageId) || owner === '' || since === '') return undefined
  return { messageId, owner, sinceMs: Number.parseInt(since, 36) }
}

export interface Claims {
  /** Returns abandoned claims to the inbox. @returns how many messages are held by readers now. */
  recover(id: string): number
  /** Whether a message came back from a reader. To be asked after winning it: the mark is there before it can be won again. */
  wasReturned(id: string, messageId: string): boolean
  fileOf(id: string, messageId: string): string | undefined
  /** A new place for a claim of this process. */
  place(id: string, messageId: string): string
  forgetReturns(id: string, messageId: string): void
}

/** Of the process, not of one store: two stores of one process must not meet in one name. */
let nonce = 0

export function createClaims(home: Home, self: ProcessRef, tag: string): Claims {
  const { at } = home

  /** Whether its reader is gone, or had it too long. Each reader is looked at once per scan, and we ourselves never. */
  const abandoned = (held: Held, lives: Map<string, Life>): boolean => {
    if (Math.abs(Date.now() - held.sinceMs) > LIMITS.claimLeaseMs) return true
    if (held.owner === tag) return false
    const life = lives.get(held.owner) ?? checkTag(held.owner, self)
    lives.set(held.owner, life)
    return life === 'gone'
  }

  const giveBack = (id: string, name: string, messageId: string, before: number) => {
    const file = inside(at.claimed(id), name)
    if (before + 1 > LIMITS.claimReturns) {
      makeFolder(at.damaged(id))
      if (moveIfThere(file, inside(at.damaged(id), `${messageId}.json`))) forgetReturns(id, messageId)
      return
    }
    // The mark first: killed in between, the message is flagged once too often, never once too little.
    fs.writeFileSync(inside(at.claimed(id), `${messageId}~back~${before + 1}`), '', { mode: 0o600 })
    moveIfThere(file, inside(at.inbox(id), `${messageId}.json`))
  }

  /** Where nothing can be written an inbox can still be read: what nobody may give back stays held. */
  const giveBackIfWritable = (...claim: Parameters<typeof giveBack>): boolean => {
    try {
      giveBack(...claim)
      return true
    } catch (fault) {
      if (['EROFS', 'EACCES', 'EPERM', 'ENOSPC', 'EDQUOT'].includes(errorCode(fault) ?? '')) return false
      throw fault
    }
  }

  const returnsIn = (names: readonly string[], messageId: string): number => {
    let most = 0
    for (const name of names) {
      if (name.startsWith(`${messageId}~back~`)) most = Math.max(most, Number(name.slice(messageId.length + 6)))
    }
    return most
  }

  const forgetReturns = (id: string, messageId: string) => {
    for (const name of namesIn(at.claimed(id))) {
      if (name.startsWith(`${messageId}~back~`)) removeIfThere(inside(at.claimed(id), name))
    }
  }

  return {
    recover(id) {
      const names = namesIn(at.claimed(id))
      const lives = new Map<string, Life>()
      let held = 0
      for (const name of names) {
        const claim = parseHeld(name)
        if (claim === undefined || claim.owner === 'back') continue
        if (
          !abandoned(claim, lives) ||
          !giveBackIfWritable(id, name, claim.messageId, returnsIn(names, claim.messageId))
        )
          held += 1
      }
      return held
    },
    wasReturned(id, messageId) {
      return fs.existsSync(inside(at.claimed(id), `${messageId}~back~1`))
    },
    fileOf(id, messageId) {
      const name = namesIn(at.claimed(id)).find(
        (entry) => parseHeld(entry)?.messageId === messageId && !entry.includes('~back~'),
      )
      return name === undefined ? undefined : inside(at.claimed(id), name)
    },
    place(id, messageId) {
      return inside(at.claimed(id), `${messageId}~${tag}~${Date.now().toString(36)}~${(nonce++).toString(36)}`)
    },
    forgetReturns,
  }
}

interface ClaimOrder {
  readonly home: Home
  readonly claims: Claims
  readonly id: string
  readonly messageId: string
  readonly uid: number | undefined
}

/** Takes one unread message. Undefined when another reader was faster; a reason when it is not a message anyone may read. */
export function claimInFolder(order: ClaimOrder): Claim | Skipped | undefined {
  const { home, claims, id, messageId, uid } = order
  const { at } = home
  if (!isMessageId(messageId)) return undefined
  const unread = inside(at.inbox(id), `${messageId}.json`)
  const facts = factsIfThere(unread)
  if (facts === undefined) return undefined
  if (!facts.regular) return { what: messageId, why: 'a link or directory, not a message' }
  if (uid !== undefined && facts.uid !== uid)
    return { what: messageId, why: `belongs to another user (uid ${facts.uid})` }

  const held = claims.place(id, messageId)
  const won = home.write(() => {
    try {
      return moveIfThere(unread, held) || (factsIfThere(at.claimed(id)) === undefined && makeAndMove())
    } catch (fault) {
      if (errorCode(fault) === 'ENOENT') return makeAndMove()
      throw fault
    }
  })
  function makeAndMove(): boolean {
    makeFolder(at.claimed(id))
    return moveIfThere(unread, held)
  }
  if (!won) return undefined

  let message: Message
  try {
    const got = readIfThere(held, LIMITS.messageBytes * 2)
    if (got === undefined) return undefined // its lease ran out while this process was stopped
    message = decodeMessage(JSON.parse(got.text))
    if (message.id !== messageId || message.to !== id) throw new Error('its id or recipient is not that of its file')
  } catch (fault) {
    if (errorCode(fault) !== undefined && errorCode(fault) !== 'EFBIG') {
      moveIfThere(held, unread)
      throw readFault(fault, `Message ${messageId}`)
    }
    makeFolder(at.damaged(id))
    moveIfThere(held, inside(at.damaged(id), `${messageId}.json`))
    return {
      what: messageId,
      why: `damaged, kept under damaged/: ${fault instanceof Error ? fault.message : String(fault)}`,
    }
  }

  const redelivered = claims.wasReturned(id, messageId)
  return {
    message,
    redelivered,
    async settle() {
      const now = new Date()
      home.write(() => {
        try {
          fs.utimesSync(held, now, now)
        } catch (fault) {
          if (errorCode(fault) === 'ENOENT') return // the claim was lost: someone else delivers it again, and says so
          throw fault
        }
        const read = inside(at.read(id), `${messageId}.json`)
        if (!moveIfThere(held, read)) {
          makeFolder(at.read(id))
          moveIfThere(held, read)
        }
      })
      if (redelivered) claims.forgetReturns(id, messageId)
    },
    async release() {
      home.write(() => moveIfThere(held, unread))
    },
  }
}

function makeFolder(directory: string): void {
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 })
}
