/** A watch on something of the bus. */
export interface Watch {
  /** `events`, or `polling` where the system refuses or cannot deliver events. */
  readonly mode: 'events' | 'polling'
  close(): void
}
