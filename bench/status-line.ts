/** The status line of one session among a thousand, beside a Node that does nothing: a host starts it every few seconds. */

import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { type Benchmark, interleave, type Row } from './harness.ts'
import { makePlace, openIn } from './place.ts'

const PROGRAM = path.resolve('dist/hooks/statusline.js')
const KEY = '0f1d4b6e-1111-4222-8333-444455556666'
const ROUNDS = 31
const SESSIONS = 1_000

export const statusLine: Benchmark = {
  name: 'status-line',
  async run() {
    const place = makePlace('status-line')
    const opened = await openIn(place, { durability: 'process' })
    const plugin = opened.hostPlugin({ kind: 'generic', injection: 'kept', doors: [] })
    await plugin.onStart({ hostKey: KEY, projectPath: place.directory }, 'startup')
    const env = { ...process.env, SESSION_MCP_HOME: path.join(place.directory, 'home'), NO_COLOR: '1' }
    const input = JSON.stringify({
      session_id: KEY,
      model: { display_name: 'M' },
      context_window: { used_percentage: 4 },
    })
    const show = () => {
      const { status, stdout } = spawnSync(process.execPath, [PROGRAM], { env, input, encoding: 'utf8' })
      if (status !== 0 || !stdout.includes('0 unread')) throw new Error(`the status line was ${stdout}`)
    }
    const measure = async (name: string, atMost: number): Promise<Row> => {
      const taken = await interleave({
        rounds: ROUNDS,
        floor: () => spawnSync(process.execPath, ['-e', '0'], { env }),
        ours: show,
      })
      return { name, unit: 'ms', against: 'node -e 0', ...taken, bar: { of: 'ratio', atMost } }
    }
    const alone = await measure('status line, one session', 1.6)
    await fill(opened)
    opened.close()
    const crowded = await measure(`status line, ${SESSIONS} sessions`, 2.2)
    place.remove()
    return [alone, crowded]
  },
}

async function fill({ store }: Awaited<ReturnType<typeof openIn>>): Promise<void> {
  const like = await store.sessions.read(KEY)
  if (like?.activity === undefined) throw new Error('the session was not made')
  const { session, activity } = like
  for (let n = 0; n < SESSIONS; n++) {
    const id = `s-${n}`
    await store.sessions.change(id, () => ({ session: { ...session, id }, activity: { ...activity, id } }))
  }
}
