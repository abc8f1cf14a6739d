/** What the tools cost a model before it has called one. */

import { type Benchmark, exactly } from './harness.ts'
import { makePlace } from './place.ts'
import { endServers, serverOf } from './servers.ts'

export const toolsSize: Benchmark = {
  name: 'tools-size',
  async run() {
    const place = makePlace('tools')
    const link = await serverOf('ours', place.directory, 'tools')
    try {
      const listed = await link.client.listTools()
      const needed = listed.tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
      return [
        {
          name: 'tools: name, description, input schema',
          unit: 'bytes',
          ours: exactly(Buffer.byteLength(JSON.stringify(needed))),
          bar: { of: 'p50', atMost: 8 * 1024 },
          note: `${listed.tools.length} tools`,
        },
        {
          name: 'tools/list as a whole',
          unit: 'bytes',
          ours: exactly(Buffer.byteLength(JSON.stringify(listed))),
          bar: { of: 'p50', atMost: 14 * 1024 },
        },
      ]
    } finally {
      await endServers([link])
      place.remove()
    }
  },
}
