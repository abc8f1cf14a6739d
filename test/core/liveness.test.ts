import { describe, expect, it } from 'vitest'
import { observe } from '../../src/core/activity.ts'
import { LIMITS } from '../../src/core/limits.ts'
import { expiresAtMs, finished, isExpired, lastSignMs, observed } from '../../src/core/liveness.ts'
import type { Entry, Life } from '../../src/core/ports.ts'
import { anActivity, aSession, NOON } from '../contract/records.ts'
import { createWorld, DAY_MS, HOUR_MS, MINUTE_MS } from './world.ts'

const NOON_MS = Date.parse(NOON)
const at = (offsetMs: number) => new Date(NOON_MS + offsetMs).toISOString()
const CLIENT = { kind: 'test', hostKey: 'a', doors: [], client: { pid: 7 } }
const TTL_MS = 4 * HOUR_MS

function entry(session: Partial<Entry['session']> = {}, activity: Partial<NonNullable<Entry['activity']>> = {}): Entry {
  return {
    session: aSession('a', { host: CLIENT, ...session }),
    activity: anActivity('a', { state: 'working', ...activity }),
  }
}

describe('what can be said of a session now', () => {
  const says = (e: Entry, life: Life, nowMs = NOON_MS) => {
    const seen = observed(e, () => life, nowMs)
    return [seen.state, finished(e, seen)]
  }
  const quiet = NOON_MS + LIMITS.quietMs + 1

  it.each<[string, Entry, Life, number, string, string | undefined]>([
    ['works while its client lives', entry(), 'alive', NOON_MS, 'working', undefined],
    [
      'C062 works on while a living client is silent for hours',
      entry(),
      'alive',
      NOON_MS + 9 * HOUR_MS,
      'working',
      undefined,
    ],
    ['C060 has ended when its client is gone, whatever it said', entry(), 'gone', NOON_MS, 'ended', 'ended'],
    ['has ended when its host said so', entry({}, { state: 'ended' }), 'alive', NOON_MS, 'ended', 'ended'],
    [
      'C062 is believed for ten minutes where its client cannot be checked',
      entry(),
      'unknown',
      quiet - 1,
      'working',
      undefined,
    ],
    ['C062 is unknown after that, not ended', entry(), 'unknown', quiet, 'unknown', undefined],
    [
      'is unknown where nothing was observed',
      { session: aSession('a'), activity: undefined },
      'unknown',
      NOON_MS,
      'unknown',
      undefined,
    ],
    [
      'is closed whatever its client does',
      entry({ closedAt: NOON, status: 'completed' }),
      'alive',
      NOON_MS,
      'working',
      'closed',
    ],
    ['is closed, not ended, when its client is gone', entry({ closedAt: NOON }), 'gone', NOON_MS, 'ended', 'closed'],
  ])('%s', (_, e, life, nowMs, state, done) => {
    expect(says(e, life, nowMs)).toEqual([state, done])
    expect(observed(e, () => life, nowMs).evidence).not.toBe('')
  })

  it('no client on record cannot be checked, and is never asked about', () => {
    const e: Entry = { session: aSession('a'), activity: anActivity('a', { state: 'idle' }) }
    const check = (): Life => {
      throw new Error('nothing to check')
    }
    expect(observed(e, check, NOON_MS)).toMatchObject({ state: 'idle', life: 'unknown' })
  })
})

describe('the last sign of life', () => {
  it('C075 is the latest of the recorded times', () => {
    expect(lastSignMs(entry({ updatedAt: at(-5) }, { lastSeenAt: at(-3) }), NOON_MS)).toBe(NOON_MS - 3)
    expect(lastSignMs(entry({ updatedAt: at(-2), closedAt: at(-1) }, { lastSeenAt: at(-3) }), NOON_MS)).toBe(
      NOON_MS - 1,
    )
    expect(lastSignMs({ session: aSession('a', { updatedAt: at(-9) }), activity: undefined }, NOON_MS)).toBe(
      NOON_MS - 9,
    )
  })

  it('C071 in the future counts as now, but a little skew is what it says', () => {
    expect(lastSignMs(entry({ updatedAt: at(DAY_MS) }), NOON_MS)).toBe(NOON_MS)
    expect(lastSignMs(entry({ updatedAt: at(1_000) }), NOON_MS)).toBe(NOON_MS + 1_000)
  })

  it('that cannot be read is no sign', () => {
    expect(lastSignMs(entry({ updatedAt: 'yesterday' }, { lastSeenAt: '' }), NOON_MS)).toBe(0)
  })
})

