/** Streams a test can look into and hold up. */

import { once } from 'node:events'
import { PassThrough, Writable } from 'node:stream'

export type Wire = Readonly<Record<string, unknown>>

export interface Sink {
  readonly stream: Writable
  /** Everything written, as JSON lines. */
  readonly messages: Wire[]
  /** Resolves with the first message that fits, also one already there. */
  until(fits: (message: Wire) => boolean): Promise<Wire>
}

/** Takes every write at once. */
export function sink(): Sink {
  const stream = new PassThrough()
  const messages: Wire[] = []
  let rest = ''
  stream.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      messages.push(JSON.parse(line) as Wire)
      stream.emit('message')
    }
  })
  return {
    stream,
    messages,
    async until(fits) {
      for (;;) {
        const found = messages.find(fits)
        if (found !== undefined) return found
        await once(stream, 'message')
      }
    },
  }
}

export interface HeldWrite {
  readonly message: Wire
  finish(fault?: Error): void
}

/** Finishes no write before the test says so. */
export function heldSink(): { readonly stream: Writable; next(): Promise<HeldWrite> } {
  const held: HeldWrite[] = []
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, finish) {
      held.push({ message: JSON.parse(String(chunk)) as Wire, finish })
      stream.emit('held')
    },
  })
  return {
    stream,
    async next() {
      if (held.length === 0) await once(stream, 'held')
      const write = held.shift()
      if (write === undefined) throw new Error('nothing was written')
      return write
    },
  }
}

export function line(message: object): string {
  return `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`
}
