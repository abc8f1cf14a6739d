import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createClock, systemClock } from '../../src/system/clock.ts'
import { systemRandom } from '../../src/system/random.ts'

const DAY_MS = 86_400_000

describe('the microsecond clock', () => {
  it('is the wall clock, in whole microseconds', () => {
    // Up to 2 ms beside it: that is how far it may drift before it follows.
    const before = Date.now() - 3
    const micros = systemClock.micros()
    expect(micros / 1_000).toBeGreaterThanOrEqual(before)
    expect(micros / 1_000).toBeLessThanOrEqual(Date.now() + 3)
    expect(Number.isSafeInteger(micros)).toBe(true)
  })

  it('moves between two milliseconds', () => {
    let steadyMs = 10
    const clock = createClock(
      () => 5_000,
      () => steadyMs,
    )
    expect(clock.micros()).toBe(5_000_000)
    steadyMs = 10.25
    expect(clock.micros()).toBe(5_000_250)
  })

  it('follows the wall clock when that is set, in both directions, and ignores less than 2 ms', () => {
    let wallMs = 5_000
    const clock = createClock(
      () => wallMs,
      () => 10,
    )
    expect(clock.micros()).toBe(5_000_000)
    wallMs = 5_002
    expect(clock.micros()).toBe(5_000_000)
    wallMs = 90_000
    expect(clock.micros()).toBe(90_000_000)
    wallMs = 1_000
    expect(clock.micros()).toBe(1_000_000)
    expect(clock.now()).toBe(1_000)
  })
})

describe('a timer', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('fires once after its delay, and not at all when cancelled', () => {
    const fired = vi.fn()
    systemClock.after(100, fired)
    systemClock.after(100, () => expect.unreachable())()
    vi.advanceTimersByTime(99)
    expect(fired).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1_000)
    expect(fired).toHaveBeenCalledTimes(1)
  })

  it('of 60 days does not fire early, and can be cancelled on the way', () => {
    const fired = vi.fn()
    systemClock.after(60 * DAY_MS, fired)
    const cancel = systemClock.after(60 * DAY_MS, () => expect.unreachable())
    vi.advanceTimersByTime(59 * DAY_MS)
    expect(fired).not.toHaveBeenCalled()
    cancel()
    vi.advanceTimersByTime(DAY_MS)
    expect(fired).toHaveBeenCalledTimes(1)
  })

  it('keeps the process alive until it fires', () => {
    vi.useRealTimers()
    const armed = vi.spyOn(globalThis, 'setTimeout')
    const cancel = systemClock.after(60_000, () => {})
    expect(armed.mock.results.map(({ value }) => value.hasRef())).toEqual([true])
    armed.mockRestore()
    cancel()
  })
})

describe('a token', () => {
  it('has the length that was asked for, of characters every file system takes', () => {
    for (const length of [1, 8, 64]) expect(systemRandom.token(length)).toMatch(new RegExp(`^[0-9a-z]{${length}}$`))
  })

  it('does not repeat', () => {
    const tokens = new Set(Array.from({ length: 2_000 }, () => systemRandom.token(8)))
    expect(tokens.size).toBe(2_000)
  })
})
