import { describe, expect, it } from 'vitest'
import { HUMAN } from '../../src/core/caller.ts'
import { BusError } from '../../src/core/errors.ts'
import type { Store } from '../../src/core/ports.ts'
import { createWorld, MINUTE_MS } from './world.ts'

describe('a glance', () => {
  it('has everyone at once, as a list has them but for the mail', async () => {
    const world = createWorld()
    for (let n = 0; n < 60; n++) await world.session(`session-${n}`)
    const { sessions } = await world.bus.glance(HUMAN, {})
    expect(sessions).toHaveLength(60)
    const [row] = (await world.human.list({ text: 'session-7' })).sessions
    const { unread: _, ...rest } = row ?? { unread: 0 }
    expect(sessions.find(({ name }) => name === 'session-7')).toMatchObject(rest)
  })

  it('looks into no inbox but those it was asked for, and says nothing of the others', async () => {
    const looked: string[] = []
    const world = createWorld({
      store: (inner: Store) => ({
        ...inner,
        inbox: {
          ...inner.inbox,
          unread(id) {
            looked.push(id)
            return inner.inbox.unread(id)
          },
        },
      }),
    })
    const [a, b] = [await world.session('a'), await world.session('b')]
    await world.human.send(['a', 'b'], 'hello')
    await world.clock.advance(MINUTE_MS)
    looked.length = 0
    const { sessions } = await world.bus.glance(HUMAN, { mailOf: [a.id] })
    expect(looked).toEqual([a.id])
    expect(sessions.find(({ id }) => id === a.id)).toMatchObject({ unread: 1, oldestUnreadSeconds: 60 })
    expect(sessions.find(({ id }) => id === b.id)).not.toHaveProperty('unread')
  })

  it('names an inbox that cannot be read instead of calling it empty', async () => {
    const world = createWorld({
      store: (inner: Store) => ({
        ...inner,
        inbox: {
          ...inner.inbox,
          unread: () => Promise.reject(new BusError('STORE_UNREADABLE', 'The inbox is not readable.', 'Look at it.')),
        },
      }),
    })
    const { id } = await world.session('a')
    const { sessions, partial } = await world.bus.glance(HUMAN, { mailOf: [id] })
    expect(sessions[0]).not.toHaveProperty('unread')
    expect(partial).toEqual([{ what: id, why: 'The inbox is not readable.' }])
  })

  it('says who waits for whom while the wait runs, and no longer', async () => {
    const world = createWorld()
    const [a, b] = [await world.session('a'), await world.session('b')]
    const stop = new AbortController()
    const wait = a.wait({ sessions: ['b'], timeout: '5m' }, { signal: stop.signal }).catch(() => undefined)
    await world.clock.advance(1_000)
    const waiting = async () => (await world.bus.glance(HUMAN, {})).sessions.map(({ waitingFor }) => waitingFor)
    expect((await waiting()).flat()).toEqual([b.id])
    world.kill(a.server)
    expect((await waiting()).flat()).toEqual([])
    stop.abort()
    await wait
  })

  it('filters by the rules of a list', async () => {
    const world = createWorld()
    await world.session('apple')
    await world.session('pear', { more: { status: 'blocked' } })
    const names = async (input: object) => (await world.bus.glance(HUMAN, input)).sessions.map(({ name }) => name)
    expect(await names({ text: 'APPL' })).toEqual(['apple'])
    expect(await names({ status: 'blocked' })).toEqual(['pear'])
    await expect(world.bus.glance(HUMAN, { activity: 'asleep' })).rejects.toMatchObject({ code: 'BAD_INPUT' })
  })
})
