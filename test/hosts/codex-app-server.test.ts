/** The control socket of Codex: whom anything is sent to, and what a server that misbehaves can do. */

import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AppServer, reach } from '../../src/hosts/codex/app-server.ts'
import { makeSocketFolder } from '../processes/lab/socket-folder.ts'

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

let home: string
let control: string
let short: string
let server: Server | undefined
let connections: number
beforeEach(() => {
  home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'sm-codex-')))
  control = path.join(home, 'app-server-control')
  fs.mkdirSync(control, { mode: 0o700 })
  // As the real one does: paths of sockets have to be short.
  short = makeSocketFolder()
  fs.symlinkSync(path.join(short, 's'), path.join(control, 'app-server-control.sock'))
  connections = 0
})
const open = new Set<Socket>()

async function stop(): Promise<void> {
  for (const socket of open) socket.destroy()
  open.clear()
  await new Promise((resolve) => (server === undefined ? resolve(0) : server.close(resolve)))
  server = undefined
}
afterEach(async () => {
  await stop()
  for (const folder of [home, short]) fs.rmSync(folder, { recursive: true, force: true })
})

type Message = { readonly id?: number; readonly method?: string }
type Serve = (message: Message, socket: Socket) => void

/** Of a server: no mask. */
const frame = (text: string | Buffer, first = 0x81) => {
  const body = Buffer.from(text)
  const head =
    body.length < 126
      ? Buffer.from([first, body.length])
      : body.length < 65_536
        ? Buffer.from([first, 126, body.length >> 8, body.length & 255])
        : Buffer.concat([Buffer.from([first, 127, 0, 0, 0, 0]), Buffer.from([0, 1, 2, 3])])
  if (body.length >= 65_536) head.writeUInt32BE(body.length, 6)
  return Buffer.concat([head, body])
}

/** Texts in the frames of a client, which all have a mask; ours are short. */
function* textsIn(data: Buffer): Generator<string> {
  for (let at = 0; at < data.length; ) {
    const small = (data[at + 1] ?? 0) & 127
    const from = at + (small === 126 ? 4 : 2)
    const length = small === 126 ? data.readUInt16BE(at + 2) : small
    const mask = data.subarray(from, from + 4)
    const body = data.subarray(from + 4, from + 4 + length).map((byte, n) => byte ^ (mask[n % 4] ?? 0))
    if (((data[at] ?? 0) & 15) === 1) yield Buffer.from(body).toString()
    at = from + 4 + length
  }
}

async function listen(serve: Serve): Promise<void> {
  server = createServer((_, response) => response.writeHead(404).end())
  server.on('connection', (socket: Socket) => {
    connections += 1
    open.add(socket)
  })
  server.on('upgrade', (request, socket: Socket) => {
    const accept = createHash('sha1').update(`${request.headers['sec-websocket-key']}${GUID}`).digest('base64')
    const head = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: websocket']
    socket.write(`${head.join('\r\n')}\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`)
    socket.on('error', () => undefined)
    socket.on('data', (data: Buffer) => {
      for (const text of textsIn(data)) serve(JSON.parse(text), socket)
    })
  })
  await new Promise<void>((resolve) => server?.listen(path.join(short, 's'), resolve))
}

const answer = (message: Message, result: object) => frame(JSON.stringify({ id: message.id, result }))
const greets: Serve = (message, socket) => void (message.method === 'initialize' && socket.write(answer(message, {})))

async function reached(): Promise<AppServer> {
  const found = await reach(home)
  if (typeof found !== 'object') throw new Error(String(found))
  return found
}

