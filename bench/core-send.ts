/** What the rules and records of a send cost beside the system calls no durable send can do without. */

import fs from 'node:fs'
import path from 'node:path'
import type { OpenedBus } from '../src/lib.ts'
import { type Benchmark, interleave, type Row } from './harness.ts'
import { join, makePlace, openIn } from './place.ts'

const BODY = 'The migration is through; please run the integration tests on your side. '.repeat(4)
const ROUNDS = { power: 500, process: 2_000 }

export const coreSend: Benchmark = {
  name: 'core-send',
  async run() {
    return [await measure('power', 1.6), await measure('process', 3)]
  },
}

async function measure(durability: 'power' | 'process', atMost: number): Promise<Row> {
  const place = makePlace('send')
  const opened = await openIn(place, { durability })
  const from = await join(opened, 'sender')
  const to = await join(opened, 'recipient')
  const floor = floorIn(path.join(place.directory, 'floor'), await sampleText(opened, from, to), durability)
  const taken = await interleave({
    rounds: ROUNDS[durability],
    floor,
    ours: () => opened.bus.send(from.caller, { to: [to.id], content: BODY }),
  })
  opened.close()
  return {
    name: `send, durability=${durability}`,
    unit: 'ms',
    against: durability === 'power' ? 'write, fsync, link, fsync directory, unlink' : 'write, link, unlink',
    ...taken,
    bar: { of: 'ratio', atMost },
  }
}

type Joined = Awaited<ReturnType<typeof join>>

/** The floor writes the very bytes a send writes. */
async function sampleText({ bus, home }: OpenedBus, from: Joined, to: Joined): Promise<string> {
  const { messageId } = await bus.send(from.caller, { to: [to.id], content: BODY })
  return fs.readFileSync(path.join(home, 'inboxes', to.id, `${messageId}.json`), 'utf8')
}

function floorIn(directory: string, text: string, durability: 'power' | 'process'): (round: number) => void {
  const [tmp, inbox] = [path.join(directory, 'tmp'), path.join(directory, 'inbox')]
  fs.mkdirSync(tmp, { recursive: true })
  fs.mkdirSync(inbox)
  return (round) => {
    const file = path.join(tmp, `${round}`)
    const fd = fs.openSync(file, 'wx', 0o600)
    fs.writeFileSync(fd, text)
    if (durability === 'power') fs.fsyncSync(fd)
    fs.closeSync(fd)
    fs.linkSync(file, path.join(inbox, `msg-${round}.json`))
    if (durability === 'power') {
      const directoryFd = fs.openSync(inbox, 'r')
      fs.fsyncSync(directoryFd)
      fs.closeSync(directoryFd)
    }
    fs.unlinkSync(file)
  }
}
