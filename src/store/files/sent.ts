/** What a session sent, so that it can ask what became of it. Never synced: losing it costs a receipt, not a message. */

import fs from 'node:fs'
import path from 'node:path'
import { isMessageId, type Sent } from '../../core/message.ts'
import type { SentStore } from '../../core/ports.ts'
import { factsIfThere, namesIn, readIfThere, removeIfThere, replace } from '../../system/atomic-file.ts'
import { readFault } from './fault.ts'
import type { Home } from './home.ts'
import { idOf } from './layout.ts'
import { removeEmpty } from './retention.ts'

const WAKES = 'wakes.json'
const MAX_BYTES = 256 * 1024

export function fileSent(home: Home): SentStore {
  const { at } = home

  const write = (from: string, name: string, text: string) => {
    const directory = at.sent(from)
    const file = path.join(directory, name)
    home.write(() => {
      try {
        fs.writeFileSync(file, text, { mode: 0o600 })
      } catch (fault) {
        if (factsIfThere(directory) !== undefined) throw fault
        home.directory(directory)
        fs.writeFileSync(file, text, { mode: 0o600 })
      }
    })
  }

  return {
    // Written in place: a record torn by a kill belongs to a send that was never acknowledged.
    async record(sent) {
      write(sent.from, `${sent.id}.json`, JSON.stringify(sent))
      if (sent.replyTo !== undefined) write(sent.from, `re~${sent.replyTo}`, sent.id)
    },
    async find(from, messageId) {
      if (!isMessageId(messageId)) return undefined
      try {
        const got = readIfThere(path.join(at.sent(from), `${messageId}.json`), MAX_BYTES)
        return got === undefined ? undefined : (JSON.parse(got.text) as Sent)
      } catch (fault) {
        throw readFault(fault, `The record of sent message ${messageId}`)
      }
    },
    async reply(by, replyTo) {
      const id = readIfThere(path.join(at.sent(by), `re~${replyTo}`), 256)?.text.trim()
      return id !== undefined && isMessageId(id) ? id : undefined
    },
    async wakes(from) {
      try {
        const got = readIfThere(path.join(at.sent(from), WAKES), MAX_BYTES)
        const raw: unknown = got === undefined ? {} : JSON.parse(got.text)
        return typeof raw === 'object' && raw !== null ? (raw as Record<string, number[]>) : {}
      } catch {
        return {} // a lost count wakes once too often; it must not stop a send
      }
    },
    async setWakes(from, wakes) {
      home.write(() => {
        const file = path.join(at.sent(from), WAKES)
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
        const sent = load(path.join(directory, name))
        if (sent !== undefined && !expired(sent)) break
        if (removeIfThere(path.join(directory, name))) dropped.add(name.slice(0, -5))
      }
      for (const name of dropped.size === 0 ? [] : names.filter((each) => each.startsWith('re~'))) {
        const reply = readIfThere(path.join(directory, name), 256)?.text.trim()
        if (reply !== undefined && dropped.has(reply)) removeIfThere(path.join(directory, name))
      }
      if (namesIn(directory).every((name) => name === WAKES)) {
        removeIfThere(path.join(directory, WAKES))
        removeEmpty(directory)
      }
      return dropped.size
    },
    async owners() {
      return namesIn(path.dirname(at.sent('x'))).flatMap((name) => idOf(name) ?? [])
    },
  }
}

/** Undefined for a record torn by a kill: its send was never acknowledged. */
function load(file: string): Sent | undefined {
  try {
    return JSON.parse(readIfThere(file, MAX_BYTES)?.text ?? '') as Sent
  } catch {
    return undefined
  }
}
