/**
 * A WebSocket (RFC 6455) over a Unix socket, as far as the control socket of Codex needs one: texts both ways. Nothing the
 * other side sends may cost more memory than one message.
 */

import { createHash, randomBytes } from 'node:crypto'
import { request } from 'node:http'
import type { Socket } from 'node:net'

export interface Wire {
  send(text: string): void
  close(): void
}

export interface Listener {
  onText(text: string): void
  /** Once. Nothing comes after it. */
  onEnd(why: string): void
}

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const MOST_BYTES = 16 * 1024 * 1024
const TEXT = 1
const CLOSE = 8
const PING = 9
const PONG = 10

/** @throws Error where nobody answers within `limitMs`, or what answers speaks something else. */
export function dial(socketPath: string, limitMs: number, listener: Listener): Promise<Wire> {
  return new Promise((resolve, reject) => {
    const key = randomBytes(16).toString('base64')
    const asked = request({
      socketPath,
      path: '/',
      headers: {
        Host: 'localhost',
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': key,
      },
    })
    const timer = setTimeout(() => asked.destroy(new Error(`no answer within ${limitMs} ms`)), limitMs)
    asked.on('error', (fault) => {
      clearTimeout(timer)
      reject(fault)
    })
    asked.on('response', (response) => {
      asked.destroy(new Error(`it answers with HTTP status ${response.statusCode}`))
    })
    asked.on('upgrade', (response, socket: Socket, head: Buffer) => {
      clearTimeout(timer)
      const expected = createHash('sha1').update(`${key}${GUID}`).digest('base64')
      if (response.headers['sec-websocket-accept'] !== expected) {
        socket.destroy()
        reject(new Error('it does not answer as a WebSocket'))
        return
      }
      resolve(wireOn(socket, head, listener))
    })
    asked.end()
  })
}

function wireOn(socket: Socket, head: Buffer, { onText, onEnd }: Listener): Wire {
  let rest: Buffer = Buffer.alloc(0)
  let parts: Buffer[] = []
  let hasEnded = false
  const end = (why: string) => {
    socket.destroy()
    if (hasEnded) return
    hasEnded = true
    onEnd(why)
  }
  const hear = (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (;;) {
      const frame = frameIn(rest)
      if (frame === undefined) return
      if (frame === 'broken') return end('it sent what is no frame of a WebSocket')
      rest = rest.subarray(frame.bytes)
      if (frame.code === CLOSE) return end('it closed the connection')
      if (frame.code === PING) socket.write(frameOf(PONG, frame.body))
      if (frame.code > TEXT) continue
      parts.push(frame.body)
      if (parts.reduce((sum, { length }) => sum + length, 0) > MOST_BYTES) return end('it sent too long a message')
      if (!frame.isLast) continue
      const text = Buffer.concat(parts).toString('utf8')
      parts = []
      onText(text)
    }
  }
  socket.on('data', hear)
  socket.on('error', (fault) => end(fault.message))
  socket.on('close', () => end('it closed the connection'))
  if (head.length > 0) hear(head)
  return {
    send: (text) => void socket.write(frameOf(TEXT, Buffer.from(text, 'utf8'))),
    close() {
      hasEnded = true
      socket.end(frameOf(CLOSE, Buffer.alloc(0)))
      socket.destroySoon()
    },
  }
}

interface Frame {
  /** 0 goes on with the message before. */
  readonly code: number
  readonly isLast: boolean
  readonly body: Buffer
  readonly bytes: number
}

/** The first one; undefined while it is not whole. A server's frames have no mask. */
function frameIn(data: Buffer): Frame | 'broken' | undefined {
  if (data.length < 2) return undefined
  const [first = 0, second = 0] = data
  if ((first & 0x70) !== 0 || (second & 0x80) !== 0) return 'broken'
  let length = second & 0x7f
  let at = 2
  if (length === 126) {
    if (data.length < 4) return undefined
    length = data.readUInt16BE(2)
    at = 4
  } else if (length === 127) {
    if (data.length < 10) return undefined
    const long = data.readBigUInt64BE(2)
    if (long > BigInt(MOST_BYTES)) return 'broken'
    length = Number(long)
    at = 10
  }
  if (data.length < at + length) return undefined
  return {
    code: first & 0x0f,
    isLast: (first & 0x80) !== 0,
    body: data.subarray(at, at + length),
    bytes: at + length,
  }
}

function frameOf(code: number, body: Buffer): Buffer {
  const mask = randomBytes(4)
  const head = Buffer.alloc(body.length < 126 ? 2 : body.length < 65_536 ? 4 : 10)
  head[0] = 0x80 | code
  if (head.length === 2) head[1] = 0x80 | body.length
  else if (head.length === 4) {
    head[1] = 0x80 | 126
    head.writeUInt16BE(body.length, 2)
  } else {
    head[1] = 0x80 | 127
    head.writeBigUInt64BE(BigInt(body.length), 2)
  }
  const masked = Buffer.from(body)
  for (let n = 0; n < masked.length; n++) masked[n] = (masked[n] ?? 0) ^ (mask[n & 3] ?? 0)
  return Buffer.concat([head, mask, masked])
}
