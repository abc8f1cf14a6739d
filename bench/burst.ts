/** Four servers send to one inbox at once, then four servers of one session drain it at once. */

import type { ServerLink } from '../test/processes/lab/mcp.ts'
import { type Benchmark, exactly, type Row, summarize } from './harness.ts'
import { makePlace } from './place.ts'
import { endServers, type Read, type Side, serverOf, sidesOf } from './servers.ts'

const ROUNDS = 3
const SERVERS = 4
const MESSAGES = 2_000
const BODY = 'Ledger rows 1 to 900 are migrated; the rest waits for your review of the rounding. '.repeat(3)

interface Burst {
  /** Messages per second: sent with nobody reading, drained with nobody sending, and sent and read at once. */
  readonly sent: number
  readonly drained: number
  readonly passed: number
  readonly lost: number
  readonly twice: number
}

export const burst: Benchmark = {
  name: 'burst',
  async run(say) {
    const seen: Record<Side, Burst[]> = { floor: [], ours: [] }
    for (let round = 0; round < ROUNDS; round++) {
      for (const side of sidesOf(round)) seen[side].push(await once(side))
      say(`round ${round + 1} of ${ROUNDS}`)
    }
    const rates = (name: string, of: keyof Burst, atLeast?: number): Row => ({
      name,
      unit: 'per s',
      against: 'the naive layout',
      floor: summarize(seen.floor.map((each) => each[of])),
      ours: summarize(seen.ours.map((each) => each[of])),
      ...(atLeast !== undefined && { bar: { of: 'ratio', atLeast } }),
    })
    const faults = (side: Side, of: 'lost' | 'twice') => seen[side].reduce((sum, each) => sum + each[of], 0)
    const none = (of: 'lost' | 'twice'): Row => ({
      name: `of ${ROUNDS * MESSAGES * 2} messages read by ${SERVERS} servers: ${of}`,
      unit: 'count',
      ours: exactly(faults('ours', of)),
      bar: { of: 'p50', atMost: 0 },
      note: `the naive layout: ${faults('floor', of)}`,
    })
    return [
      rates(`${SERVERS} servers send ${MESSAGES}`, 'sent', 0.8),
      rates(`${SERVERS} servers drain ${MESSAGES}`, 'drained', 1),
      // Readers that poll as fast as they can take the processor from the senders: told, since nobody works like that.
      rates(`${SERVERS} servers drain ${MESSAGES} while ${SERVERS} send`, 'passed'),
      none('lost'),
      none('twice'),
    ]
  },
}

/** Two thousand sent, then two thousand drained; after that the same with readers at work while senders send. */
async function once(side: Side): Promise<Burst> {
  const place = makePlace('burst')
  const readers = await many(() => serverOf(side, place.directory, 'receiver'))
  const senders = await many((n) => serverOf(side, place.directory, `sender-${n}`))
  const got = new Map<string, number>()
  try {
    const sendMs = await took(sendAll(senders))
    const drainMs = await took(drain(readers, got, () => true))
    let hasSent = false
    const sending = sendAll(senders).then(() => {
      hasSent = true
    })
    const passMs = await took(Promise.all([sending, drain(readers, got, () => hasSent)]))
    return {
      sent: MESSAGES / (sendMs / 1_000),
      drained: MESSAGES / (drainMs / 1_000),
      passed: MESSAGES / (passMs / 1_000),
      lost: MESSAGES * 2 - got.size,
      twice: [...got.values()].filter((times) => times > 1).length,
    }
  } finally {
    await endServers([...readers, ...senders])
  }
}

async function sendAll(senders: readonly ServerLink[]): Promise<void> {
  const each = senders.map(async (sender, n) => {
    for (let i = 0; i < MESSAGES / SERVERS; i++) {
      await sender.call('send_message', { to: ['receiver'], content: `${n}-${i} ${BODY}` })
    }
  })
  await Promise.all(each)
}

async function drain(readers: readonly ServerLink[], got: Map<string, number>, hasSent: () => boolean): Promise<void> {
  const each = readers.map(async (reader) => {
    for (;;) {
      const isLast = hasSent()
      const { messages, remaining } = await reader.call<Read>('read_inbox')
      for (const { id } of messages) got.set(id, (got.get(id) ?? 0) + 1)
      if (isLast && messages.length === 0 && remaining === 0) return
    }
  })
  await Promise.all(each)
}

async function many(one: (n: number) => Promise<ServerLink>): Promise<readonly ServerLink[]> {
  const links: ServerLink[] = []
  for (let n = 0; n < SERVERS; n++) links.push(await one(n))
  return links
}

async function took(work: Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work
  return performance.now() - startedMs
}
