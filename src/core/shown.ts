/** What the context of a session has been shown; see ports.ts. */

import type { Shown } from './ports-hosts.ts'

export const NOTHING_SHOWN: Shown = { sessions: {}, messages: [], pressed: [], holds: 0 }

/** Only what is still unread is worth remembering. */
export function forgetRead(shown: Shown, unread: ReadonlySet<string>): Shown {
  const still = (ids: readonly string[]) => ids.filter((id) => unread.has(id))
  return { ...shown, messages: still(shown.messages), pressed: still(shown.pressed) }
}
