import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { WaitAnswer } from '../../src/lib.ts'
import { makePlace, type Place } from './lab/place.ts'
import { endAll, groupOf, isRunning } from './lab/processes.ts'
import { type Remote, startRemote } from './lab/remote.ts'
import { startSession } from './lab/server.ts'
import { until } from './lab/until.ts'
import type { LibraryOptions } from './programs/library.ts'
import { runWaits } from './scenarios/waits.ts'

let place: Place
beforeEach(() => {
  place = makePlace('waits')
})
afterEach(() => {
  endAll()
  place.remove()
})

async function join(id: string, options: LibraryOptions = {}): Promise<Remote> {
  const order = JSON.stringify({ durability: 'process', ...options })
  const remote = await startRemote('library', { args: [place.home, order] })
  await remote.ask('join', { id })
  return remote
}

/** Starts to wait, and goes on once the wait is written down. */
async function startWait(waiter: Remote, id: string, input: object) {
  const file = path.join(place.home, 'activity', `${id}.json`)
  const startedMs = performance.now()
  const answer = waiter.ask<WaitAnswer>('wait', { timeout: '20s', ...input })
  await until('the wait begins', () => JSON.parse(fs.readFileSync(file, 'utf8')).waitingFor.length > 0)
  return { answer, startedMs }
}

/** The answer, and how long after `cause` it came. */
async function timeFrom(cause: () => Promise<unknown>, answer: Promise<WaitAnswer>) {
  await cause()
  const startedMs = performance.now()
  return { answer: await answer, tookMs: performance.now() - startedMs }
}

describe('waits that would never end', () => {
  test('of two that start opposite waits at once, 300 times, at least one is refused each time', async () => {
    const result = await runWaits({ home: place.home, rounds: 300, seed: 300, circle: 2 })
    expect(result.violations).toEqual([])
    expect(result.refusedOne + result.refusedMore).toBe(300)
  }, 60_000)

  test('of three that wait for each other in a circle, 40 times, at least one is refused each time', async () => {
    const result = await runWaits({ home: place.home, rounds: 40, seed: 60, circle: 3 })
    expect(result.violations).toEqual([])
  }, 60_000)

  test('C086: nobody waits for itself, and the wait of a client that was killed holds up nobody', async () => {
    const [a, b] = [await startSession(place.home, 'a'), await startSession(place.home, 'b')]
    const waits = (who: typeof a, sessions: string[], timeout = '20s') =>
      who.call<WaitAnswer>('wait_for_sessions', { sessions, timeout })
    await expect(waits(a, ['me'])).rejects.toMatchObject({ code: 'WAIT_CYCLE' })
    const gone = waits(a, ['b']).catch(() => 'killed')
    await until(
      'a waits',
      async () => (await b.call<WaitView>('query_session', { session: 'a' })).waitingFor.length > 0,
    )
    await expect(waits(b, ['a'])).rejects.toMatchObject({ code: 'WAIT_CYCLE' })
    a.kill()
    expect(await gone).toBe('killed')
    expect(await waits(b, ['a'])).toMatchObject({ done: true, sessions: [{ finished: 'ended' }] })
  })

  test('C086: nor does the wait of a server that was killed while its client lives', async () => {
    const [a, b] = [await startSession(place.home, 'a'), await startSession(place.home, 'b')]
    a.call('wait_for_sessions', { sessions: ['b'], timeout: '20s' }).catch(() => undefined)
    await until(
      'a waits',
      async () => (await b.call<WaitView>('query_session', { session: 'a' })).waitingFor.length > 0,
    )
    const [server = 0] = groupOf(a.pid).filter((pid) => pid !== a.pid)
    process.kill(server, 'SIGKILL')
    await until('it is dead', () => !isRunning(server))
    const answer = await b.call<WaitAnswer>('wait_for_sessions', { sessions: ['a'], timeout: '1s' })
    expect(answer).toMatchObject({ done: false, reason: 'timeout', pending: ['a'] })
  })
})

interface WaitView {
  readonly waitingFor: readonly string[]
}

describe('waits whose file events are lost', () => {
  test('C090: a waiter that gets no event at all still learns of a change, and of mail, within 2 s', async () => {
    const [waiter, worker] = [await join('waiter', { deaf: true }), await join('worker')]
    const changed = await startWait(waiter, 'waiter', { sessions: ['worker'], until: ['paused'] })
    const status = await timeFrom(() => worker.ask('update', { status: 'paused' }), changed.answer)
    expect(status.answer).toMatchObject({ done: true, reason: 'reached' })
    expect(status.tookMs).toBeLessThan(2_000)
    const mailed = await startWait(waiter, 'waiter', { sessions: ['worker'], until: ['blocked'], orMessage: true })
    const mail = await timeFrom(() => worker.ask('send', { to: ['waiter'], content: 'wake up' }), mailed.answer)
    expect(mail.answer).toMatchObject({ done: true, reason: 'message' })
    expect(mail.tookMs).toBeLessThan(2_000)
  })

  test('a change made while the kernel dropped events behind a blocked waiter is seen', async () => {
    const [waiter, worker] = [await join('waiter'), await join('worker')]
    const changed = await startWait(waiter, 'waiter', { sessions: ['worker'], until: ['paused'] })
    const blocked = waiter.ask('block', 1_000)
    const [a, b] = ['waiter', 'worker'].map((id) => path.join(place.home, 'sessions', `${id}.json`))
    for (let n = 0; n < 20_000; n++) fs.utimesSync((n % 2 === 0 ? a : b) ?? '', n, n) // more than the queue of 16 384
    const { answer } = await timeFrom(() => worker.ask('update', { status: 'paused' }), changed.answer)
    await blocked
    expect(answer).toMatchObject({ done: true, reason: 'reached' })
  })

  test('a change in directories that were replaced under the waiter is seen', async () => {
    const [waiter, worker] = [await join('waiter'), await join('worker')]
    const changed = await startWait(waiter, 'waiter', { sessions: ['worker'], until: ['paused'] })
    for (const name of ['sessions', 'activity']) {
      const directory = path.join(place.home, name)
      fs.cpSync(directory, `${directory}.new`, { recursive: true })
      fs.renameSync(directory, `${directory}.old`)
      fs.renameSync(`${directory}.new`, directory)
    }
    const { answer, tookMs } = await timeFrom(() => worker.ask('update', { status: 'paused' }), changed.answer)
    expect(answer).toMatchObject({ done: true, reason: 'reached' })
    expect(tookMs).toBeLessThan(3_000)
  })

  test('C092: the first message ever, made together with its folder, is noticed by a waiter', async () => {
    const [waiter, worker] = [await join('waiter'), await join('worker')]
    const waited = await startWait(waiter, 'waiter', { sessions: ['worker'], orMessage: true })
    expect(fs.existsSync(path.join(place.home, 'inboxes', 'waiter'))).toBe(false)
    const mail = await timeFrom(() => worker.ask('send', { to: ['waiter'], content: 'first' }), waited.answer)
    expect(mail.answer).toMatchObject({ done: true, reason: 'message', unread: 1 })
    expect(mail.tookMs).toBeLessThan(2_000)
  })
})
