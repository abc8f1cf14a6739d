import { describe, expect, it } from 'vitest'
import type { ActivityState } from '../../src/core/activity.ts'
import { LIMITS } from '../../src/core/limits.ts'
import { countWakes, planWake, type WakeQuestion } from '../../src/core/wake.ts'
import { anActivity, aSession } from '../contract/records.ts'
import { createWorld, MINUTE_MS, only } from './world.ts'

const WITH_DOOR = { kind: 'test', hostKey: 'b', doors: ['test', 'other'] }

function question(over: Partial<WakeQuestion> = {}): WakeQuestion {
  return {
    activate: 'auto',
    intent: 'inform',
    hops: 0,
    recipient: aSession('b', { host: WITH_DOOR }),
    activity: anActivity('b'),
    observed: 'idle',
    recentWakesMs: [],
    wokenSoFar: 0,
    ...over,
  }
}

describe('the plan of a wake', () => {
  const asleep = (wakeable: boolean) => aSession('b', { host: WITH_DOOR, wakeable })
  const doorless = aSession('b')
  const full = Array.from({ length: LIMITS.wakesPerPair }, (_, n) => n)
  const cases: [string, Partial<WakeQuestion>, string][] = [
    ['never touches nothing', { activate: 'never' }, 'none'],
    ['an ack never wakes', { intent: 'ack' }, 'none'],
    ['an ack never wakes, even with always', { intent: 'ack', activate: 'always' }, 'none'],
    ['never wins over everything', { activate: 'never', observed: 'working', recentWakesMs: full }, 'none'],
    ['who asked not to be woken is not', { recipient: asleep(false) }, 'unavailable'],
    [
      'who asked not to be woken is not, even with always',
      { recipient: asleep(false), activate: 'always' },
      'unavailable',
    ],
    ['who works is told within its turn', { observed: 'working' }, 'deferred'],
    ['who works and has no door as well', { observed: 'working', recipient: doorless }, 'deferred'],
    ['who has no door is only written to', { recipient: doorless }, 'unavailable'],
    ['who has no door is only written to, with always too', { recipient: doorless, activate: 'always' }, 'unavailable'],
    ['a chain of 9 replies has used up its hops', { hops: 9 }, 'budget'],
    ['a pair with 6 wakes has used them up', { recentWakesMs: full }, 'budget'],
    ['always does not lift the budget', { recentWakesMs: full, activate: 'always' }, 'budget'],
    ['nobody is there to be woken', { observed: 'ended' }, 'unavailable'],
    ['a sixth member of one send is not woken', { wokenSoFar: 5 }, 'budget'],
  ]
  it.each(cases)('C022 %s', (_, over, outcome) => {
    const { touch, answer } = planWake(question(over))
    expect({ touch, outcome: answer.outcome }).toEqual({ touch: false, outcome })
    expect(answer.evidence).not.toBe('')
    expect(answer.door).toBeUndefined()
  })

  it.each<[ActivityState, WakeQuestion['activate']]>([
    ['idle', 'auto'],
    ['unknown', 'auto'],
    ['needs_input', 'auto'],
    ['working', 'always'],
    ['idle', 'always'],
  ])('C103 %s with %s touches the best door, and claims nothing it has not seen', (observed, activate) => {
    expect(planWake(question({ observed, activate }))).toEqual({
      touch: true,
      answer: { outcome: 'unknown', door: 'test', evidence: expect.stringContaining('no turn has been seen') },
    })
  })

  it('goes up to the last of each budget', () => {
    const last = { hops: LIMITS.wakeHops, recentWakesMs: full.slice(1), wokenSoFar: LIMITS.wakesPerSend - 1 }
    expect(planWake(question(last)).touch).toBe(true)
  })
})

describe('the count of wakes', () => {
  it('keeps what lies in the window, drops the rest, and adds one for each that is woken', () => {
    const now = 100 * MINUTE_MS
    const before = { b: [now - 11 * MINUTE_MS, now - MINUTE_MS], c: [now - 11 * MINUTE_MS], constructor: [now] }
    const next = countWakes(before, ['b', 'toString'], now)
    expect({ ...next }).toEqual({ b: [now - MINUTE_MS, now], constructor: [now], toString: [now] })
  })

  it('does not count for ever what a wrong clock put into the future', () => {
    expect({ ...countWakes({ b: [11 * MINUTE_MS] }, [], 0) }).toEqual({})
  })
})