describe('nothing is sent', () => {
  it.each([
    ['the folder of Codex', () => home],
    ['the folder of the socket', () => control],
    ['the folder the socket really lies in', () => short],
  ])('where others can change %s', async (_, folder) => {
    await listen(greets)
    for (const mode of [0o770, 0o707]) {
      fs.chmodSync(folder(), mode)
      expect(await reach(home)).toBe(`${folder()} can be changed by other users, so nothing is sent there`)
    }
    expect(connections).toBe(0)
    fs.chmodSync(folder(), 0o700)
    ;(await reached()).close()
    expect(connections).toBe(1)
  })

  it.runIf(process.getuid?.() === 0)('to a server of another user', async () => {
    await listen(greets)
    for (const place of [path.join(short, 's'), short, control]) {
      fs.chownSync(place, 12_345, 0)
      expect(await reach(home)).toBe(`${place} belongs to another user, so nothing is sent there`)
      fs.chownSync(place, 0, 0)
    }
    expect(connections).toBe(0)
  })

  it('where none runs, and where one that was killed has left its socket', async () => {
    expect(await reach(home)).toBeUndefined()
    expect(await reach(path.join(home, 'nowhere'))).toBeUndefined()
    fs.writeFileSync(path.join(short, 's'), '')
    expect(await reach(home)).toBe(`${path.join(short, 's')} is not the socket of a server`)
  })
})

describe('a server that misbehaves', () => {
  it('and speaks something else is told by its answer', async () => {
    server = createServer((_, response) => response.writeHead(404, { Connection: 'close' }).end())
    await new Promise<void>((resolve) => server?.listen(path.join(short, 's'), resolve))
    expect(await reach(home)).toMatch(/does not answer \(it answers with HTTP status 404\)/)
  })

  it('and goes away in the middle of a call leaves it open whether it was done', async () => {
    await listen((message, socket) => {
      greets(message, socket)
      if (message.method === 'thread/archive') socket.destroy()
    })
    const codex = await reached()
    expect(await codex.call('thread/archive', {})).toMatchObject({ ok: false, isOpen: true })
    expect(await codex.call('thread/archive', {})).toMatchObject({ ok: false, isOpen: false })
  })

  it('and sends no frames, or endless ones, is hung up on', async () => {
    for (const broken of [
      Buffer.from([0xc1, 0]),
      Buffer.from([0x81, 0x80]),
      Buffer.from([0x81, 127, 1, 0, 0, 0, 0, 0, 0, 0]),
    ]) {
      await listen((message, socket) => {
        greets(message, socket)
        if (message.method === 'thread/read') socket.write(broken)
      })
      const codex = await reached()
      expect(await codex.call('thread/read', {})).toMatchObject({ ok: false, why: expect.stringContaining('no frame') })
      await stop()
    }
  })
})

it('answers come in pieces, long, between pings and out of order', async () => {
  const name = 'x'.repeat(70_000)
  const asked: Message[] = []
  await listen((message, socket) => {
    greets(message, socket)
    if (message.method !== 'thread/read' || asked.push(message) < 2) return
    const [first, second] = asked as [Message, Message]
    const long = answer(second, { name })
    const whole = JSON.stringify({ id: first.id, result: { name: 'in two' } })
    socket.write(Buffer.concat([frame('', 0x89), long.subarray(0, 3)]))
    socket.write(long.subarray(3))
    socket.write(Buffer.concat([frame(whole.slice(0, 9), 0x01), frame('', 0x89), frame(whole.slice(9), 0x80)]))
  })
  const codex = await reached()
  const both = await Promise.all([codex.call('thread/read', {}), codex.call('thread/read', {})])
  expect(both).toEqual([
    { ok: true, result: { name: 'in two' } },
    { ok: true, result: { name } },
  ])
  codex.close()
})

it('what the server asks its person is not answered, and an error is told in one plain line', async () => {
  const heard: Message[] = []
  await listen((message, socket) => {
    heard.push(message)
    greets(message, socket)
    if (message.method !== 'turn/start') return
    socket.write(frame(JSON.stringify({ id: message.id, method: 'item/commandExecution/requestApproval', params: {} })))
    socket.write(frame(JSON.stringify({ id: message.id, error: { code: -32600, message: 'no\n\u001b[31msuch' } })))
  })
  const codex = await reached()
  expect(await codex.call('turn/start', {})).toEqual({ ok: false, why: 'Codex says: no  [31msuch', isOpen: false })
  await codex.call('turn/start', {})
  expect(heard.map(({ method }) => method)).toEqual(['initialize', 'initialized', 'turn/start', 'turn/start'])
  codex.close()
})
