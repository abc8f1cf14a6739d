/** Measuring against a floor: the two take turns, so that whatever slows the machine slows both. Ratios count, not times. */

export interface Summary {
  readonly p50: number
  readonly p99: number
  readonly count: number
}

/** What must hold. `ratio` compares ours with the floor; `ours` is absolute, for sizes, limits and counts of faults. */
export interface Bar {
  readonly of: 'ratio' | 'p50' | 'p99'
  readonly atMost?: number
  readonly atLeast?: number
}

export type Unit = 'ms' | 'per s' | 'bytes' | 'MB' | 'ticks' | 'count'

export interface Row {
  readonly name: string
  readonly unit: Unit
  /** What the floor is, in a few words; absent where the bar is absolute. */
  readonly against?: string
  readonly floor?: Summary
  readonly ours: Summary
  /** Absent where a number is told and nothing is promised. */
  readonly bar?: Bar
  /** Facts beside the numbers: sizes, what the other side lost. */
  readonly note?: string
}

/** One benchmark: data and one function. */
export interface Benchmark {
  readonly name: string
  readonly run: (say: (line: string) => void) => Promise<readonly Row[]>
}

export function summarize(values: readonly number[]): Summary {
  const sorted = [...values].sort((a, b) => a - b)
  return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), count: sorted.length }
}

/** A number that was counted, not sampled. */
export function exactly(value: number): Summary {
  return { p50: value, p99: value, count: 1 }
}

function quantile(sorted: readonly number[], share: number): number {
  if (sorted.length === 0) return Number.NaN
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** Milliseconds that `work` takes. */
export async function timed(work: () => unknown): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}

export interface Turns {
  readonly rounds: number
  /** Rounds whose numbers are thrown away: code is compiled and directories are warm after them. */
  readonly warmUp?: number
  readonly floor: (round: number) => unknown
  readonly ours: (round: number) => unknown
  /** Before each of the two, outside the time taken. */
  readonly prepare?: (side: 'floor' | 'ours', round: number) => unknown
}

/** Times floor and ours by turns; who goes first alternates, so that neither always pays for the other's dirt. */
export async function interleave(turns: Turns): Promise<{ floor: Summary; ours: Summary }> {
  const { rounds, warmUp = Math.ceil(rounds / 10), prepare } = turns
  const taken = { floor: [] as number[], ours: [] as number[] }
  for (let round = 0; round < rounds + warmUp; round++) {
    for (const side of round % 2 === 0 ? (['floor', 'ours'] as const) : (['ours', 'floor'] as const)) {
      await prepare?.(side, round)
      const ms = await timed(() => turns[side](round))
      if (round >= warmUp) taken[side].push(ms)
    }
  }
  return { floor: summarize(taken.floor), ours: summarize(taken.ours) }
}

/** Ours divided by the floor, of the medians. */
export function ratioOf({ floor, ours }: Row): number | undefined {
  return floor === undefined ? undefined : ours.p50 / floor.p50
}

export function isMet(row: Row): boolean {
  if (row.bar === undefined) return true
  const { of, atMost = Number.POSITIVE_INFINITY, atLeast = Number.NEGATIVE_INFINITY } = row.bar
  const value = of === 'ratio' ? ratioOf(row) : row.ours[of]
  return value !== undefined && value <= atMost && value >= atLeast
}