describe('waking through the bus', () => {
  it('touches the wake file of each idle recipient after its message is there, and of nobody else', async () => {
    const world = createWorld()
    const a = await world.session('a')
    const b = await world.session('b', { doors: ['test'] })
    await world.session('no-door')
    const { to } = await a.send(['b', 'no-door', 'human'], 'hello')
    expect(to.map(({ wake }) => wake.outcome)).toEqual(['unknown', 'unavailable', 'none'])
    expect(world.wakes).toEqual([b.id])
    await a.send('b', 'quietly', { activate: 'never' })
    await a.send('b', 'thanks', { intent: 'ack', activate: 'always' })
    expect(world.wakes).toEqual([b.id])
    expect((await b.read()).messages).toHaveLength(3)
  })

  it('C105 two that answer each other stop waking after six, and the messages are still stored', async () => {
    const world = createWorld()
    const a = await world.session('a', { doors: ['test'] })
    const b = await world.session('b', { doors: ['test'] })
    const outcomes: string[] = []
    const evidence: string[] = []
    await a.send('b', 'seed')
    for (let n = 0; n < 20; n++) {
      const answerer = n % 2 === 0 ? b : a
      const got = only((await answerer.read()).messages)
      const sent = await answerer.send(undefined, 'ok', { replyTo: got.id })
      outcomes.push(only(sent.to).wake.outcome)
      evidence.push(only(sent.to).wake.evidence)
    }
    // Each side wakes the other at most six times, and a chain ends after eight hops, whichever comes first.
    expect(outcomes.indexOf('budget')).toBe(LIMITS.wakeHops)
    expect(outcomes.slice(LIMITS.wakeHops)).toEqual(Array(20 - LIMITS.wakeHops).fill('budget'))
    expect(evidence.at(-1)).toContain('stored only')
    expect(world.wakes).toHaveLength(1 + LIMITS.wakeHops)
    expect((await a.read()).messages.length + (await b.read()).messages.length).toBe(1)
  })

  it('C105 without replyTo the pair budget ends it, and ten minutes later it is there again', async () => {
    const world = createWorld()
    const a = await world.session('a')
    const b = await world.session('b', { doors: ['test'] })
    for (let n = 0; n < 10; n++) await a.send('b', 'ping')
    expect(world.wakes).toHaveLength(LIMITS.wakesPerPair)
    const c = await world.session('c')
    await c.send('b', 'another sender has a budget of its own')
    expect(world.wakes).toHaveLength(LIMITS.wakesPerPair + 1)
    await world.clock.advance(LIMITS.wakeWindowMs)
    expect(only((await a.send('b', 'later')).to).wake.outcome).toBe('unknown')
    expect((await b.read()).messages).toHaveLength(12)
  })

  it('one send to a group wakes at most five', async () => {
    const world = createWorld()
    const a = await world.session('a')
    for (let n = 0; n < 8; n++) await world.session(`m${n}`, { doors: ['test'], more: { groupId: 'g' } })
    const { to } = await a.send('group:g', 'all hands')
    expect(to.filter(({ wake }) => wake.outcome === 'unknown')).toHaveLength(LIMITS.wakesPerSend)
    expect(to.filter(({ wake }) => wake.outcome === 'budget')).toHaveLength(3)
    expect(world.wakes).toHaveLength(LIMITS.wakesPerSend)
  })

  it('a wake file that cannot be touched is no failed send: the message is stored, and the answer says so', async () => {
    const world = createWorld({
      store: (inner) => ({
        ...inner,
        hosts: {
          ...inner.hosts,
          async touchWake() {
            throw new Error('EROFS')
          },
        },
      }),
    })
    const a = await world.session('a')
    const b = await world.session('b', { doors: ['test'] })
    const delivery = only((await a.send('b', 'hello')).to)
    expect(delivery).toMatchObject({
      stored: true,
      wake: { outcome: 'unavailable', evidence: expect.stringContaining('EROFS') },
    })
    expect((await b.read()).messages).toHaveLength(1)
  })
})
