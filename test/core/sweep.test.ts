import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { BusError } from '../../src/core/errors.ts'
import type { Store } from '../../src/core/ports.ts'
import { aMessage, aSession } from '../contract/records.ts'
import { freshPlace } from '../store/place.ts'
import { openHost } from './hosted.ts'
import { type Client, createWorld, DAY_MS, HOUR_MS, refusalOf, type World } from './world.ts'

const place = freshPlace()

function dies(world: World, client: Client): void {
  if (client.process === undefined) throw new Error('this client has no process')
  world.kill(client.process)
}

/** A store whose sessions behave as told. */
function withSessions(over: (inner: Store['sessions']) => Partial<Store['sessions']>) {
  return (inner: Store): Store => ({ ...inner, sessions: { ...inner.sessions, ...over(inner.sessions) } })
}

describe('the sweep', () => {
  it('removes what has expired, gives its names and followers up, and touches nothing of the others', async () => {
    const world = createWorld({ defaultTtl: '1h' })
    const a = await world.session('kilo')
    await a.update({ name: 'vega' })
    const b = await world.session('b', { more: { ttl: '30d' } })
    await a.watch('b')
    await b.watch('vega')
    await a.complete()
    const kept = await world.entry(b.id)
    await world.clock.advance(HOUR_MS - 1)
    expect(await world.bus.sweep()).toMatchObject({ sessions: [], kept: 2 })
    await world.clock.advance(1)
    expect(await world.bus.sweep()).toEqual({
      dryRun: false,
      sessions: [a.id],
      messages: { unread: 0, read: 0 },
      inboxes: 0,
      leftovers: 0,
      kept: 1,
    })
    expect(await world.store.sessions.read(a.id)).toBeUndefined()
    expect(await world.entry(b.id)).toBe(kept)
    for (const name of ['kilo', 'vega']) expect(await world.store.names.owner(name)).toBeUndefined()
    expect(await world.store.names.owner('b')).toBe(b.id)
    expect(await world.store.follow.followers(b.id)).toEqual([])
    expect(await world.store.follow.followers(a.id)).toEqual([])
    expect(await world.bus.sweep()).toMatchObject({ sessions: [], kept: 1 })
  })

  it('C132 of two sessions in one worktree only the expired one’s own records go', async () => {
    const world = createWorld({ defaultTtl: '1h' })
    world.projects.set('/w/x', { path: '/w/x', repoPath: '/p/r', branch: 'fix' })
    const shared = { more: { projectPath: '/w/x', groupId: 'g' } }
    const a = await world.session('a', shared)
    const b = await world.session('b', shared)
    await world.human.send('group:g', 'for both')
    await b.read()
    await a.complete()
    await world.clock.advance(HOUR_MS)
    expect((await world.bus.sweep()).sessions).toEqual([a.id])
    expect(await b.query('me')).toMatchObject({ projectPath: '/w/x', branch: 'fix' })
    expect((await b.read({ history: 5 })).messages).toHaveLength(1)
  })

  it('a dry run counts the same and changes nothing', async () => {
    const world = createWorld({ defaultTtl: '1h', messageTtl: '2h' })
    const a = await world.session('a')
    const b = await world.session('b', { more: { ttl: '30d' } })
    await b.send('a', 'unread')
    await a.send('b', 'read')
    await b.read()
    dies(world, a)
    await world.clock.advance(3 * HOUR_MS)
    const before = [await world.entry(a.id), await world.entry(b.id)]
    const dry = await world.bus.sweep({ dryRun: true })
    expect(dry).toMatchObject({ dryRun: true, sessions: [a.id], messages: { unread: 1, read: 1 }, kept: 1 })
    expect([await world.entry(a.id), await world.entry(b.id)]).toEqual(before)
    expect(await world.store.names.owner('a')).toBe(a.id)
    expect((await world.store.inbox.unread(a.id)).ids).toHaveLength(1)
    const { sessions, messages } = await world.bus.sweep()
    expect({ sessions, messages }).toEqual({ sessions: dry.sessions, messages: dry.messages })
  })

  it('never removes a session whose client provably lives, however long it is silent', async () => {
    const world = createWorld({ defaultTtl: '1s' })
    const a = await world.session('a')
    await world.clock.advance(400 * DAY_MS)
    expect((await world.bus.sweep()).sessions).toEqual([])
    expect((await a.query('me')).id).toBe(a.id)
  })

  it('asks again before it removes: what came back to life between the list and the removal stays', async () => {
    let revive: (() => Promise<unknown>) | undefined
    const world = createWorld({
      defaultTtl: '1h',
      store: withSessions((inner) => ({
        async list() {
          const listing = await inner.list()
          await revive?.()
          return listing
        },
      })),
    })
    const a = world.client({ hostSays: 'h' })
    await a.update({ task: 'x', projectPath: '/p/one', name: 'a' })
    await a.complete()
    await world.clock.advance(HOUR_MS)
    revive = async () => {
      revive = undefined
      await a.update({ task: 'again', projectPath: '/p/one', name: 'a' })
    }
    expect(await world.bus.sweep()).toMatchObject({ sessions: [], kept: 1 })
    expect((await world.client().query('a')).task).toBe('again')
  })

  it('by many processes at once is one sweep', async () => {
    const world = createWorld({ defaultTtl: '1h' })
    for (const name of ['a', 'b', 'c']) await (await world.session(name)).complete()
    await world.clock.advance(HOUR_MS)
    const answers = await Promise.all([world.bus.sweep(), world.bus.sweep(), world.bus.sweep()])
    expect(new Set(answers.flatMap(({ sessions }) => sessions)).size).toBe(3)
    expect((await world.store.sessions.list()).entries).toEqual([])
  })

  it('is not stopped by one session that is busy or cannot be read', async () => {
    const busy = new Set<string>()
    const world = createWorld({
      defaultTtl: '1h',
      store: withSessions((inner) => ({
        async remove(id, still) {
          if (busy.has(id)) throw new BusError('STORE_BUSY', `The lock of ${id} is held.`, 'Try again.')
          return inner.remove(id, still)
        },
      })),
    })
    const [a, b] = [await world.session('a'), await world.session('b')]
    await a.complete()
    await b.complete()
    busy.add(a.id)
    await world.clock.advance(HOUR_MS)
    expect(await world.bus.sweep()).toMatchObject({ sessions: [b.id], kept: 1 })
    expect(world.logged).toContain('warn sweep.skipped')
    busy.clear()
    expect(await world.bus.sweep()).toMatchObject({ sessions: [a.id], kept: 0 })
  })

  it('a home that cannot be written is a refusal, not a sweep that found nothing', async () => {
    const world = createWorld({
      defaultTtl: '1h',
      store: withSessions(() => ({
        async remove() {
          throw new BusError('HOME_UNWRITABLE', 'Cannot write.', 'Move it.')
        },
      })),
    })
    await (await world.session('a')).complete()
    await world.clock.advance(HOUR_MS)
    expect(await refusalOf(world.bus.sweep())).toMatchObject({ code: 'HOME_UNWRITABLE' })
  })
})

