import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startSweeps } from '../../src/cli/sweeper.ts'
import type { SweepAnswer } from '../../src/core/answers.ts'

const nothing: SweepAnswer = {
  dryRun: false,
  sessions: [],
  messages: { unread: 0, read: 0 },
  inboxes: 0,
  leftovers: 0,
  kept: 0,
}
const log = { error: vi.fn(), warn: vi.fn(), info: vi.fn(), debug: vi.fn() }
const times = { firstMs: 4_000, everyMs: 300_000 }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.clearAllMocks()
})

it('sweeps a few seconds after the start and then every five to ten minutes', async () => {
  const sweep = vi.fn(async () => nothing)
  startSweeps({ sweep }, log, times, () => 0.999)
  await vi.advanceTimersByTimeAsync(3_900)
  expect(sweep).toHaveBeenCalledTimes(0)
  await vi.advanceTimersByTimeAsync(4_100)
  expect(sweep).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(600_000)
  expect(sweep).toHaveBeenCalledTimes(2)
  expect(log.info).not.toHaveBeenCalled()
})

it('goes on after a fault, which it only logs', async () => {
  const sweep = vi.fn<() => Promise<SweepAnswer>>().mockRejectedValueOnce(new Error('busy')).mockResolvedValue(nothing)
  startSweeps({ sweep }, log, times, () => 0)
  await vi.advanceTimersByTimeAsync(4_000 + 300_000)
  expect(sweep).toHaveBeenCalledTimes(2)
  expect(log.error).toHaveBeenCalledTimes(1)
})

it('says when mail went that nobody had read', async () => {
  const answer = { ...nothing, messages: { unread: 3, read: 1 } }
  startSweeps({ sweep: async () => answer }, log, times, () => 0)
  await vi.advanceTimersByTimeAsync(4_000)
  expect(log.warn).toHaveBeenCalledWith('sweep.unread', { sessions: 0, unread: 3, read: 1, leftovers: 0 })
})

it('stops, also while a sweep is running', async () => {
  let finish = () => {}
  const sweep = vi.fn(() => new Promise<SweepAnswer>((resolve) => (finish = () => resolve(nothing))))
  const stop = startSweeps({ sweep }, log, times, () => 0)
  await vi.advanceTimersByTimeAsync(4_000)
  stop()
  finish()
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(sweep).toHaveBeenCalledTimes(1)
})
