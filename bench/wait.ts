/** How soon a waiter in one process learns of a status change made in another. */

import { startRemote } from '../test/processes/lab/remote.ts'
import { type Benchmark, summarize } from './harness.ts'
import { join, makePlace, openIn } from './place.ts'

const ROUNDS = 120

export const waitNotice: Benchmark = {
  name: 'wait',
  async run() {
    const place = makePlace('wait')
    const opened = await openIn(place)
    const worker = await startRemote('library', { args: [opened.home] })
    try {
      const waiter = await join(opened, 'waiter')
      const id = await worker.ask<string>('join', { name: 'worker' })
      const taken: number[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const status = round % 2 === 0 ? 'paused' : 'active'
        const waited = opened.bus.wait(waiter.caller, { sessions: [id], until: [status], timeout: '10s' })
        // Somewhere within the time that the wait itself lets pass between two looks.
        await new Promise((resolve) => setTimeout(resolve, 20 + ((round * 37) % 100)))
        const startedMs = performance.now()
        await Promise.all([
          worker.ask('update', { status }),
          waited.then(() => taken.push(performance.now() - startedMs)),
        ])
      }
      return [
        {
          name: 'status change until the waiter returns',
          unit: 'ms',
          ours: summarize(taken),
          bar: { of: 'p99', atMost: 100 },
          note: 'the change itself included',
        },
      ]
    } finally {
      worker.kill()
      await worker.ended
      opened.close()
      place.remove()
    }
  },
}