describe('C071 a record from a clock that runs ahead', () => {
  it('is stamped again with our time, and goes stale on normal terms from then on', async () => {
    const world = createWorld({ defaultTtl: '1h' })
    const a = await world.session('a')
    const b = await world.session('b')
    const ahead = new Date(world.clock.now() + DAY_MS).toISOString()
    await world.store.sessions.change(
      a.id,
      (e) =>
        e?.activity && { session: { ...e.session, updatedAt: ahead }, activity: { ...e.activity, lastSeenAt: ahead } },
    )
    dies(world, a)
    await world.bus.sweep()
    expect(world.logged).toContain('warn sweep.clock-ahead')
    const now = new Date(world.clock.now()).toISOString()
    expect(await world.entry(a.id)).toMatchObject({ session: { updatedAt: now }, activity: { lastSeenAt: now } })
    await world.clock.advance(HOUR_MS - 1)
    expect((await b.list()).total).toBe(2)
    await world.clock.advance(1)
    expect((await b.list()).total).toBe(1)
    expect((await world.bus.sweep()).sessions).toEqual([a.id])
  })

  it('that was closed in the future expires its ttl after the correction', async () => {
    const world = createWorld({ defaultTtl: '1h' })
    const a = await world.session('a')
    await a.complete()
    const ahead = new Date(world.clock.now() + DAY_MS).toISOString()
    await world.store.sessions.change(a.id, (e) => e && { session: { ...e.session, closedAt: ahead } })
    await world.bus.sweep()
    await world.clock.advance(HOUR_MS)
    expect((await world.bus.sweep()).sessions).toEqual([a.id])
  })

  it('is not touched by a dry run', async () => {
    const world = createWorld()
    const a = await world.session('a')
    const ahead = new Date(world.clock.now() + DAY_MS).toISOString()
    await world.store.sessions.change(a.id, (e) => e && { session: { ...e.session, updatedAt: ahead } })
    await world.bus.sweep({ dryRun: true })
    expect((await world.entry(a.id)).session.updatedAt).toBe(ahead)
  })
})

