/** Randomness that can be repeated: a run is named by its seed. */

export interface Dice {
  /** 0 <= n < 1 */
  next(): number
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number
  pick<T>(items: readonly T[]): T | undefined
}

/** mulberry32: small, and good enough to choose victims. */
export function dice(seed: number): Dice {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    pick: (items) => items[Math.floor(next() * items.length)],
  }
}
