/** What every hook process does around its work: a limit of its own, input that may never end, one whole answer. */

import fs from 'node:fs'

/** Hosts wait for hooks; this is what a turn may lose to us at the most, ms. */
const LIMIT_MS = 1_100

export function startClock(): void {
  setTimeout(() => process.exit(0), LIMIT_MS).unref()
}

/**
 * The JSON object on stdin. Taken as soon as it is whole, since some hosts leave stdin open.
 * Undefined for empty input and for anything that is no object.
 */
export function readInput(): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { stdin } = process
  const chunks: Buffer[] = []
  return new Promise((resolve) => {
    const parsed = (): Readonly<Record<string, unknown>> | undefined => {
      try {
        const raw: unknown = JSON.parse(
          Buffer.concat(chunks)
            .toString('utf8')
            .replace(/^\uFEFF/, ''),
        )
        return typeof raw === 'object' && raw !== null && !Array.isArray(raw)
          ? (raw as Record<string, unknown>)
          : undefined
      } catch {
        return undefined // not whole yet, or not JSON
      }
    }
    stdin.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      const raw = /\}\s*$/.test(chunk.toString('latin1').slice(-64)) ? parsed() : undefined
      if (raw !== undefined) resolve(raw)
    })
    stdin.on('end', () => resolve(parsed()))
    stdin.on('error', () => resolve(undefined))
  })
}

export function silence(): void {
  process.exit(0)
}

/** One JSON object on stdout, or text on stderr with exit code 2; nothing for neither. */
export function answer(json: unknown, wake: string | undefined): void {
  try {
    // Not through the streams of the process: making one costs milliseconds.
    if (wake !== undefined) fs.writeSync(2, wake)
    else if (json !== undefined) fs.writeSync(1, JSON.stringify(json))
  } catch {
    silence() // nobody listens any more
  }
  process.exit(wake === undefined ? 0 : 2)
}