describe('the sweep of mail', () => {
  it('removes what was read after the message ttl, and never what a session on the bus has not read', async () => {
    const world = createWorld({ defaultTtl: '30d', messageTtl: '7d' })
    const a = await world.session('a')
    const b = await world.session('b')
    await a.send('b', 'read')
    await b.read()
    await a.send('b', 'unread')
    await world.human.send('human', 'a note to self')
    await world.clock.advance(7 * DAY_MS)
    expect((await world.bus.sweep()).messages).toEqual({ unread: 0, read: 0 })
    await world.clock.advance(1)
    expect((await world.bus.sweep()).messages).toEqual({ unread: 0, read: 1 })
    await world.clock.advance(300 * DAY_MS)
    expect((await world.bus.sweep()).messages).toEqual({ unread: 0, read: 0 })
    expect((await world.human.read()).messages).toHaveLength(1)
    expect((await b.read()).messages).toMatchObject([{ content: 'unread' }])
  })

  it('counts the message ttl from the sending, also for what was read late', async () => {
    const world = createWorld({ messageTtl: '7d' })
    const a = await world.session('a')
    const b = await world.session('b')
    await a.send('b', 'x')
    await world.clock.advance(7 * DAY_MS)
    await b.read()
    await world.clock.advance(1)
    expect((await world.bus.sweep()).messages.read).toBe(1)
  })

  it('C081 unread mail outlives its session by the message ttl, then goes with a word in the log, and no ghost stays', async () => {
    const world = createWorld({ defaultTtl: '1h', messageTtl: '2d' })
    const a = await world.session('a')
    const b = await world.session('b', { more: { ttl: '30d' } })
    await a.watch('b')
    await b.send('a', 'never read')
    await a.complete({ ttl: '1s' })
    await world.clock.advance(1_000)
    expect(await world.bus.sweep()).toMatchObject({ sessions: [a.id], messages: { unread: 0 }, inboxes: 0 })
    expect((await world.store.inbox.unread(a.id)).ids).toHaveLength(1)
    expect((await b.list()).total).toBe(1)
    await world.clock.advance(2 * DAY_MS)
    expect(await world.bus.sweep()).toMatchObject({ messages: { unread: 1, read: 0 }, inboxes: 1 })
    expect(world.logged).toContain('warn sweep.unread-removed')
    expect(await world.store.inbox.owners()).toEqual([])
    expect(await world.bus.sweep()).toMatchObject({ inboxes: 0 })
  })

  it('an inbox that could not be emptied is not counted as removed', async () => {
    const world = createWorld({ defaultTtl: '1h', messageTtl: '2d' })
    const a = await world.session('a')
    await world.human.send('a', 'fresh')
    dies(world, a)
    await world.clock.advance(HOUR_MS)
    expect(await world.bus.sweep()).toMatchObject({ sessions: [a.id], inboxes: 0 })
    expect(await world.store.inbox.owners()).toEqual([a.id])
  })

  it('keeps the mail of a session whose record cannot be read: unreadable is not gone', async () => {
    let isTorn = false
    const world = createWorld({
      messageTtl: '1d',
      store: withSessions((inner) => ({
        async list() {
          const { entries } = await inner.list()
          const skipped = entries.map(({ session }) => ({ what: session.id, why: 'cut short' }))
          return isTorn ? { entries: [], skipped } : { entries, skipped: [] }
        },
        async read(id) {
          const entry = await inner.read(id)
          if (isTorn && entry !== undefined) throw new BusError('STORE_UNREADABLE', `${id} is damaged.`, 'Look.')
          return entry
        },
      })),
    })
    const a = await world.session('a')
    await world.human.send('a', 'important')
    await world.clock.advance(2 * DAY_MS)
    isTorn = true
    expect(await world.bus.sweep()).toMatchObject({ messages: { unread: 0 }, sessions: [] })
    isTorn = false
    expect((await a.read()).messages).toMatchObject([{ content: 'important' }])
  })

  it('keeps the mail of a session that registered while the sweep was under way', async () => {
    let afterList: (() => Promise<unknown>) | undefined
    const world = createWorld({
      messageTtl: '1d',
      store: withSessions((inner) => ({
        async list() {
          const listing = await inner.list()
          await afterList?.()
          return listing
        },
      })),
    })
    await world.store.inbox.deliver(aMessage('h', 1, { sentAt: new Date(world.clock.now()).toISOString() }))
    await world.clock.advance(2 * DAY_MS)
    const h = world.client({ hostSays: 'h' })
    afterList = () => h.update({ task: 'x', projectPath: '/p/one' })
    expect((await world.bus.sweep()).messages.unread).toBe(0)
    expect((await h.read()).messages).toHaveLength(1)
  })

  it('is not stopped by one inbox that cannot be read', async () => {
    const world = createWorld({
      messageTtl: '1d',
      store: (inner) => ({
        ...inner,
        inbox: {
          ...inner.inbox,
          async drop(id, expired, options) {
            if (id === 'broken') throw new BusError('STORE_UNREADABLE', 'Something is in the way.', 'Look.')
            return inner.inbox.drop(id, expired, options)
          },
        },
      }),
    })
    const sentAt = new Date(world.clock.now()).toISOString()
    for (const id of ['broken', 'whole']) await world.store.inbox.deliver(aMessage(id, 1, { sentAt }))
    await world.clock.advance(2 * DAY_MS)
    expect(await world.bus.sweep()).toMatchObject({ messages: { unread: 1 }, inboxes: 1 })
    expect(await world.store.inbox.owners()).toEqual(['broken'])
    expect(world.logged).toContain('warn sweep.skipped')
  })

  it('forgets old records of sends with the messages', async () => {
    const world = createWorld({ defaultTtl: '30d', messageTtl: '1d' })
    const a = await world.session('a')
    await world.session('b')
    const { messageId } = await a.send(['b', 'human'], 'x')
    await world.clock.advance(DAY_MS)
    await world.bus.sweep()
    expect((await a.receipt(messageId)).messageId).toBe(messageId)
    await world.clock.advance(1)
    await world.bus.sweep()
    expect(await refusalOf(a.receipt(messageId))).toMatchObject({ code: 'MESSAGE_NOT_FOUND' })
  })
})

