import { describe, expect, it } from 'vitest'
import { parseTtl, storedTtl } from '../../src/core/ttl.ts'
import { DAY_MS, HOUR_MS } from './world.ts'

describe('a duration', () => {
  it.each([
    ['1s', 1_000],
    ['300s', 300_000],
    ['30m', 1_800_000],
    ['4h', 4 * HOUR_MS],
    ['7d', 7 * DAY_MS],
    ['14400', 4 * HOUR_MS],
    ['1', 1_000],
    ['007s', 7_000],
    ['9999999s', 9_999_999_000],
    ['3650d', 3650 * DAY_MS],
  ])('C077 %j is %d ms', (text, ms) => {
    expect(parseTtl(text)).toBe(ms)
    expect(storedTtl(text, 1)).toBe(ms)
  })

  it.each([
    ...['0', '0s', '0d', '3651d', '9999999d', '87601h'].map((text) => [text, 'is outside 1s to 3650d'] as const),
    ...['', ' ', 's', 'h4', '4 h', ' 4h', '4h ', '4H', '4hours', '4w', '4ms', '1.5h', '1e3', '-4h', '+4h', '0x10']
      .concat(['12345678s', '４h', '4h\n', '1h30m', 'Infinity', 'NaN', 'never', 'null', '__proto__'])
      .map((text) => [text, 'is not a duration'] as const),
  ])('%j is refused with examples, and a record that holds it falls back instead of expiring', (text, why) => {
    expect(() => parseTtl(text)).toThrow(
      expect.objectContaining({
        code: 'BAD_TTL',
        message: expect.stringContaining(why),
        hint: expect.stringContaining('4h'),
      }),
    )
    expect(storedTtl(text, 42)).toBe(42)
  })

  it('names the parameter that is wrong', () => {
    expect(() => parseTtl('soon', 'timeout')).toThrow(/^timeout "soon"/)
  })
})
