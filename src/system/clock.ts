/** Time from the system. */

import type { Clock } from '../core/ports.ts'

/** How far the running count may be from the wall clock (ms). Above the 1 ms grain of `Date.now()`, far below a person's notice. */
const MAX_DRIFT_MS = 2
/** Node docs, setTimeout, read 2026-08: a delay above this becomes 1 ms. */
const MAX_DELAY_MS = 2 ** 31 - 1

/**
 * A clock on two sources, both in ms: `wall` may jump, `steady` only grows and has fractions.
 * `micros()` takes its fractions from `steady` and follows `wall` as soon as the two are more than 2 ms apart (a clock
 * that was set, a machine that slept), so it may step back: who needs an order keeps the last value.
 */
export function createClock(wall: () => number, steady: () => number, startMs = () => wall() - steady()): Clock {
  let anchorMs: number | undefined
  return {
    now: wall,
    steady,
    micros() {
      const wallMs = wall()
      const steadyMs = steady()
      anchorMs ??= startMs()
      if (Math.abs(anchorMs + steadyMs - wallMs) > MAX_DRIFT_MS) anchorMs = wallMs - steadyMs
      return Math.round((anchorMs + steadyMs) * 1_000)
    },
    after(ms, fn) {
      let timer: NodeJS.Timeout
      const arm = (leftMs: number) => {
        const stepMs = Math.min(leftMs, MAX_DELAY_MS)
        timer = setTimeout(() => (leftMs > stepMs ? arm(leftMs - stepMs) : fn()), stepMs)
      }
      arm(ms)
      return () => clearTimeout(timer)
    },
  }
}

/** Milliseconds from an arbitrary start, never jumping. Unlike `performance` it costs a hook nothing to load. */
export function steadyMs(): number {
  return process.uptime() * 1_000
}

/** The machine’s clock. */
export const systemClock: Clock = createClock(
  () => Date.now(),
  () => performance.now(),
  // Known to the microsecond, where Date.now() would anchor every process up to 1 ms off. Asked late: most hooks never do.
  () => performance.timeOrigin,
)
