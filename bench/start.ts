/** From starting the server to its answer to `initialize`, beside a Node that does nothing. */

import { spawn } from 'node:child_process'
import path from 'node:path'
import { type Benchmark, interleave, type Row } from './harness.ts'
import { makePlace } from './place.ts'
import { SERVER } from './servers.ts'

const ROUNDS = 21

const INITIALIZE = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
})}\n`

/** Makes every start of Node read certificates, which on one machine took 30 ms and hid what the server itself takes. */
const CERTIFICATES = 'NODE_EXTRA_CA_CERTS'

export const startUp: Benchmark = {
  name: 'start',
  async run() {
    const { [CERTIFICATES]: certificates, ...bare } = process.env
    const asFound: Row = { ...(await measure(process.env)), bar: { of: 'ratio', atMost: 2.2 } }
    if (certificates === undefined) return [asFound]
    const without = await measure(bare)
    return [asFound, { ...without, name: `${without.name}, without ${CERTIFICATES}` }]
  },
}

async function measure(env: NodeJS.ProcessEnv): Promise<Row> {
  const place = makePlace('start')
  const home = path.join(place.directory, 'home')
  const servers: { end(): Promise<void> }[] = []
  const taken = await interleave({
    rounds: ROUNDS,
    // The one before has ended before the next is timed.
    prepare: () => servers.pop()?.end(),
    floor: () => new Promise((resolve) => spawn(process.execPath, ['-e', '0'], { env }).once('exit', resolve)),
    ours: async () => {
      servers.push(await answered(home, env))
    },
  })
  await servers.pop()?.end()
  place.remove()
  return { name: 'start to initialize', unit: 'ms', against: 'node -e 0', ...taken }
}

/** Resolves with the first byte of the answer. */
function answered(home: string, env: NodeJS.ProcessEnv): Promise<{ end(): Promise<void> }> {
  return new Promise((resolve, reject) => {
    const server = spawn(process.execPath, [SERVER, `--home=${home}`], { env, stdio: ['pipe', 'pipe', 'inherit'] })
    const ended = new Promise<void>((done) => server.once('exit', () => done()))
    server.once('error', reject)
    server.stdout.once('data', () => {
      resolve({
        end() {
          server.stdin.end()
          return ended
        },
      })
    })
    server.stdin.write(INITIALIZE)
  })
}
