import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { InboxAnswer, ListAnswer, SendAnswer, SessionView, WaitAnswer } from '../../src/lib.ts'
import { AS_ANOTHER, FEW_HANDLES, noInotifyLimit, noMount, ONE_INOTIFY, testUnless } from './lab/limits.ts'
import { makePlace, mountPlace, type Place } from './lab/place.ts'
import { endAll, usageOf } from './lab/processes.ts'
import { startRemote } from './lab/remote.ts'
import { SERVER, startClient, startSession } from './lab/server.ts'
import { until } from './lab/until.ts'
import { isEarly, LONG_WAIT } from './lab/waits.ts'
import { fill, runFullDisk } from './scenarios/full-disk.ts'

let place: Place
beforeEach(() => {
  place = makePlace('shortage')
})
afterEach(() => {
  endAll()
  place.remove()
})

/** A place on a file system of its own, in the place of this test. */
function mounted(megabytes: number) {
  const made = mountPlace('shortage', megabytes)
  if (typeof made === 'string') throw new Error(made)
  place.remove()
  place = made
  return made
}

describe('a home that cannot be written', () => {
  testUnless(
    noMount,
    'C252: reads work, writes say which path and how to choose another, and all works again once it can',
    async () => {
      const disk = mounted(8)
      const [reader, sender] = [await startSession(disk.home, 'reader'), await startSession(disk.home, 'sender')]
      const sent = await sender.call<SendAnswer>('send_message', { to: ['reader'], content: 'before' })
      disk.remount('ro')

      const listed = await reader.call<ListAnswer>('list_sessions')
      const peeked = await reader.call<InboxAnswer>('read_inbox', { peek: true })
      expect(listed.sessions.map(({ name }) => name).sort()).toEqual(['reader', 'sender'])
      expect(peeked.messages.map(({ id }) => id)).toEqual([sent.messageId])
      const refused = { code: 'HOME_UNWRITABLE', message: expect.stringMatching(`${disk.home}.*SESSION_MCP_HOME`) }
      await expect(sender.call('update_session', { progress: 'x' })).rejects.toMatchObject(refused)
      await expect(sender.call('send_message', { to: ['reader'], content: 'during' })).rejects.toMatchObject(refused)
      await expect(reader.call('read_inbox')).rejects.toMatchObject(refused)

      // A server that starts now says the same.
      await sender.startServer({ server: 'late' })
      expect(await sender.call<ListAnswer>('list_sessions', {}, 'late')).toMatchObject({ total: 2 })
      const register = sender.call('update_session', { task: 'x', projectPath: '/project' }, 'late')
      await expect(register).rejects.toMatchObject(refused)

      disk.remount('rw')
      await sender.call('send_message', { to: ['reader'], content: 'after' })
      const { messages } = await reader.call<InboxAnswer>('read_inbox')
      expect(messages.map(({ content }) => content)).toEqual(['before', 'after'])
      expect(await sender.call('update_session', { progress: 'x' })).toMatchObject({ id: sender.id })
    },
  )

  testUnless(
    noMount,
    'a full disk is called one; nothing acknowledged is lost or torn, and all works again with space',
    async () => {
      const disk = mounted(2)
      const [reader, sender] = [await startSession(disk.home, 'reader'), await startSession(disk.home, 'sender')]
      const sent: string[] = []
      const refused: string[] = []
      for (let n = 0; n < 100; n++) {
        const content = `${n} ${'x'.repeat(60_000)}`
        await sender.call<SendAnswer>('send_message', { to: ['reader'], content }).then(
          ({ messageId }) => sent.push(messageId),
          ({ code }) => refused.push(code),
        )
      }
      expect(new Set(refused)).toEqual(new Set(['DISK_FULL']))
      const filler = path.join(disk.directory, 'filler')
      fill(filler)
      await expect(sender.call('update_session', { progress: 'x'.repeat(400) })).rejects.toMatchObject({
        code: 'DISK_FULL',
      })
      expect(await sender.call<ListAnswer>('list_sessions')).toMatchObject({ total: 2 })
      // A process that is still at work may have an empty folder of its own there.
      await until('no file is left', () => {
        const left = fs.readdirSync(path.join(disk.home, 'tmp'), { recursive: true, withFileTypes: true })
        return left.every((entry) => entry.isDirectory())
      })

      fs.unlinkSync(filler)
      const got: string[] = []
      for (let remaining = 1; remaining > 0; ) {
        const answer = await reader.call<InboxAnswer>('read_inbox')
        for (const { id, nextOffset } of answer.messages) {
          got.push(id)
          for (let offset = nextOffset; offset !== undefined; ) {
            const part = await reader.call<InboxAnswer>('read_inbox', { messageId: id, offset })
            offset = part.messages[0]?.nextOffset
          }
        }
        remaining = answer.remaining
      }
      expect(got).toEqual(sent)
      expect(await sender.call('update_session', { progress: 'x'.repeat(400) })).toMatchObject({ id: sender.id })
    },
  )
})

