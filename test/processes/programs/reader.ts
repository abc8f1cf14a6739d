/** Takes from one inbox until it is killed, and notes what it was shown before it hands over, and that it has handed over. */

import { readBody } from '../lab/body.ts'
import { nowMicros, openJournal, type ShownMessage } from '../lab/journal.ts'
import { pause } from '../lab/until.ts'
import { isTolerated, speakerOf, type WorkerOrder } from './speaker.ts'

export interface ReaderOrder extends WorkerOrder {
  readonly journal: string
}

const order = JSON.parse(process.argv[2] ?? '{}') as ReaderOrder
const journal = openJournal(order.journal)
const speaker = await speakerOf(order)
for (;;) {
  try {
    journal.write({ k: 'asked', at: nowMicros() })
    const { answer, handedOver } = await speaker.take()
    if (answer.partial !== undefined) wrong(`an answer was partial: ${JSON.stringify(answer.partial)}`)
    const messages = answer.messages.map(({ id, content, redelivered }): ShownMessage => {
      const body = readBody(content)
      if (body === undefined) wrong(`the body of ${id} is not whole: ${content.slice(0, 80)}`)
      return [id, redelivered === true, body?.sender ?? -1, body?.n ?? -1]
    })
    journal.write({ k: 'shown', at: nowMicros(), messages })
    await handedOver?.()
    if (handedOver !== undefined) journal.write({ k: 'done', at: nowMicros(), ids: messages.map(([id]) => id) })
    if (messages.length === 0) await pause(2)
  } catch (fault) {
    if (!isTolerated(order, fault)) wrong(`read: ${String(fault)}`)
    await pause(1)
  }
}

function wrong(what: string): void {
  journal.write({ k: 'wrong', at: nowMicros(), what })
}
