/** From a send through one server until another server shows the message, both over MCP. */

import { type Benchmark, interleave } from './harness.ts'
import { makePlace } from './place.ts'
import { endServers, type Read, type Side, serverOf } from './servers.ts'

const ROUNDS = 300

export const sendSeen: Benchmark = {
  name: 'send-seen',
  async run() {
    const place = makePlace('seen')
    const pair = async (side: Side) => {
      const receiver = await serverOf(side, place.directory, 'receiver')
      return { receiver, sender: await serverOf(side, place.directory, 'sender') }
    }
    const pairs = { floor: await pair('floor'), ours: await pair('ours') }
    const sendAndSee = (side: Side) => async (round: number) => {
      const { sender, receiver } = pairs[side]
      const content = `${side} ${round}: the build is green, you can start`
      await sender.call('send_message', { to: ['receiver'], content })
      for (;;) {
        const { messages } = await receiver.call<Read>('read_inbox')
        if (messages.some((message) => message.content === content)) return
      }
    }
    try {
      const taken = await interleave({ rounds: ROUNDS, floor: sendAndSee('floor'), ours: sendAndSee('ours') })
      return [
        {
          name: 'send until seen by another server',
          unit: 'ms',
          against: 'the naive layout',
          ...taken,
          bar: { of: 'ratio', atMost: 1.5 },
        },
      ]
    } finally {
      await endServers(Object.values(pairs).flatMap((each) => [each.sender, each.receiver]))
    }
  },
}