describe('a disk that is full half of the time', () => {
  testUnless(
    noMount,
    'loses nothing acknowledged, leaves nothing of what it refused, and shows nothing twice without saying so',
    async () => {
      const result = await runFullDisk({
        seed: 4,
        messages: 300,
        senders: { library: 3, mcp: 1 },
        readers: { library: 1, mcp: 1 },
        durability: 'process',
        server: SERVER,
        killEveryMs: [30, 120],
        // The disk fills up once in four turns, and a turn kills one at the most.
        kills: 8,
        timeoutMs: 200_000,
      })
      if (typeof result === 'string') throw new Error(result)
      expect(result.violations).toEqual([])
      expect(result.acknowledged).toBe(result.ordered)
      expect(result.timesFull).toBeGreaterThan(1)
    },
    240_000,
  )
})

describe('a system that runs out', () => {
  testUnless(noInotifyLimit, 'without inotify instances waits still end long before their time is up', async () => {
    const client = await startClient(place.home, { through: ONE_INOTIFY })
    await client.ask('holdWatch', place.directory) // the only instance there is
    const pids = new Map<string, number>()
    for (const server of ['waiter', 'worker']) {
      pids.set(server, await client.startServer({ server, flags: AS_ANOTHER }))
      await client.call('update_session', { sessionId: server, task: server, projectPath: '/project' }, server)
    }
    const wait = { sessions: ['worker'], until: ['paused'], timeout: LONG_WAIT }
    const waited = client.call<WaitAnswer>('wait_for_sessions', wait, 'waiter')
    await until('it waits', async () => (await waitsOf(client, 'waiter', 'worker')) > 0)
    expect(usageOf(pids.get('waiter') ?? 0).inotify).toBe(0)
    await client.call('update_session', { sessionId: 'worker', status: 'paused' }, 'worker')
    const answer = await waited
    expect(answer).toMatchObject({ done: true, reason: 'reached' })
    expect(isEarly(answer)).toBe(true)
  })

  testUnless(
    noInotifyLimit,
    'C096: with 64 file handles and one inotify instance, ten waits over a hundred sessions end, all of them',
    async () => {
      const maker = await startRemote('library', { args: [place.home, JSON.stringify({ durability: 'process' })] })
      for (let n = 0; n < 100; n++) await maker.ask('register', { name: `worker-${n}` })
      const client = await startClient(place.home, { through: ONE_INOTIFY })
      await client.ask('holdWatch', place.directory)
      const pid = await client.startServer({ through: FEW_HANDLES, flags: AS_ANOTHER })
      await client.call('update_session', { sessionId: 'waiter', task: 'waits', projectPath: '/project' })
      const idle = usageOf(pid).handles
      const sessions = Array.from({ length: 10 }, (_, n) => `worker-${n}`)
      const waits = sessions.map((name) =>
        client.call<WaitAnswer>('wait_for_sessions', { sessions: [name], until: ['paused'], timeout: LONG_WAIT }),
      )
      await until('ten waits', async () => (await waitsOf(client, 'waiter')) === 10)
      expect(await client.call<ListAnswer>('list_sessions')).toMatchObject({ total: 101 })
      // Whoever is seen in the middle of a look has a file open for a moment.
      await until('no handle for each', () => usageOf(pid).handles - idle <= 4)
      for (const name of sessions) await maker.ask('updateOf', { name, status: 'paused' })
      const answers = await Promise.all(waits)
      expect(answers.map(({ reason }) => reason)).toEqual(sessions.map(() => 'reached'))
    },
  )

  test('C096: a process without a free handle is told so, never that there is nothing, and goes on once there is one', async () => {
    const poor = await startRemote('library', { args: [place.home], through: FEW_HANDLES })
    const other = await startSession(place.home, 'other')
    await poor.ask('join', { id: 'poor' })
    await other.call('send_message', { to: ['poor'], content: 'hello' })
    expect(await poor.ask('exhaust')).toBe('EMFILE')
    const refused = { code: 'TOO_MANY_FILES' }
    await expect(poor.ask('take')).rejects.toMatchObject(refused)
    await expect(poor.ask('update', { progress: 'x' })).rejects.toMatchObject(refused)
    await expect(poor.ask('send', { to: ['other'], content: 'x' })).rejects.toMatchObject(refused)
    await expect(poor.ask('list', {})).rejects.toMatchObject(refused)
    await poor.ask('relieve')
    expect((await poor.ask<InboxAnswer>('take')).messages).toMatchObject([{ content: 'hello' }])
  })
})

/** How many waits of a session are in flight, seen by any server of the client. */
async function waitsOf(client: Awaited<ReturnType<typeof startClient>>, session: string, server?: string) {
  return (await client.call<SessionView>('query_session', { session }, server)).waitingFor.length
}
