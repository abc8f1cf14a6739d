/** What a server costs while nothing happens: CPU over ten seconds, memory, inotify instances. */

import { usageOf } from '../test/processes/lab/processes.ts'
import { type Benchmark, exactly } from './harness.ts'
import { makePlace } from './place.ts'
import { endServers, serverOf } from './servers.ts'

const WATCHED_MS = 10_000
/** The first sweep comes 4 to 8 s after the start, the next minutes later: work that is due, not idling. */
const FIRST_SWEEP_MS = 9_000

export const idle: Benchmark = {
  name: 'idle',
  async run() {
    if (process.platform !== 'linux') return []
    const place = makePlace('idle')
    const link = await serverOf('ours', place.directory, 'idle')
    try {
      await link.call('list_sessions')
      await link.call('read_inbox')
      const called = usageOf(link.pid)
      await new Promise((resolve) => setTimeout(resolve, FIRST_SWEEP_MS))
      const before = usageOf(link.pid)
      await new Promise((resolve) => setTimeout(resolve, WATCHED_MS))
      const after = usageOf(link.pid)
      return [
        {
          name: 'idle server: CPU in 10 s',
          unit: 'ticks',
          ours: exactly(after.cpuTicks - before.cpuTicks),
          bar: { of: 'p50', atMost: 2 },
          note: `a tick is 10 ms; the 9 s before, with its first sweep: ${before.cpuTicks - called.cpuTicks}`,
        },
        { name: 'idle server: memory', unit: 'MB', ours: exactly(after.rssMb), bar: { of: 'p50', atMost: 60 } },
        {
          name: 'idle server: inotify instances',
          unit: 'count',
          ours: exactly(after.inotify),
          bar: { of: 'p50', atMost: 2 },
        },
      ]
    } finally {
      await endServers([link])
      place.remove()
    }
  },
}