describe('C075 over plain files', () => {
  it('the sweep goes by recorded times, never by those of the files, and says what it removed', async () => {
    const world = createWorld({ defaultTtl: '30d', messageTtl: '30d', store: () => place.open() })
    const iso = (ageMs: number) => new Date(world.clock.now() - ageMs).toISOString()
    const make = (id: string, ageMs: number) =>
      world.store.sessions.change(id, () => ({
        session: aSession(id, { ttl: '30d', createdAt: iso(ageMs), updatedAt: iso(ageMs) }),
      }))
    await make('fresh', 0)
    await make('stale', 60 * DAY_MS)
    await world.store.inbox.deliver(aMessage('fresh', 1, { sentAt: iso(0) }))
    await world.store.inbox.deliver(aMessage('gone', 2, { sentAt: iso(60 * DAY_MS) }))
    await world.store.inbox.deliver(aMessage('gone-lately', 3, { sentAt: iso(0) }))
    const old = new Date(Date.now() - 60 * DAY_MS)
    for (const file of ['sessions/fresh.json', 'inboxes/fresh', 'inboxes/gone-lately'])
      fs.utimesSync(place.at(file), old, old)
    expect(await world.bus.sweep()).toEqual({
      dryRun: false,
      sessions: ['stale'],
      messages: { unread: 1, read: 0 },
      inboxes: 1,
      leftovers: 0,
      kept: 1,
    })
    expect((await world.store.sessions.list()).entries.map(({ session }) => session.id)).toEqual(['fresh'])
    expect([...(await world.store.inbox.owners())].sort()).toEqual(['fresh', 'gone-lately'])
  })
})

describe('which session a conversation was', () => {
  it('is forgotten a day after its session and its mail are gone, and not before', async () => {
    const world = createWorld({ defaultTtl: '1h', messageTtl: '7d' })
    const host = openHost(world)
    const [gone, mailed, alive] = [host.talk('gone'), host.talk('mailed'), host.talk('alive')]
    for (const talk of [gone, mailed, alive]) await talk.start()
    await world.human.send('mailed', 'for later', { activate: 'never' })
    for (const talk of [gone, mailed]) world.kill(talk.process)
    const known = async () => {
      await world.bus.sweep()
      const keys = ['gone', 'mailed', 'alive']
      const found = await Promise.all(keys.map((key) => world.store.hosts.find(key)))
      return keys.filter((_, n) => found[n] !== undefined)
    }
    await world.clock.advance(2 * HOUR_MS)
    expect(await known()).toEqual(['gone', 'mailed', 'alive'])
    await world.clock.advance(DAY_MS)
    expect(await known()).toEqual(['mailed', 'alive'])
    await world.clock.advance(8 * DAY_MS)
    await world.bus.sweep()
    expect(await known()).toEqual(['alive'])
  })
})
