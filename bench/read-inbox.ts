/** Reading ten unread messages costs what is unread, not what was ever read. */

import fs from 'node:fs'
import path from 'node:path'
import type { OpenedBus } from '../src/lib.ts'
import { type Benchmark, interleave } from './harness.ts'
import { join, makePlace, openIn, type Speaker } from './place.ts'

const ROUNDS = 150
const UNREAD = 10
const READ = 100_000

export const readInbox: Benchmark = {
  name: 'read-inbox',
  async run(say) {
    const place = makePlace('inbox')
    const opened = await openIn(place, { durability: 'process' })
    const from = await join(opened, 'sender')
    const fresh = await join(opened, 'fresh')
    const old = await join(opened, 'old')
    say(`writing ${READ} read messages`)
    await fillRead(opened, from, old)
    const taken = await interleave({
      rounds: ROUNDS,
      prepare: (side) => sendTen(opened, from, side === 'floor' ? fresh : old),
      floor: () => readTen(opened, fresh),
      ours: () => readTen(opened, old),
    })
    opened.close()
    return [
      {
        name: `read ${UNREAD} unread beside ${READ} read`,
        unit: 'ms',
        against: 'the same beside none',
        ...taken,
        bar: { of: 'ratio', atMost: 1.5 },
      },
    ]
  },
}

async function sendTen({ bus }: OpenedBus, from: Speaker, to: Speaker): Promise<void> {
  for (let n = 0; n < UNREAD; n++) await bus.send(from.caller, { to: [to.id], content: `message ${n}` })
}

async function readTen({ bus }: OpenedBus, reader: Speaker): Promise<void> {
  const { answer, handedOver } = await bus.read(reader.caller, {})
  await handedOver()
  if (answer.messages.length !== UNREAD) throw new Error(`read ${answer.messages.length} of ${UNREAD}`)
}

/** Copies of one message that was sent and read, under ids of their own. */
async function fillRead(opened: OpenedBus, from: Speaker, to: Speaker): Promise<void> {
  await sendTen(opened, from, to)
  await readTen(opened, to)
  const folder = path.join(opened.home, 'inboxes', to.id, 'read')
  const [name = ''] = fs.readdirSync(folder)
  const message = JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')) as { id: string; t: number }
  for (let n = 0; n < READ; n++) {
    const t = message.t - 60_000_000 - n
    const id = `msg-${t.toString(36).padStart(11, '0')}-${n.toString(36).padStart(8, '0')}`
    fs.writeFileSync(path.join(folder, `${id}.json`), JSON.stringify({ ...message, id, t }), { mode: 0o600 })
  }
}
