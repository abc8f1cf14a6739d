/** Seeing on disk that a session waits, so that what it waits for happens while the wait is really open. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Conversation } from './conversation.ts'
import type { Place } from './place.ts'

const patienceMs = 30_000

/** Resolves when somebody on the bus waits, or when the answer to the waiter's step `turn` is already there. */
export async function untilWaiting(place: Place, waiter: Conversation, turn: number): Promise<void> {
  const deadline = Date.now() + patienceMs
  let over = false
  const end = () => {
    over = true
  }
  waiter.reached(turn + 1).then(end, end)
  while (!over) {
    const waits = Object.values(await place.files('activity')).map(({ waitingFor }) => waitingFor)
    if (waits.some((edges) => Array.isArray(edges) && edges.length > 0)) return
    if (Date.now() > deadline) throw new Error(`nobody waits after ${patienceMs} ms`)
    await delay(50)
  }
}
