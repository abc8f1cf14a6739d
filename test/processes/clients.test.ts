import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { InboxAnswer, SendAnswer, SessionView, UpdateAnswer, WaitAnswer } from '../../src/lib.ts'
import { makePlace, type Place } from './lab/place.ts'
import { endAll, groupOf, isRunning, usageOf } from './lab/processes.ts'
import { startClient, startSession } from './lab/server.ts'
import { pause, until } from './lab/until.ts'
import { isEarly, LONG_WAIT, LONG_WAIT_MS } from './lab/waits.ts'

let place: Place
beforeEach(() => {
  place = makePlace('clients')
})
afterEach(() => {
  endAll()
  place.remove()
})

/** Until the wait of `id` is written down, so that what follows meets it in flight. */
function waitIsOn(home: string, id: string): Promise<true> {
  const file = path.join(home, 'activity', `${id}.json`)
  return until('the wait begins', () => JSON.parse(fs.readFileSync(file, 'utf8')).waitingFor.length > 0)
}

describe('who is gone, and who is not', () => {
  test('C060: when a client is killed, whoever waits for it learns that it is gone, long before its wait is over', async () => {
    const [worker, waiter] = [await startSession(place.home, 'worker'), await startSession(place.home, 'waiter')]
    await waiter.call('watch_session', { sessions: ['worker'] })
    const waited = waiter.call<WaitAnswer>('wait_for_sessions', { sessions: ['worker'], timeout: LONG_WAIT })
    await waitIsOn(place.home, waiter.id)
    worker.kill()
    const answer = await waited
    expect(answer).toMatchObject({ done: true, reason: 'reached', sessions: [{ id: worker.id, finished: 'ended' }] })
    expect(isEarly(answer)).toBe(true)
    const seen = await waiter.call<SessionView & { news?: { changes?: string[] } }>('query_session', {
      session: 'worker',
    })
    expect(seen).toMatchObject({ activity: 'ended', finished: 'ended', status: 'active' })
    expect(seen.evidence).toMatch(/gone/)
  })

  test('when only its server is killed, the session stays live, and its next server goes on with it', async () => {
    const [worker, waiter] = [await startSession(place.home, 'worker'), await startSession(place.home, 'waiter')]
    await worker.ask('signal', { signal: 'SIGKILL' })
    const waited = await waiter.call<WaitAnswer>('wait_for_sessions', { sessions: ['worker'], timeout: '2s' })
    const seen = await waiter.call<SessionView>('query_session', { session: 'worker' })
    expect(waited).toMatchObject({ done: false, reason: 'timeout', pending: ['worker'] })
    expect(seen.finished).toBeUndefined()
    expect(seen.activity).not.toBe('ended')

    await worker.startServer()
    const again = await worker.call<UpdateAnswer>('update_session', { sessionId: worker.id, progress: 'back' })
    const sent = await waiter.call<SendAnswer>('send_message', { to: ['worker'], content: 'still there?' })
    const { messages } = await worker.call<InboxAnswer>('read_inbox', { sessionId: worker.id })
    expect(again).toMatchObject({ id: worker.id, registered: false })
    expect(messages.map(({ id }) => id)).toEqual([sent.messageId])
  })

  test('C047: a second client that takes an id that is in use is refused, drains nothing, and the owner is told', async () => {
    const [owner, sender] = [await startClient(place.home), await startSession(place.home, 'sender')]
    await owner.startServer()
    await owner.call('update_session', { sessionId: 'A', task: 'first', projectPath: '/project' })
    await sender.call('send_message', { to: ['A'], content: 'for the owner' })
    const fork = await startClient(place.home)
    await fork.startServer()
    const update = fork.call('update_session', {
      sessionId: 'A',
      task: 'second',
      projectPath: '/project',
      status: 'blocked',
    })
    await expect(update).rejects.toMatchObject({ code: 'SESSION_IN_USE' })
    const looked = await fork.call<InboxAnswer>('read_inbox', { sessionId: 'A' })
    expect(looked.peek).toBe(true)

    const { messages, news } = await owner.call<InboxAnswer & { news?: { notices?: string[] } }>('read_inbox', {
      sessionId: 'A',
    })
    expect(messages).toMatchObject([{ content: 'for the owner' }])
    expect(news?.notices?.join()).toMatch(/refused/)
    expect(await sender.call('query_session', { session: 'A' })).toMatchObject({ task: 'first', status: 'active' })
  })

  test('C201: of two servers of one client the one that registered last acts; the abandoned one is refused and takes nothing', async () => {
    const [client, sender] = [await startClient(place.home), await startSession(place.home, 'sender')]
    await client.startServer({ server: 'old' })
    await client.startServer({ server: 'new' })
    await client.call('update_session', { sessionId: 'A', task: 'works', projectPath: '/project' }, 'old')
    const taken = await client.call<UpdateAnswer>('update_session', { sessionId: 'A', progress: 'reconnected' }, 'new')
    expect(taken.notices?.join()).toMatch(/step back/)
    await sender.call('send_message', { to: ['A'], content: 'once' })

    const old = client.call('read_inbox', { sessionId: 'A' }, 'old')
    const both = await Promise.allSettled([old, client.call<InboxAnswer>('read_inbox', { sessionId: 'A' }, 'new')])
    expect(both[0]).toMatchObject({ status: 'rejected', reason: { code: 'SESSION_IN_USE' } })
    expect(both[1]).toMatchObject({ status: 'fulfilled', value: { messages: [{ content: 'once' }] } })
    expect(await sender.call('query_session', { session: 'A' })).toMatchObject({
      status: 'active',
      progress: 'reconnected',
    })
  })
})

