/** What a view that is drawn again and again gets: everyone at once, and mail only where it asked. */

import type { SessionRow } from './answers.ts'
import type { Skipped } from './ports.ts'

export interface Sight extends Omit<SessionRow, 'unread' | 'oldestUnreadSeconds'> {
  /** When the activity began, where that was observed. */
  readonly since?: string
  /** Ids of the sessions it waits for at this moment. */
  readonly waitingFor: readonly string[]
  /** Absent where nobody asked for the inbox, or it could not be read: that is not the same as empty. */
  readonly unread?: number
  readonly oldestUnreadSeconds?: number
}

export interface GlanceAnswer {
  /** All that match, in no order. */
  readonly sessions: readonly Sight[]
  readonly partial?: readonly Skipped[]
}
