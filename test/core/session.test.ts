import { describe, expect, it } from 'vitest'
import { decodeActivity } from '../../src/core/activity.ts'
import { BusError, refusal } from '../../src/core/errors.ts'
import { LIMITS } from '../../src/core/limits.ts'
import { decodeSession, revise } from '../../src/core/session.ts'
import { anActivity, aSession, NOON } from '../contract/records.ts'

const LATER = '2026-11-30T13:00:00.000Z'

describe('reading a record', () => {
  it('gives back what was written, with the fields of a newer version', () => {
    const session = { ...aSession('a', { name: 'x', closedAt: NOON }), phase: { deep: [1] } }
    expect(decodeSession(JSON.parse(JSON.stringify(session)))).toEqual(session)
    const activity = { ...anActivity('a'), mood: 'calm' }
    expect(decodeActivity(JSON.parse(JSON.stringify(activity)))).toEqual(activity)
  })

  it('fills what an older version left out', () => {
    const { id, task, projectPath, status, createdAt, updatedAt, ttl } = aSession('a')
    expect(decodeSession({ id, task, projectPath, status, createdAt, updatedAt, ttl, host: {} })).toEqual(aSession('a'))
    expect(decodeActivity({ id, state: 'idle', since: NOON, lastSeenAt: NOON })).toMatchObject({
      waitingFor: [],
      trail: [],
      activitySeq: 1,
    })
  })

  it.each([null, [], 'x', {}, { ...aSession('a'), task: 1 }, { ...aSession('a'), host: null }])(
    'refuses what is none: %#',
    (raw) => {
      expect(() => decodeSession(raw)).toThrow(/not an object|is not text/)
    },
  )
})

describe('a revision', () => {
  it('counts up, stamps the time, and remembers a state only when it changed', () => {
    const one = revise(aSession('a'), aSession('a', { progress: 'x' }), LATER)
    expect(one).toMatchObject({ statusSeq: 2, updatedAt: LATER, trail: [] })
    const two = revise(one, { ...one, status: 'blocked' }, LATER)
    expect(two.trail).toEqual([{ seq: 3, state: 'blocked' }])
    const three = revise(two, { ...two, status: 'completed', closedAt: LATER }, LATER)
    expect(three.trail.at(-1)).toEqual({ seq: 4, state: 'closed' })
  })

  it('remembers a bounded number of states', () => {
    let session = aSession('a')
    for (let n = 0; n < 100; n++) session = revise(session, { ...session, status: n % 2 ? 'active' : 'paused' }, LATER)
    expect(session.trail).toHaveLength(LIMITS.trail)
    expect(session.trail.at(-1)?.seq).toBe(101)
  })
})

describe('a refusal', () => {
  it('says what was asked, what is true, and what to do', () => {
    expect(refusal(new BusError('BAD_ID', 'message', 'hint'))).toEqual({
      ok: false,
      error: { code: 'BAD_ID', message: 'message', hint: 'hint' },
    })
  })

  it.each([new TypeError('x is not a function'), 'text', undefined])(
    'of a fault nobody foresaw has no stack: %#',
    (fault) => {
      const { error } = refusal(fault)
      expect(error.code).toBe('INTERNAL')
      expect(error.message + error.hint).not.toMatch(/\n|\.ts:\d/)
    },
  )
})
