/** Splits a byte stream into lines without ever decoding a part of one, and in bounded memory. */

/** How much of a discarded line is kept from either end, bytes: enough to find the id of its request. */
const ENDS_BYTES = 16 * 1024

const NEWLINE = 0x0a

export interface LineSink {
  line(bytes: Buffer): void
  /** A line longer than `maxBytes`: its first and last bytes, and its length. */
  tooLong(head: Buffer, tail: Buffer, bytes: number): void
}

export interface LineSplitter {
  push(chunk: Buffer): void
  /** The stream is over: what came after the last newline is a line too. */
  end(): void
}

export function splitLines(maxBytes: number, sink: LineSink): LineSplitter {
  let parts: Buffer[] = []
  let bytes = 0
  /** First and last bytes of the line being discarded. */
  let ends: { head: Buffer; tail: Buffer } | undefined

  const add = (part: Buffer): void => {
    bytes += part.length
    if (ends !== undefined) {
      ends.tail = Buffer.concat([ends.tail, part.subarray(-ENDS_BYTES)]).subarray(-ENDS_BYTES)
      return
    }
    parts.push(part)
    if (bytes <= maxBytes) return
    const all = Buffer.concat(parts)
    parts = []
    ends = { head: Buffer.from(all.subarray(0, ENDS_BYTES)), tail: Buffer.from(all.subarray(-ENDS_BYTES)) }
  }

  const finish = (): void => {
    const done = { parts, bytes, ends }
    parts = []
    bytes = 0
    ends = undefined
    if (done.ends !== undefined) sink.tooLong(done.ends.head, done.ends.tail, done.bytes)
    else if (done.bytes > 0)
      sink.line(done.parts.length === 1 && done.parts[0] ? done.parts[0] : Buffer.concat(done.parts))
  }

  return {
    push(chunk) {
      let start = 0
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
        add(chunk.subarray(start, at))
        finish()
        start = at + 1
      }
      if (start < chunk.length) add(chunk.subarray(start))
    },
    end() {
      finish()
    },
  }
}
