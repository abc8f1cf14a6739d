/** A directory of small JSON files read many times: each is parsed once per version. */

import fs from 'node:fs'
import path from 'node:path'
import type { Skipped } from '../../core/ports.ts'
import { errorCode, type FileFacts, factsIfThere, readIfThere } from '../../system/atomic-file.ts'
import { readFault } from './fault.ts'
import { idOfJson, inside } from './layout.ts'

/** Two writes within one tick of a file system's clock look alike, so younger files are always read again, ms. */
const TICK_MS = 50
/** Files handled before other work gets a turn. */
const CHUNK = 500

interface Cached<T> {
  readonly facts: FileFacts
  readonly value: T | Error
  /** False when the file was too young, when read, to be recognised by its facts. */
  readonly settled: boolean
}

interface Scanned<T> {
  readonly scan: Scan<T>
  /** What could not be read, as it was then, under its file name; undefined where not even that could be seen. */
  readonly damaged: ReadonlyMap<string, Cached<T> | undefined>
}

export interface Scan<T> {
  readonly values: ReadonlyMap<string, T>
  readonly skipped: readonly Skipped[]
}

export interface Records<T> {
  /** Undefined when there is none. @throws BusError STORE_UNREADABLE when there is one that cannot be read. */
  read(id: string): T | undefined
  /** All of them. The very same object again while nothing has changed. */
  scan(): Promise<Scan<T>>
}

export interface RecordsOptions<T extends { readonly id: string }> {
  readonly directory: string
  readonly file: (id: string) => string
  readonly decode: (raw: unknown) => T
  readonly maxBytes: number
  readonly uid: number | undefined
}

export function createRecords<T extends { readonly id: string }>(options: RecordsOptions<T>): Records<T> {
  const { directory, decode, maxBytes, uid } = options
  const cache = new Map<string, Cached<T>>()
  let last: (Scanned<T> & { ino: number; mtimeMs: number; settled: boolean }) | undefined

  const sameVersion = (cached: Cached<T> | undefined, facts: FileFacts): cached is Cached<T> =>
    cached?.settled === true &&
    cached.facts.ino === facts.ino &&
    cached.facts.mtimeMs === facts.mtimeMs &&
    cached.facts.size === facts.size &&
    cached.facts.uid === facts.uid

  /** The value under a file name, from memory if the file is the one parsed before. */
  const load = (id: string, name: string, file: string): Cached<T> | undefined => {
    const cached = cache.get(name)
    if (cached !== undefined) {
      const facts = factsIfThere(file)
      if (facts !== undefined && sameVersion(cached, facts)) return cached
    }
    const fresh = parse(id, file)
    if (fresh === undefined) cache.delete(name)
    else cache.set(name, fresh)
    return fresh
  }

  const parse = (id: string, file: string): Cached<T> | undefined => {
    const nowMs = Date.now()
    const got = readIfThere(file, maxBytes)
    if (got === undefined) return undefined
    const settled = nowMs - got.facts.mtimeMs > TICK_MS
    if (uid !== undefined && got.facts.uid !== uid) {
      return { facts: got.facts, settled, value: new Error(`belongs to another user (uid ${got.facts.uid})`) }
    }
    try {
      const value = decode(JSON.parse(got.text))
      // A copy under another name would be one session twice.
      if (value.id !== id) throw new Error('its id is not that of its file')
      return { facts: got.facts, settled, value }
    } catch (fault) {
      return { facts: got.facts, settled, value: fault instanceof Error ? fault : new Error(String(fault)) }
    }
  }

  /** The bus replaces files, which changes their directory; a person puts one right in its place, which does not. */
  const isAsItWas = ([name, before]: readonly [string, Cached<T> | undefined]): boolean => {
    const facts = factsIfThere(inside(directory, name))
    return facts !== undefined && sameVersion(before, facts)
  }

  const scanAll = async (): Promise<Scan<T>> => {
    const before = directoryFacts(directory)
    if (before === undefined) return { values: new Map(), skipped: [] }
    if (
      last?.settled &&
      last.ino === before.ino &&
      last.mtimeMs === before.mtimeMs &&
      [...last.damaged].every(isAsItWas)
    ) {
      return last.scan
    }
    const startedMs = Date.now()
    const values = new Map<string, T>()
    const skipped: Skipped[] = []
    const damaged = new Map<string, Cached<T> | undefined>()
    const names = fs.readdirSync(directory)
    for (const [index, name] of names.entries()) {
      if (index % CHUNK === CHUNK - 1) await new Promise((resolve) => setImmediate(resolve))
      const id = idOfJson(name)
      if (id === undefined) {
        skipped.push({ what: name, why: 'not a name this bus makes' })
        continue
      }
      try {
        const loaded = load(id, name, inside(directory, name))
        if (loaded === undefined) continue
        if (loaded.value instanceof Error) {
          skipped.push({ what: id, why: loaded.value.message })
          damaged.set(name, loaded)
        } else values.set(id, loaded.value)
      } catch (fault) {
        skipped.push({ what: id, why: errorCode(fault) ?? String(fault) })
        // A link or folder goes by a change of the directory; too few handles or rights end without one.
        if (errorCode(fault) !== 'EFTYPE') damaged.set(name, undefined)
      }
    }
    if (cache.size > values.size + skipped.length) forget(new Set(names))
    const scan = { values, skipped }
    last = { scan, damaged, ...before, settled: startedMs - before.mtimeMs > TICK_MS }
    return scan
  }

  const forget = (names: ReadonlySet<string>) => {
    for (const name of cache.keys()) if (!names.has(name)) cache.delete(name)
  }

  let running: Promise<Scan<T>> | undefined
  return {
    read(id) {
      const file = options.file(id)
      try {
        const name = path.basename(file)
        const loaded = load(id, name, file)
        if (loaded?.value instanceof Error) throw loaded.value
        return loaded?.value
      } catch (fault) {
        throw readFault(fault, `The record of session ${id}`)
      }
    },
    scan() {
      running ??= scanAll().finally(() => {
        running = undefined
      })
      return running
    },
  }
}

function directoryFacts(directory: string): { ino: number; mtimeMs: number } | undefined {
  const stat = fs.statSync(directory, { throwIfNoEntry: false })
  return stat === undefined ? undefined : { ino: stat.ino, mtimeMs: stat.mtimeMs }
}
