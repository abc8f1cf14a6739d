/**
 * What a process saw, line by line, in a file that survives its kill. One file per life of a process: a line that a kill
 * tore is the last of its file, and counts as not written.
 */

import fs from 'node:fs'
import path from 'node:path'

export type Line =
  /** A send was acknowledged: its answer was here. */
  | { readonly k: 'ack'; readonly at: number; readonly id: string; readonly n: number }
  /** An answer with messages was here: [id, flagged redelivered, sender, n] each. */
  | { readonly k: 'shown'; readonly at: number; readonly messages: readonly ShownMessage[] }
  /** handedOver() of these resolved. */
  | { readonly k: 'done'; readonly at: number; readonly ids: readonly string[] }
  /** A call began whose answer may never arrive. */
  | { readonly k: 'asked'; readonly at: number }
  /** Something that must not happen. */
  | { readonly k: 'wrong'; readonly at: number; readonly what: string }

export type ShownMessage = readonly [id: string, redelivered: boolean, sender: number, n: number]

export interface Journal {
  write(line: Line): void
}

export function openJournal(file: string): Journal {
  const fd = fs.openSync(file, 'wx')
  return { write: (line) => void fs.writeSync(fd, `${JSON.stringify(line)}\n`) }
}

/** Microseconds on a clock that all processes of a machine share and nobody sets. */
export function nowMicros(): number {
  return Number(process.hrtime.bigint() / 1_000n)
}

export interface Life {
  /** File name: `sender-3.0`, the first life of sender 3. */
  readonly name: string
  readonly lines: readonly Line[]
}

export function readJournals(directory: string, kind: 'sender' | 'reader'): readonly Life[] {
  const names = fs.readdirSync(directory).filter((name) => name.startsWith(`${kind}-`))
  return names.map((name) => ({ name, lines: linesOf(path.join(directory, name)) }))
}

/** The lines of one journal, as far as they are whole; none when it is not there yet. */
export function linesOf(file: string): Line[] {
  if (!fs.existsSync(file)) return []
  const text = fs.readFileSync(file, 'utf8')
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  return whole.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]))
}
