/** What a session sent, so that it can ask what became of it. Never synced: losing it costs a receipt, not a message. */

import path from 'node:path'
import { LIMITS } from '../../core/limits.ts'
import { isMessageId, type Sent } from '../../core/message.ts'
import type { SentStore } from '../../core/ports.ts'
import { factsIfThere, namesIn, readIfThere, removeIfThere, replace } from '../../system/atomic-file.ts'
import { readFault, reading } from './fault.ts'
import type { Home } from './home.ts'
import { idOf, inside, type Layout, messageFile } from './layout.ts'
import { removeEmpty } from './retention.ts'

const WAKES = 'wakes.json'
const MAX_BYTES = LIMITS.messageBytes * 2

/** The files that record a send: under its own id, and as the reply to what it answers. */
export function recordFiles(at: Layout, from: string, sent: Pick<Sent, 'id' | 'replyTo'>): readonly string[] {
  const file = inside(at.sent(from), messageFile(sent.id))
  return sent.replyTo === undefined || !isMessageId(sent.replyTo)
    ? [file]
    : [file, inside(at.sent(from), `re~${sent.replyTo}`)]
}

/** A record is either the message itself, where it had one recipient, or made for it. */
function decodeSent(text: string): Sent {
  const raw = JSON.parse(text) as Omit<Sent, 'from' | 'to'> & {
    from: string | { id: string }
    to: string | readonly string[]
  }
  if (typeof raw.id !== 'string') throw new Error('field id is not text')
  const { id, from, to, sentAt, intent, replyTo } = raw
  return {
    id,
    from: typeof from === 'string' ? from : from.id,
    to: typeof to === 'string' ? [to] : to,
    sentAt,
    intent,
    ...(replyTo !== undefined && { replyTo }),
  }
}

export function fileSent(home: Home): SentStore {
  const { at } = home

  const write = (from: string, name: string, text: string) => {
    const directory = at.sent(from)
    const file = inside(directory, name)
    home.write(() => {
      try {
        replace(home.tmp(), file, text, 'process')
      } catch (fault) {
        if (factsIfThere(directory) !== undefined) throw fault
        home.directory(directory)
        replace(home.tmp(), file, text, 'process')
      }
    })
  }

  return {
    // Never written in place: the name may be one of a message in somebody's inbox.
    async record(sent) {
      for (const file of recordFiles(at, sent.from, sent)) write(sent.from, path.basename(file), JSON.stringify(sent))
    },
    async find(from, messageId) {
      if (!isMessageId(messageId)) return undefined
      try {
        const got = readIfThere(inside(at.sent(from), `${messageId}.json`), MAX_BYTES)
        return got === undefined ? undefined : decodeSent(got.text)
      } catch (fault) {
        throw readFault(fault, `The record of sent message ${messageId}`)
      }
    },
    async reply(by, replyTo) {
      if (!isMessageId(replyTo)) return undefined
      return load(inside(at.sent(by), `re~${replyTo}`))?.id
    },
    async wakes(from) {
      try {
        const got = readIfThere(inside(at.sent(from), WAKES), MAX_BYTES)
        const raw: unknown = got === undefined ? {} : JSON.parse(got.text)
        // Without a prototype: `constructor` is an id.
        return Object.assign(Object.create(null), raw)
      } catch {
        return Object.create(null) // a lost count wakes once too often; it must not stop a send
      }
    },
    async setWakes(from, wakes) {
      home.write(() => {
        const file = inside(at.sent(from), WAKES)
        home.directory(at.sent(from))
        replace(home.tmp(), file, JSON.stringify(wakes), 'process')
      })
    },
    async drop(from, expired) {
      const directory = at.sent(from)
      const names = namesIn(directory).sort()
      const dropped = new Set<string>()
      for (const name of names) {
        if (!isMessageId(name.replace(/\.json$/, ''))) continue
        const sent = load(inside(directory, name))
        if (sent !== undefined && !expired(sent)) break
        if (removeIfThere(inside(directory, name))) dropped.add(name.slice(0, -5))
      }
      for (const name of dropped.size === 0 ? [] : names.filter((each) => each.startsWith('re~'))) {
        const reply = load(inside(directory, name))?.id
        if (reply === undefined || dropped.has(reply)) removeIfThere(inside(directory, name))
      }
      if (namesIn(directory).every((name) => name === WAKES)) {
        removeIfThere(inside(directory, WAKES))
        removeEmpty(directory)
      }
      return dropped.size
    },
    async owners() {
      const directory = path.dirname(at.sent('x'))
      return reading('The records of sends', () => namesIn(directory)).flatMap((name) => idOf(name) ?? [])
    },
  }
}

/** Undefined for a record torn by a kill: its send was never acknowledged. */
function load(file: string): Sent | undefined {
  try {
    return decodeSent(readIfThere(file, MAX_BYTES)?.text ?? '')
  } catch {
    return undefined
  }
}
