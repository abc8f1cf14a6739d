import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { WaitAnswer } from '../../src/lib.ts'
import { makePlace, type Place } from './lab/place.ts'
import { endAll, groupOf, isRunning } from './lab/processes.ts'
import { type Remote, startRemote } from './lab/remote.ts'
import { startSession } from './lab/server.ts'
import { until } from './lab/until.ts'
import { isEarly, LONG_WAIT } from './lab/waits.ts'
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
  const answer = waiter.ask<WaitAnswer>('wait', { timeout: LONG_WAIT, ...input })
  await until('the wait begins', () => JSON.parse(fs.readFileSync(file, 'utf8')).waitingFor.length > 0)
  return { answer }
}

describe('waits that would never end', () => {
  test('of two that start opposite waits at once, hundreds of times, at least one is refused each time', async () => {
    const result = await runWaits({ home: place.home, rounds: 300, enoughMs: 60_000, seed: 300, circle: 2 })
    expect(result.violations).toEqual([])
    expect(result.refusedOne + result.refusedMore).toBeGreaterThanOrEqual(20)
  }, 300_000)

  test('of three that wait for each other in a circle, dozens of times, at least one is refused each time', async () => {
    const result = await runWaits({ home: place.home, rounds: 40, enoughMs: 60_000, seed: 60, circle: 3 })
    expect(result.violations).toEqual([])
  }, 300_000)

  test('C086: nobody waits for itself, and the wait of a client that was killed holds up nobody', async () => {
    const [a, b] = [await startSession(place.home, 'a'), await startSession(place.home, 'b')]
    const waits = (who: typeof a, sessions: string[], timeout = LONG_WAIT) =>
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
    a.call('wait_for_sessions', { sessions: ['b'], timeout: LONG_WAIT }).catch(() => undefined)
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

/** Events that the kernel keeps for one watcher. */
const QUEUE = (() => {
  try {
    return Number(fs.readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'))
  } catch {
    return 16_384
  }
})()

describe('waits whose file events are lost', () => {
  test('C090: a waiter that gets no event at all still learns of a change, and of mail, long before its time is up', async () => {
    const [waiter, worker] = [await join('waiter', { deaf: true }), await join('worker')]
    const changed = await startWait(waiter, 'waiter', { sessions: ['worker'], until: ['paused'] })
    await worker.ask('update', { status: 'paused' })
    const status = await changed.answer
    expect(status).toMatchObject({ done: true, reason: 'reached' })
    expect(isEarly(status)).toBe(true)
    const mailed = await startWait(waiter, 'waiter', { sessions: ['worker'], until: ['blocked'], orMessage: true })
    await worker.ask('send', { to: ['waiter'], content: 'wake up' })
    const mail = await mailed.answer
    expect(mail).toMatchObject({ done: true, reason: 'message' })
    expect(isEarly(mail)).toBe(true)
  })

  test('a change made while the kernel dropped events behind a blocked waiter is seen', async () => {
    const [waiter, worker] = [await join('waiter'), await join('worker')]
    const changed = await startWait(waiter, 'waiter', { sessions: ['worker'], until: ['paused'] })
    const go = path.join(place.directory, 'go')
    const isBlocked = path.join(place.directory, 'blocked')
    const blocked = waiter.ask('block', { say: isBlocked, until: go })
    await until('it is blocked', () => fs.existsSync(isBlocked))
    const [a, b] = ['waiter', 'worker'].map((id) => path.join(place.home, 'sessions', `${id}.json`))
    for (let n = 0; n < QUEUE + 4_000; n++) fs.utimesSync((n % 2 === 0 ? a : b) ?? '', n, n)
    await worker.ask('update', { status: 'paused' })
    fs.writeFileSync(go, '')
    await blocked
    const answer = await changed.answer
    expect(answer).toMatchObject({ done: true, reason: 'reached' })
    expect(isEarly(answer)).toBe(true)
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
    await worker.ask('update', { status: 'paused' })
    const answer = await changed.answer
    expect(answer).toMatchObject({ done: true, reason: 'reached' })
    expect(isEarly(answer)).toBe(true)
  })

  test('C092: the first message ever, made together with its folder, is noticed by a waiter', async () => {
    const [waiter, worker] = [await join('waiter'), await join('worker')]
    const waited = await startWait(waiter, 'waiter', { sessions: ['worker'], orMessage: true })
    expect(fs.existsSync(path.join(place.home, 'inboxes', 'waiter'))).toBe(false)
    await worker.ask('send', { to: ['waiter'], content: 'first' })
    const mail = await waited.answer
    expect(mail).toMatchObject({ done: true, reason: 'message', unread: 1 })
    expect(isEarly(mail)).toBe(true)
  })
})
