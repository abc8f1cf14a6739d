/** Seeing on disk that a session waits, so that what it waits for happens while the wait is really open. */
import type { Conversation } from './conversation.ts'
import type { Place } from './place.ts'
import { until } from './until.ts'

/** Resolves when somebody on the bus waits, or when the answer to the waiter's step `turn` is already there. */
export async function untilWaiting(place: Place, waiter: Conversation, turn: number): Promise<void> {
  let over = false
  const end = () => {
    over = true
  }
  waiter.reached(turn + 1).then(end, end)
  await until('somebody waits', async () => {
    const waits = Object.values(await place.files('activity')).map(({ waitingFor }) => waitingFor)
    return over || waits.some((edges) => Array.isArray(edges) && edges.length > 0)
  })
}
