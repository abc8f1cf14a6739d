/** The first page over ten thousand sessions, beside looking at their files at all. */

import fs from 'node:fs'
import path from 'node:path'
import type { OpenedBus, ProcessRef } from '../src/lib.ts'
import { type Benchmark, exactly, interleave, type Row } from './harness.ts'
import { join, makePlace, openIn, type Place } from './place.ts'

const SESSIONS = 10_000
const ANSWER_BYTES = 8 * 1024

export const listSessions: Benchmark = {
  name: 'list-sessions',
  async run(say) {
    const place = makePlace('list')
    const opened = await openIn(place, { durability: 'process' })
    const { id } = await join(opened, 'template')
    say(`writing ${SESSIONS} sessions`)
    fillSessions(opened, id)
    const rows = [await warm(opened, id, false), await warm(opened, id, true), await cold(place, opened)]
    const answer = await opened.bus.list({ kind: 'human' }, {})
    if (answer.total !== SESSIONS) throw new Error(`listed ${answer.total} of ${SESSIONS}`)
    const bytes = Buffer.byteLength(JSON.stringify(answer))
    opened.close()
    return [
      ...rows,
      {
        name: `list ${SESSIONS}: first page`,
        unit: 'bytes',
        ours: exactly(bytes),
        bar: { of: 'p50', atMost: ANSWER_BYTES },
        note: `${answer.sessions.length} rows`,
      },
    ]
  },
}

/** Nothing changes between two looks, or one session does: its directories then look new as a whole. */
async function warm(opened: OpenedBus, id: string, changes: boolean): Promise<Row> {
  const directories = directoriesOf(opened)
  const beat = async () => {
    if (!changes) return
    await opened.store.sessions.change(id, (entry) =>
      entry?.activity === undefined
        ? undefined
        : { activity: { ...entry.activity, lastSeenAt: new Date().toISOString() } },
    )
  }
  await new Promise((resolve) => setTimeout(resolve, 100)) // files younger than a clock tick are always read again
  const taken = await interleave({
    rounds: 40,
    prepare: beat,
    floor: () => {
      for (const directory of directories) {
        for (const name of fs.readdirSync(directory)) fs.statSync(path.join(directory, name))
      }
    },
    ours: () => opened.bus.list({ kind: 'human' }, {}),
  })
  return {
    name: `list ${SESSIONS}, warm, ${changes ? 'one changed' : 'none changed'}`,
    unit: 'ms',
    against: 'readdir and stat of both directories',
    ...taken,
    bar: { of: 'ratio', atMost: 1.3 },
  }
}

async function cold(place: Place, opened: OpenedBus): Promise<Row> {
  const directories = directoriesOf(opened)
  const taken = await interleave({
    rounds: 20,
    floor: () => {
      const kept: unknown[] = []
      for (const directory of directories) {
        for (const name of fs.readdirSync(directory)) {
          kept.push(JSON.parse(fs.readFileSync(path.join(directory, name), 'utf8')))
        }
      }
      return kept
    },
    ours: async () => {
      const fresh = await openIn(place, { durability: 'process' })
      await fresh.bus.list({ kind: 'human' }, {})
      fresh.close()
    },
  })
  return {
    name: `list ${SESSIONS}, cold`,
    unit: 'ms',
    against: 'readdir, read and parse of both directories',
    ...taken,
    bar: { of: 'ratio', atMost: 1.5 },
  }
}

function directoriesOf({ home }: OpenedBus): readonly string[] {
  return [path.join(home, 'sessions'), path.join(home, 'activity')]
}

/** Copies of one session: names, tasks and clients of their own, changed within the last three hours. */
function fillSessions({ home, processes }: OpenedBus, id: string): void {
  const read = (folder: string) => JSON.parse(fs.readFileSync(path.join(home, folder, `${id}.json`), 'utf8'))
  const [session, activity] = [read('sessions'), read('activity')]
  const nowMs = Date.now()
  for (let n = 1; n < SESSIONS; n++) {
    const own = `ses-${n.toString(36).padStart(10, '0')}`
    const at = new Date(nowMs - (n % 10_800) * 1_000).toISOString()
    const client: ProcessRef = { ...processes.self, pid: 3_000_000 + n, start: `${n}` }
    const files = {
      sessions: {
        ...session,
        id: own,
        name: `worker-${n}`,
        task: `part ${n} of the migration of the billing service to the new ledger, with tests and notes`,
        progress: 'reading the code that writes invoices and writing down where it rounds',
        projectPath: `/projects/service-${n % 50}`,
        host: { ...session.host, hostKey: own, client, server: client },
        updatedAt: at,
        createdAt: at,
      },
      activity: { ...activity, id: own, lastSeenAt: at, since: at },
    }
    for (const [folder, record] of Object.entries(files)) {
      fs.writeFileSync(path.join(home, folder, `${own}.json`), JSON.stringify(record), { mode: 0o600 })
    }
  }
}
