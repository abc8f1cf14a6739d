/** What a status line says of a session, and what it never does to one. */
import { describe, expect, it } from 'vitest'
import type { WaitEdge } from '../../src/core/activity.ts'
import { BusError } from '../../src/core/errors.ts'
import type { Store } from '../../src/core/ports.ts'
import { partsOf, statusOf } from '../../src/core/status-line.ts'
import { openHost } from './hosted.ts'
import { createWorld, MINUTE_MS } from './world.ts'

async function waits(
  world: ReturnType<typeof createWorld>,
  id: string,
  edge: Pick<WaitEdge, 'targets' | 'owner'> & Partial<WaitEdge>,
): Promise<void> {
  const until = new Date(world.clock.now() + MINUTE_MS).toISOString()
  await world.store.sessions.change(id, (current) =>
    current?.activity === undefined
      ? undefined
      : {
          activity: {
            ...current.activity,
            waitingFor: [{ waitId: 'w', mode: 'all', orMessage: true, until, ...edge }],
          },
        },
  )
}

describe('the facts', () => {
  it('are of the session the hooks bound to the conversation, also after a clear', async () => {
    const world = createWorld()
    const talk = openHost(world).talk('one')
    expect(await statusOf(world.context(), talk.conversation)).toBeUndefined()
    await talk.start()
    const after = openHost(world).talk('two', { client: talk.process })
    await after.start('clear')
    const peer = await world.session('peer')
    await peer.send('shop', 'hello')
    for (const { conversation } of [talk, after]) {
      expect(await statusOf(world.context(), conversation)).toEqual({
        label: 'shop',
        isClosed: false,
        unread: 1,
        waiters: { count: 0, names: [] },
      })
    }
  })

  it('name who waits at this moment: waits that are over, or whose owner is gone, wait for nobody', async () => {
    const world = createWorld()
    const talk = openHost(world).talk('one')
    await talk.start()
    const [lead, gone, late, other, third] = await Promise.all(
      ['lead', 'gone', 'late', 'other', 'third'].map((name) => world.session(name)),
    )
    if (!lead || !gone || !late || !other || !third) throw new Error('five sessions')
    await waits(world, lead.id, { targets: ['one'], owner: lead.server })
    await waits(world, gone.id, { targets: ['one'], owner: gone.server })
    world.kill(gone.server)
    await waits(world, late.id, {
      targets: ['one'],
      owner: late.server,
      until: new Date(world.clock.now()).toISOString(),
    })
    await waits(world, other.id, { targets: [lead.id], owner: other.server })
    const waiters = async () => (await statusOf(world.context(), talk.conversation))?.waiters
    expect(await waiters()).toEqual({ count: 1, names: ['lead'] })
    await waits(world, late.id, { targets: [lead.id, 'one'], owner: late.server })
    await waits(world, third.id, { targets: ['one'], owner: third.server })
    expect(await waiters()).toMatchObject({ count: 3, names: [expect.any(String), expect.any(String)] })
  })

  it('take no lock and write nothing, and say so where the inbox cannot be read', async () => {
    let isLooking = false
    const forbidden = () => {
      throw new Error('a status line changed something')
    }
    const world = createWorld({
      store: (inner): Store => ({
        ...inner,
        sessions: {
          ...inner.sessions,
          change: (...call) => (isLooking ? forbidden() : inner.sessions.change(...call)),
        },
        inbox: {
          ...inner.inbox,
          unread: (id) => (isLooking ? forbidden() : inner.inbox.unread(id)),
          count: () => Promise.reject(new BusError('STORE_UNREADABLE', 'no', 'no')),
        },
        hosts: { ...inner.hosts, bind: (binding) => (isLooking ? forbidden() : inner.hosts.bind(binding)) },
      }),
    })
    const talk = openHost(world).talk('one')
    await talk.start()
    isLooking = true
    expect(await statusOf(world.context(), talk.conversation)).toMatchObject({ label: 'shop', unread: undefined })
  })
})

describe('the parts', () => {
  const facts = { label: 'shop', isClosed: false, unread: 0, waiters: { count: 0, names: [] } }

  it('are name, unread, who waits, context and model, each with shorter forms', () => {
    const waiters = { count: 4, names: ['lead', 'qa'] }
    const parts = partsOf({ ...facts, unread: 3, waiters }, { model: 'Opus', context: 41.4 })
    expect(Object.fromEntries(Object.entries(parts).map(([name, { forms }]) => [name, forms]))).toEqual({
      name: ['shop', 24, 12, 5, ''],
      unread: ['3 unread', '3'],
      waiters: ['lead, qa +2 wait for it', '4 waiting', ''],
      context: ['41% context', '41%', ''],
      model: ['Opus', ''],
    })
  })

  it('say what is not known: an inbox that cannot be read is not empty, no bus is not silence', () => {
    expect(partsOf({ ...facts, unread: undefined }, {}).unread?.forms[0]).toBe('? unread')
    expect(partsOf({ ...facts, isClosed: true }, {}).name?.forms[0]).toBe('shop (closed)')
    expect(partsOf('not-on-bus', { title: 'my talk' })).toMatchObject({
      name: { forms: ['my talk', 24, 12, 5, ''] },
      unread: { forms: ['not on the session-mcp bus', 'not on the bus'] },
    })
    expect(partsOf('unreadable', {}).unread?.forms[0]).toContain('session-mcp doctor')
  })
})
