/** Word that the set of open sessions is another one, for those who show a list of them. */

import type { Context } from './context.ts'
import type { Entry } from './ports.ts'
import { isClosed } from './session.ts'

export interface RosterWatch {
  close(): void
}

/** Changes within this time are told as one, ms. */
const GATHER_MS = 1_000

/**
 * Calls `changed` when a session came, was closed, was opened again or went, at most once per second; never for what else
 * changes in one. Resolves once it knows who is there now: whoever lists afterwards misses nothing.
 */
export async function onRosterChange(context: Context, changed: () => void): Promise<RosterWatch> {
  const { store, clock } = context
  let known = new Set<string>()
  /** Ids to look at; undefined = all. */
  let hinted: Set<string> | undefined = new Set()
  let cancel: (() => void) | undefined
  /** One look at a time: of two at once the slower would bring back what the other has seen change. */
  let isLooking = false
  /** A hint came during the look. */
  let isDue = false
  let isClosing = false

  const isOpen = (entry: Entry | undefined) => entry !== undefined && !isClosed(entry.session)
  const openNow = async () => new Set((await context.live()).entries.filter(isOpen).map(({ session }) => session.id))
  const schedule = () => {
    if (isLooking) isDue = true
    if (isClosing || isLooking || cancel !== undefined) return
    cancel = clock.after(GATHER_MS, () => {
      cancel = undefined
      isLooking = true
      look()
        .catch(() => {
          hinted = undefined // what could not be read is looked at again with the next hint
        })
        .finally(() => {
          isLooking = false
          if (isDue) schedule()
          isDue = false
        })
    })
  }

  async function look(): Promise<void> {
    const ids = hinted
    hinted = new Set()
    const next = ids === undefined ? await openNow() : new Set(known)
    for (const id of ids ?? []) {
      if (isOpen(await context.find(id))) next.add(id)
      else next.delete(id)
    }
    const isSame = next.size === known.size && [...next].every((id) => known.has(id))
    known = next
    if (!isSame && !isClosing) changed()
  }

  const watch = store.sessions.watch((id) => {
    if (id === undefined) hinted = undefined
    else hinted?.add(id)
    schedule()
  })
  try {
    known = await openNow()
  } catch (fault) {
    watch.close()
    throw fault
  }
  return {
    close() {
      isClosing = true
      cancel?.()
      watch.close()
    },
  }
}
