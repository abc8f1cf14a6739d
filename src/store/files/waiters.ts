/** Who waits for a session: a look through the activity records that parses only those that name it. */

import fs from 'node:fs'
import { type Activity, decodeActivity } from '../../core/activity.ts'
import { factsIfThere, namesIn } from '../../system/atomic-file.ts'
import { idOfJson, inside } from './layout.ts'

/** Records looked into: on a bus with more sessions, those that changed last. Bounds what one look costs (12 ms here). */
const MOST_RECORDS = 2_000

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants

export function waitersIn(directory: string, target: string, maxBytes: number, uid: number | undefined): Activity[] {
  const needle = Buffer.from(`"${target}"`)
  const buffer = Buffer.allocUnsafe(maxBytes)
  return latest(directory, namesIn(directory)).flatMap((name) => {
    const text = textWith(needle, inside(directory, name), buffer, uid)
    const activity = text === undefined ? undefined : decoded(text)
    return activity?.id === idOfJson(name) && activity?.waitingFor.some(({ targets }) => targets?.includes(target))
      ? [activity]
      : []
  })
}

function latest(directory: string, names: readonly string[]): readonly string[] {
  if (names.length <= MOST_RECORDS) return names
  return names
    .map((name) => ({ name, ms: factsIfThere(inside(directory, name))?.mtimeMs ?? 0 }))
    .sort((a, b) => b.ms - a.ms)
    .slice(0, MOST_RECORDS)
    .map(({ name }) => name)
}

/** The text of a file that holds `needle`; a file that cannot be read names nobody. */
function textWith(needle: Buffer, file: string, buffer: Buffer, uid: number | undefined): string | undefined {
  let handle: number | undefined
  try {
    handle = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    const bytes = buffer.subarray(0, fs.readSync(handle, buffer, 0, buffer.length, 0))
    if (!bytes.includes(needle)) return undefined
    const stat = fs.fstatSync(handle)
    return stat.isFile() && (uid === undefined || stat.uid === uid) ? bytes.toString('utf8') : undefined
  } catch {
    return undefined
  } finally {
    if (handle !== undefined) fs.closeSync(handle)
  }
}

function decoded(text: string): Activity | undefined {
  try {
    return decodeActivity(JSON.parse(text))
  } catch {
    return undefined // damaged, or larger than a record can be
  }
}
