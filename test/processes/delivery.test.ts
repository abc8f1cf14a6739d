import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { InboxAnswer, SendAnswer } from '../../src/lib.ts'
import { makePlace, type Place } from './lab/place.ts'
import { endAll } from './lab/processes.ts'
import { startRemote } from './lab/remote.ts'
import { SERVER, startClient } from './lab/server.ts'
import { runDelivery } from './scenarios/delivery.ts'

let place: Place
beforeEach(() => {
  place = makePlace('delivery')
})
afterEach(() => {
  endAll()
  place.remove()
})

const FAST = JSON.stringify({ durability: 'process' })

describe('messages between processes', () => {
  test('C001: two servers write one inbox at the same moment, 200 times, and every message is there, unaltered', async () => {
    const client = await startClient(place.home)
    for (const server of ['lead', 'a', 'b']) {
      await client.startServer({ server, flags: ['--durability=process', `--session-id=${server}`] })
      await client.call('update_session', { task: server, projectPath: '/project' }, server)
    }
    const send = (server: string, content: string) =>
      client.call<SendAnswer>('send_message', { to: ['lead'], content }, server)
    const sent = new Map<string, string>()
    for (let round = 0; round < 200; round++) {
      const contents = [`A-${round}`, `B-${round}`] as const
      const [a, b] = await Promise.all([send('a', contents[0]), send('b', contents[1])])
      sent.set(a.messageId, contents[0]).set(b.messageId, contents[1])
    }
    const got = new Map<string, string>()
    for (let remaining = 1; remaining > 0; ) {
      const answer = await client.call<InboxAnswer>('read_inbox', {}, 'lead')
      for (const { id, content } of answer.messages) got.set(id, content)
      remaining = answer.remaining
    }
    expect(sent.size).toBe(400)
    expect(got).toEqual(sent)
  })

  test('C003: what is sent while the recipient reads in a tight loop is read, once', async () => {
    const client = await startClient(place.home)
    for (const server of ['a', 'b']) {
      await client.startServer({ server, flags: ['--durability=process', `--session-id=${server}`] })
      await client.call('update_session', { task: server, projectPath: '/project' }, server)
    }
    let hasSent = false
    const sending = (async () => {
      for (let n = 0; n < 500; n++) await client.call('send_message', { to: ['b'], content: `${n}` }, 'a')
      hasSent = true
    })()
    const got: number[] = []
    for (;;) {
      const isLast = hasSent
      const { messages } = await client.call<InboxAnswer>('read_inbox', {}, 'b')
      got.push(...messages.map(({ content }) => Number(content)))
      if (isLast && messages.length === 0) break
    }
    await sending
    expect(got).toEqual(Array.from({ length: 500 }, (_, n) => n))
  })

  test('C034: two readers at the same moment, 100 times: each message is shown by exactly one, and flagged by none', async () => {
    const sender = await startRemote('library', { args: [place.home, FAST] })
    const readers = [
      await startRemote('library', { args: [place.home, FAST] }),
      await startRemote('library', { args: [place.home, FAST] }),
    ]
    await sender.ask('join', { id: 'a' })
    for (const reader of readers) await reader.ask('join', { id: 'b' })
    for (let round = 0; round < 100; round++) {
      const { messageId } = await sender.ask<SendAnswer>('send', { to: ['b'], content: `round ${round}` })
      const at = Date.now() + 3
      const answers = await Promise.all(readers.map((reader) => reader.ask<InboxAnswer>('take', { at })))
      const shown = answers.flatMap(({ messages }) => messages)
      expect(shown.map(({ id, redelivered }) => [id, redelivered])).toEqual([[messageId, undefined]])
    }
  })

  test('C024: an answer that cannot be written, because nobody reads it any more, leaves its messages unread', async () => {
    const sender = await startRemote('library', { args: [place.home, FAST] })
    const client = await startClient(place.home)
    await client.startServer()
    const { id } = await client.call<{ id: string }>('update_session', { task: 'reads', projectPath: '/project' })
    await sender.ask('join', { id: 'a' })
    for (let n = 0; n < 3; n++) await sender.ask('send', { to: [id], content: `${n}` })
    const unread = () => fs.readdirSync(path.join(place.home, 'inboxes', id)).filter((name) => name.endsWith('.json'))
    const before = unread()

    await client.ask('closeOutput', {})
    const line = { jsonrpc: '2.0', id: 99, method: 'tools/call', params: { name: 'read_inbox', arguments: {} } }
    await client.ask('write', { line: JSON.stringify(line) })
    await client.ask('ended', {})
    expect(before).toHaveLength(3)
    expect(unread()).toEqual(before)
  })

  test('a reader that dies with messages in its hands loses none: they come again, flagged, and once', async () => {
    const sender = await startRemote('library', { args: [place.home, FAST] })
    await sender.ask('join', { id: 'a' })
    const [first, second] = [
      await startRemote('library', { args: [place.home, FAST] }),
      await startRemote('library', { args: [place.home, FAST] }),
    ]
    await first.ask('join', { id: 'b' })
    await second.ask('join', { id: 'b' })
    const { messageId } = await sender.ask<SendAnswer>('send', { to: ['b'], content: 'fragile' })
    await first.ask('hold')
    const whileHeld = await second.ask<InboxAnswer>('take')
    first.kill()
    await first.ended
    const afterDeath = await second.ask<InboxAnswer>('take')
    const afterAll = await second.ask<InboxAnswer>('take')
    expect(whileHeld.messages).toEqual([])
    expect(afterDeath.messages).toMatchObject([{ id: messageId, redelivered: true }])
    expect(afterAll.messages).toEqual([])
  })

  test('senders and readers killed at random: nothing acknowledged is lost, nothing is shown twice without saying so', async () => {
    const result = await runDelivery({
      place,
      seed: 20_261_130,
      messages: 800,
      senders: { library: 6, mcp: 2 },
      readers: { library: 3, mcp: 1 },
      durability: 'process',
      server: SERVER,
      killEveryMs: [30, 150],
      // A run without kills would prove nothing.
      kills: 8,
      looks: 1_000,
      timeoutMs: 200_000,
    })
    expect(result.violations).toEqual([])
    expect(result.acknowledged).toBe(result.ordered)
  }, 240_000)
})

describe('clients that die with an answer on its way', () => {
  test('leave every message either shown, handed over while they died, or unread for the next', async () => {
    const result = await runDelivery({
      place,
      seed: 7,
      messages: 400,
      senders: { library: 2, mcp: 0 },
      readers: { library: 0, mcp: 2 },
      durability: 'process',
      server: SERVER,
      killEveryMs: [40, 160],
      killClients: true,
      kills: 4,
      timeoutMs: 200_000,
    })
    expect(result.violations).toEqual([])
    expect(result.acknowledged).toBe(result.ordered)
  }, 240_000)
})
