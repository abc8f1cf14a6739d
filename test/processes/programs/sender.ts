/** Sends the messages `from` .. `to` of its sender's number, and notes each acknowledgement. Killed at any time. */

import { bodyOf } from '../lab/body.ts'
import { nowMicros, openJournal } from '../lab/journal.ts'
import { pause } from '../lab/until.ts'
import { isTolerated, speakerOf, type WorkerOrder } from './speaker.ts'

export interface SenderOrder extends WorkerOrder {
  readonly sender: number
  readonly inbox: string
  readonly from: number
  readonly to: number
  readonly journal: string
  readonly bodyBytes: number
}

const order = JSON.parse(process.argv[2] ?? '{}') as SenderOrder
const journal = openJournal(order.journal)
const speaker = await speakerOf(order)
for (let n = order.from; n < order.to; ) {
  try {
    const { messageId } = await speaker.send(order.inbox, bodyOf(order.sender, n, order.bodyBytes))
    journal.write({ k: 'ack', at: nowMicros(), id: messageId, n })
    n += 1
  } catch (fault) {
    if (isTolerated(order, fault)) {
      await pause(1)
      continue
    }
    journal.write({ k: 'wrong', at: nowMicros(), what: `send ${n}: ${String(fault)}` })
    process.exit(1)
  }
}
process.exit(0)
