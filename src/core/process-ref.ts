/** A process that can be told from a later one with the same pid. Fields that are missing could not be learnt. */
export interface ProcessRef {
  readonly pid: number
  /** When the process started, in the system's own unit; compared as text only. */
  readonly start?: string
  /** This run of the kernel. */
  readonly boot?: string
  /** The pid namespace. */
  readonly ns?: string
  /** The machine. */
  readonly node?: string
}

export function sameProcess(a: ProcessRef, b: ProcessRef): boolean {
  return a.pid === b.pid && a.start === b.start && a.boot === b.boot && a.ns === b.ns && a.node === b.node
}

/** `unknown` is an answer: it is never rounded to alive or gone. */
export type Life = 'alive' | 'gone' | 'unknown'