describe('however a client ends, with a wait in flight, nothing stays behind', () => {
  const ends = {
    'its end of the input is closed': (client) => client.ask('endInput', {}),
    'SIGINT to the server': (client) => client.ask('signal', { signal: 'SIGINT' }),
    'SIGTERM to the server': (client) => client.ask('signal', { signal: 'SIGTERM' }),
    'SIGHUP to the server': (client) => client.ask('signal', { signal: 'SIGHUP' }),
    'kill -9 of the client': async (client) => client.kill('SIGKILL'),
  } as const satisfies Record<string, (client: Awaited<ReturnType<typeof startSession>>) => Promise<unknown>>

  test.each(Object.entries(ends))('C199: %s', async (_, end) => {
    const other = await startSession(place.home, 'other')
    const client = await startSession(place.home, 'waiter')
    const wait = { sessions: ['other'], timeout: LONG_WAIT, orMessage: true }
    client.call('wait_for_sessions', wait).catch(() => undefined)
    await waitIsOn(place.home, client.id)
    const [server] = groupOf(client.pid).filter((pid) => pid !== client.pid)
    expect(server).toBeDefined()
    await end(client)
    // Well before the wait would let it go.
    await until('the server is gone', () => server !== undefined && !isRunning(server), LONG_WAIT_MS / 2)
    client.kill()
    await until('its group is empty', () => groupOf(client.pid).length === 0)
    // The wait of the dead holds up nobody.
    const answer = other.call<WaitAnswer>('wait_for_sessions', { sessions: ['waiter'], timeout: LONG_WAIT })
    expect(await answer).toMatchObject({ done: true, sessions: [{ finished: 'ended' }] })
  })

  test('C199: a server whose reader vanished idles without using the processor, and ends with its next answer', async () => {
    const client = await startSession(place.home, 'alone')
    const [server = 0] = groupOf(client.pid).filter((pid) => pid !== client.pid)
    await client.ask('closeOutput', {})
    // One second after the other, since what it had begun before may still be at work in the first: one that spins has none.
    await until('a second of rest', async () => {
      const before = usageOf(server).cpuTicks
      await pause(1_000)
      return usageOf(server).cpuTicks - before <= 2
    })
    await client.ask('write', { line: '{"jsonrpc":"2.0","id":7,"method":"ping"}' })
    await until('the server is gone', () => !isRunning(server))
  })
})