describe('expiry', () => {
  const expired = (e: Entry, life: Life, afterMs: number) => isExpired(e, () => life, NOON_MS + afterMs, TTL_MS)

  it.each<[string, Entry, Life, boolean]>([
    ['a session whose client is gone expires its ttl after its last sign', entry(), 'gone', true],
    ['so does one that cannot be checked', entry(), 'unknown', true],
    ['a provably living one never does', entry(), 'alive', false],
    ['a closed one does, though its client lives', entry({ closedAt: NOON }), 'alive', true],
  ])('%s', (_, e, life, after) => {
    expect(expired(e, life, TTL_MS - 1)).toBe(false)
    expect(expired(e, life, TTL_MS)).toBe(after)
    expect(expired(e, life, 400 * DAY_MS)).toBe(after)
  })

  it('C077 of 30 days is 30 days away, and a ttl that cannot be read is the default', () => {
    expect(expiresAtMs(entry({ closedAt: NOON, ttl: '30d' }), NOON_MS, TTL_MS)).toBe(NOON_MS + 30 * DAY_MS)
    expect(expiresAtMs(entry({ closedAt: NOON, ttl: 'soon' }), NOON_MS, TTL_MS)).toBe(NOON_MS + TTL_MS)
  })

  it('C071 of one that was closed in the future counts from now', () => {
    const e = entry({ closedAt: at(DAY_MS) })
    expect(expiresAtMs(e, NOON_MS, TTL_MS)).toBe(NOON_MS + TTL_MS)
  })

  it('C075 goes by the closing, not by what was touched after it', () => {
    const e = entry({ closedAt: at(-3 * HOUR_MS), updatedAt: at(0) }, { lastSeenAt: at(0) })
    expect(expiresAtMs(e, NOON_MS, TTL_MS)).toBe(NOON_MS + HOUR_MS)
  })
})

describe('activity', () => {
  it('the same state again is a sign of life, and no change', () => {
    const before = anActivity('a', { state: 'idle' })
    const after = observe(before, 'idle', 'hook Stop', at(5))
    expect(after).toEqual({ ...before, evidence: 'hook Stop', lastSeenAt: at(5) })
  })

  it('another state is a change that is remembered', () => {
    const after = observe(observe(anActivity('a'), 'working', 'hook', at(1)), 'idle', 'hook Stop', at(2))
    expect(after).toMatchObject({ state: 'idle', since: at(2), activitySeq: 3 })
    expect(after.trail).toEqual([
      { seq: 2, state: 'working' },
      { seq: 3, state: 'idle' },
    ])
  })
})

describe('on the bus', () => {
  it('C060 a session whose client was killed is shown ended, with the reason, and does not count as running', async () => {
    const world = createWorld()
    const a = await world.session('a')
    const b = await world.session('b')
    if (b.process === undefined) throw new Error('b has a client')
    world.kill(b.process)
    const { sessions } = await a.list()
    expect(sessions.find(({ name }) => name === 'b')).toMatchObject({
      activity: 'ended',
      finished: 'ended',
      status: 'active',
    })
    expect(sessions.find(({ name }) => name === 'a')?.finished).toBeUndefined()
    expect((await a.query('b')).evidence).toContain('is gone')
  })

  it('a killed server of a living client ends nothing', async () => {
    const world = createWorld()
    const a = await world.session('a')
    const b = await world.session('b')
    world.kill(b.server)
    expect((await a.query('b')).finished).toBeUndefined()
  })

  it('C073 an expired session is hidden from everyone at once, before any sweep', async () => {
    const world = createWorld({ defaultTtl: '1h' })
    const a = await world.session('a')
    const b = await world.session('b')
    if (b.process === undefined) throw new Error('b has a client')
    world.kill(b.process)
    await world.clock.advance(HOUR_MS - 1)
    expect((await a.list()).total).toBe(2)
    await world.clock.advance(1)
    expect((await a.list()).sessions.map(({ name }) => name)).toEqual(['a'])
    await expect(a.query('b')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    await expect(a.send('b', 'hello')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    await expect(a.watch('b')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    expect((await a.update({ name: 'b' })).name).toBe('b')
  })

  it('C064 a closed session is not reopened by signs of life, before or after its closing', async () => {
    const world = createWorld()
    const a = await world.session('a')
    await a.complete({ result: 'done' })
    const closed = await world.entry(a.id)
    await world.clock.advance(5 * MINUTE_MS)
    await a.list()
    await a.news()
    await expect(a.update({ progress: 'still here' })).rejects.toMatchObject({ code: 'SESSION_CLOSED' })
    expect(await world.entry(a.id)).toEqual(closed)
  })

  it('a sign of life is written at most every 30 seconds, and never as a change', async () => {
    const world = createWorld()
    const a = await world.session('a')
    const first = await world.entry(a.id)
    await world.clock.advance(LIMITS.beatMs - 1)
    await a.list()
    expect(await world.entry(a.id)).toBe(first)
    await world.clock.advance(1)
    await a.list()
    const after = await world.entry(a.id)
    expect(after.activity?.lastSeenAt).toBe(new Date(world.clock.now()).toISOString())
    expect(after.session).toBe(first.session)
    expect(after.activity?.activitySeq).toBe(first.activity?.activitySeq)
  })

  it('a store that cannot be written still answers questions', async () => {
    let readOnly = false
    const world = createWorld({
      store: (inner) => ({
        ...inner,
        sessions: {
          ...inner.sessions,
          change: async (id, decide) => {
            if (readOnly) throw new Error('EROFS')
            return inner.sessions.change(id, decide)
          },
        },
      }),
    })
    const a = await world.session('a')
    await world.clock.advance(HOUR_MS)
    readOnly = true
    expect((await a.list()).total).toBe(1)
    expect((await a.query('me')).id).toBe(a.id)
  })
})
