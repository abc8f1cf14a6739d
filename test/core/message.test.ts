import { describe, expect, it } from 'vitest'
import { createMessageClock, decodeMessage, isMessageId, messageId } from '../../src/core/message.ts'
import { aMessage } from '../contract/records.ts'

const NOW = 1_796_040_000_000_000

describe('the id of a message', () => {
  it('sorts by time, for the next centuries', () => {
    const times = [0, 1, NOW, NOW + 1, NOW * 2, Number.MAX_SAFE_INTEGER]
    const ids = times.map((t, n) => messageId(t, `${9 - n}`.repeat(8)))
    expect([...ids].sort()).toEqual(ids)
    for (const id of ids) expect(isMessageId(id), id).toBe(true)
  })

  it.each([
    '',
    'msg-',
    'msg-0-0',
    '../msg-00000000000-00000000',
    'msg-00000000000-0000000A',
    'MSG-00000000000-00000000',
  ])('C146 is not %j', (text) => {
    expect(isMessageId(text)).toBe(false)
  })
})

describe('the clock of a process’s messages', () => {
  it('only ever grows, also within one microsecond and when the wall clock is set back', () => {
    const clock = createMessageClock()
    const given = [NOW, NOW, NOW - 5_000_000, NOW + 0.7, NOW + 3].map((now) => clock.next(now))
    expect(new Set(given).size).toBe(5)
    expect([...given].sort((a, b) => a - b)).toEqual(given)
  })

  it('never falls behind a message it saw, unless that one comes from a clock that is wrong', () => {
    const clock = createMessageClock()
    clock.saw(NOW + 30_000_000, NOW)
    expect(clock.next(NOW)).toBeGreaterThan(NOW + 30_000_000)
    clock.saw(NOW + 3_600_000_000, NOW)
    expect(clock.next(NOW)).toBeLessThan(NOW + 60_000_000)
  })
})

describe('reading a message', () => {
  it('keeps what it does not know, and fills what an older or newer version left out', () => {
    const whole = { ...aMessage('b', 1), mood: 'calm' }
    expect(decodeMessage(JSON.parse(JSON.stringify(whole)))).toEqual(whole)
    const { id, to, sentAt, content } = whole
    expect(decodeMessage({ id, to, sentAt, content, from: { id: 'a' }, intent: 'shout', hops: 'many' })).toMatchObject({
      from: { id: 'a', name: 'a', verified: false },
      intent: 'inform',
      priority: 'normal',
      activate: 'auto',
      hops: 0,
      t: Date.parse(sentAt) * 1000,
    })
  })

  it.each([
    null,
    [],
    'text',
    {},
    { ...aMessage('b', 1), content: 7 },
    { ...aMessage('b', 1), from: 'a' },
    { ...aMessage('b', 1), from: {} },
    { ...aMessage('b', 1), sentAt: 'yesterday' },
  ])('refuses what is none: %#', (raw) => {
    expect(() => decodeMessage(raw)).toThrow(/not an object|field \w+ is not/)
  })
})
