import fs from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { shortHash } from '../../src/core/hash.ts'
import { LIMITS } from '../../src/core/limits.ts'
import { processTag } from '../../src/system/process.ts'
import { anActivity, aSession } from '../contract/records.ts'
import { deadTag, filesIn, freshPlace, livingTag } from './place.ts'

const place = freshPlace()
afterEach(() => void vi.restoreAllMocks())

const lockOf = (tag: string, ageMs = 0) => `${tag} ${Date.now() - ageMs} 0`
const ticketFor = (text: string) => `a~${shortHash(text)}`

describe('a session’s lock', () => {
  it('of a killed process is taken over at once', async () => {
    const store = place.open()
    place.write(lockOf(await deadTag()), 'locks', 'a')
    // Else it would be refused after a second: STORE_BUSY.
    await store.sessions.change('a', () => ({ session: aSession('a') }))
    expect((await store.sessions.read('a'))?.session.id).toBe('a')
    expect(filesIn(place.at('locks'))).toEqual([])
  })

  it('of a killed process is taken over also by one that was kept from the processor for longer than it would wait', async () => {
    const store = place.open()
    place.write(lockOf(await deadTag()), 'locks', 'a')
    let laterS = process.uptime()
    vi.spyOn(process, 'uptime').mockImplementation(() => {
      laterS += (2 * LIMITS.lockWaitMs) / 1_000
      return laterS
    })
    await store.sessions.change('a', () => ({ session: aSession('a') }))
    expect((await store.sessions.read('a'))?.session.id).toBe('a')
  })

  it('of a killed process is taken over too where its clearer was killed with the ticket in its hands', async () => {
    const store = place.open()
    const text = lockOf(await deadTag())
    place.write(text, 'locks', 'a')
    place.write(lockOf(await deadTag()), 'locks', ticketFor(text))
    await store.sessions.change('a', () => ({ session: aSession('a') }))
    expect(filesIn(place.at('locks'))).toEqual([])
  })

  it('of a living process means STORE_BUSY after about a second, and nothing is changed', async () => {
    const store = place.open()
    await store.sessions.change('a', () => ({ session: aSession('a') }))
    const { tag, kill } = await livingTag()
    const text = lockOf(tag, 3_600_000)
    place.write(text, 'locks', 'a')
    const startedMs = performance.now()
    const decided: unknown[] = []
    const refused = store.sessions.change('a', (current) => {
      decided.push(current)
      return { session: aSession('a', { statusSeq: 9 }) }
    })
    await expect(refused).rejects.toMatchObject({ code: 'STORE_BUSY' })
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(LIMITS.lockWaitMs)
    expect(decided).toEqual([])
    expect((await store.sessions.read('a'))?.session.statusSeq).toBe(1)
    expect(fs.readFileSync(place.at('locks', 'a'), 'utf8')).toBe(text)
    await store.sessions.change('b', () => ({ session: aSession('b') }))
    await kill()
    expect((await store.sessions.change('a', () => undefined))?.session.statusSeq).toBe(1)
  })

  it('of a living process holds up many changes of one process for a second, not for a second each', async () => {
    const store = place.open()
    place.write(lockOf((await livingTag()).tag), 'locks', 'a')
    // A clock that only pauses move: what they add up to is what the changes waited for.
    let pausedMs = 0
    const startedS = process.uptime()
    vi.spyOn(process, 'uptime').mockImplementation(() => startedS + pausedMs / 1_000)
    const pauses = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((done: () => void, ms: number) => {
      pausedMs += ms
      setImmediate(done)
    }) as typeof setTimeout)
    const changes = Array.from({ length: 4 }, () => store.sessions.change('a', () => ({ session: aSession('a') })))
    for (const result of await Promise.allSettled(changes))
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'STORE_BUSY' } })
    expect(pauses).toHaveBeenCalled()
    expect(pausedMs).toBeGreaterThan(LIMITS.lockWaitMs)
    expect(pausedMs).toBeLessThan(1.5 * LIMITS.lockWaitMs)
  })

  it('of a process that cannot be checked is left alone while it is young, and taken over when it is old', async () => {
    const store = place.open()
    const elsewhere = processTag({ pid: 7, start: '1', node: 'elsewhere' })
    place.write(lockOf(elsewhere), 'locks', 'a')
    const young = store.sessions.change('a', () => ({ session: aSession('a') }))
    await expect(young).rejects.toMatchObject({ code: 'STORE_BUSY' })
    place.write(lockOf(elsewhere, 60_000), 'locks', 'a')
    await store.sessions.change('a', () => ({ session: aSession('a') }))
  })

  it('C066 of a pid that now belongs to an unrelated program is stale', async () => {
    const store = place.open()
    const { tag } = await livingTag()
    const [pid, , ...rest] = tag.split('.')
    place.write(lockOf([pid, '1', ...rest].join('.')), 'locks', 'a')
    await store.sessions.change('a', () => ({ session: aSession('a') }))
    expect((await store.sessions.read('a'))?.session.id).toBe('a')
  })

  it('is cleared by one of many, and their changes all count', async () => {
    place.write(lockOf(await deadTag()), 'locks', 'a')
    const stores = Array.from({ length: 5 }, () => place.open())
    place.write(lockOf(await deadTag()), 'locks', 'a')
    await Promise.all(
      stores.flatMap((store) =>
        [1, 2, 3].map(() =>
          store.sessions.change('a', (current) => ({
            session: aSession('a', { statusSeq: (current?.session.statusSeq ?? 0) + 1 }),
            activity: anActivity('a'),
          })),
        ),
      ),
    )
    expect((await place.open().sessions.read('a'))?.session.statusSeq).toBe(15)
    expect(filesIn(place.at('locks'))).toEqual([])
  })

  it('is no part of reading', async () => {
    const store = place.open()
    await store.sessions.change('a', () => ({ session: aSession('a') }))
    place.write(lockOf((await livingTag()).tag), 'locks', 'a')
    expect((await store.sessions.read('a'))?.session.id).toBe('a')
    expect((await store.sessions.list()).entries).toHaveLength(1)
  })
})

describe('tidying', () => {
  it('removes what dead processes left in tmp/ and locks/, keeps what the living are writing, and counts', async () => {
    const store = place.open()
    const [dead, { tag: alive }] = [await deadTag(), await livingTag()]
    const elsewhere = processTag({ pid: 7, start: '1', node: 'elsewhere' })
    for (const owner of [dead, alive, elsewhere]) place.write('x', 'tmp', `${owner}~0~0`)
    const old = new Date(Date.now() - 2 * 3_600_000)
    fs.utimesSync(place.write('x', 'tmp', `${elsewhere}~0~1`), old, old)
    fs.utimesSync(place.write('x', 'tmp', 'a-file-nobody-made'), old, old)
    fs.utimesSync(place.write(lockOf(dead), 'locks', 'old'), old, old)
    fs.mkdirSync(place.at('tmp', 'folder'))
    fs.utimesSync(place.at('tmp', 'folder'), old, old)
    expect(await store.tidy()).toBe(4)
    expect(filesIn(place.at('tmp'))).toEqual([`${alive}~0~0`, `${elsewhere}~0~0`].sort())
    expect(filesIn(place.at('locks'))).toEqual([])
    expect(fs.existsSync(place.at('tmp', 'folder'))).toBe(true)
  })
})
