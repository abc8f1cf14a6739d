/** core/ports.ts as executable text: what every driver of Store does, whatever it is made of. */

import { describe } from 'vitest'
import type { Store } from '../../src/core/ports.ts'
import { describeActions } from './actions.ts'
import { describeInbox } from './inbox.ts'
import { describeMarks } from './marks.ts'
import { describeSessions } from './sessions.ts'

export interface Opened {
  readonly store: Store
  /** A second handle on the same data: for a driver that can, one that shares nothing else with the first. */
  another(): Promise<Store>
  close(): Promise<void>
}

export type Open = (options?: { readonly inboxLimit?: number }) => Promise<Opened>

export function describeStore(name: string, open: Open): void {
  describe(`the store contract, ${name}`, () => {
    describeSessions(open)
    describeInbox(open)
    describeMarks(open)
    describeActions(open)
  })
}
