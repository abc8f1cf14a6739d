import { describe, expect, it } from 'vitest'
import type { ListInput } from '../../src/core/bus.ts'
import { HUMAN } from '../../src/core/caller.ts'
import { BusError } from '../../src/core/errors.ts'
import { utf8Bytes } from '../../src/core/json.ts'
import { LIMITS } from '../../src/core/limits.ts'
import type { Store } from '../../src/core/ports.ts'
import { createWorld, HOUR_MS, MINUTE_MS, refusalOf, type World } from './world.ts'

async function crowd(world: World, count: number, taskChars = 20) {
  for (let n = 0; n < count; n++) {
    await world.session(`s${n}`, { more: { task: `${n} ${'ö'.repeat(taskChars)}` } })
    // Every third shares its time with the one before: the order must hold all the same.
    if (n % 3 !== 0) await world.clock.advance(1)
  }
}

async function pages(world: World, input: ListInput) {
  const asker = world.client()
  const all: string[] = []
  let cursor: string | undefined
  let count = 0
  do {
    const page = await asker.list({ ...input, cursor })
    all.push(...page.sessions.map(({ id }) => id))
    cursor = page.nextCursor
    count += 1
  } while (cursor !== undefined)
  return { all, count }
}

describe('list_sessions', () => {
  it('shows what is needed to choose whom to talk to', async () => {
    const world = createWorld()
    const a = await world.session('a', { kind: 'codex', more: { groupId: 'g', progress: 'half' } })
    await world.human.send('a', 'one')
    await world.clock.advance(90_000)
    await world.human.send('a', 'two')
    expect((await world.client().list()).sessions).toEqual([
      {
        id: a.id,
        name: 'a',
        task: 'the work of a',
        status: 'active',
        activity: 'unknown',
        host: 'codex',
        projectPath: '/p/one',
        groupId: 'g',
        progress: 'half',
        updatedAt: expect.any(String),
        unread: 2,
        oldestUnreadSeconds: 90,
      },
    ])
  })

  it.each<[string, ListInput, string[]]>([
    ['nothing', {}, ['a', 'b', 'c', 'd']],
    ['a project', { projectPath: '/p/one' }, ['a', 'd']],
    ['a project, with a slash too many', { projectPath: '/p/one/' }, ['a', 'd']],
    ['C118 a project, not the ones inside it', { projectPath: '/p' }, []],
    ['C128 a project, with its worktrees', { projectPath: '/p/two' }, ['b', 'c']],
    ['C128 a worktree, with its project', { projectPath: '/w/1a4b/two' }, ['b', 'c']],
    ['a group, in any case', { groupId: 'TEAM' }, ['a', 'b']],
    ['a group nobody is in', { groupId: 'tea' }, []],
    ['a status', { status: 'completed' }, ['d']],
    ['an activity', { activity: 'ended' }, ['c']],
    ['a host', { host: 'codex' }, ['b']],
    ['text in the task', { text: 'WORK OF B' }, ['b']],
    ['text in a tag', { text: 'urgent' }, ['c']],
    ['text in an alias', { text: 'first-name' }, ['a']],
    ['text that is nowhere', { text: 'zzz' }, []],
    ['two things at once', { projectPath: '/p/one', status: 'active' }, ['a']],
  ])('filters by %s', async (_, input, names) => {
    const world = createWorld()
    world.projects.set('/w/1a4b/two', { path: '/w/1a4b/two', repoPath: '/p/two' })
    const a = await world.session('first-name', { more: { groupId: 'team', task: 'the work of a' } })
    await a.update({ name: 'a' })
    await world.session('b', { kind: 'codex', more: { projectPath: '/p/two', groupId: 'Team' } })
    const c = await world.session('c', { more: { projectPath: '/w/1a4b/two', tags: ['urgent'] } })
    if (c.process !== undefined) world.kill(c.process)
    await (await world.session('d')).complete()
    const list = await world.client().list(input)
    expect(list.sessions.map(({ name }) => name).sort()).toEqual(names)
    expect(list.total).toBe(names.length)
  })

  it('C068 counts what is open of all that match, whatever the page shows', async () => {
    const world = createWorld()
    for (const name of ['a', 'b', 'c']) await world.session(name)
    await (await world.session('d')).complete()
    await (await world.session('e')).complete({ status: 'cancelled' })
    expect(await world.client().list({ limit: 1 })).toMatchObject({ total: 5, open: 3 })
  })

  it('pages over 60 sessions without gaps or repeats, newest first', async () => {
    const world = createWorld()
    await crowd(world, 60)
    const everyone = await pages(world, { limit: 200 })
    const small = await pages(world, { limit: 7 })
    expect(everyone.all).toHaveLength(60)
    expect(small.all).toEqual(everyone.all)
    expect(small.count).toBe(9)
    const times = await Promise.all(small.all.map(async (id) => (await world.entry(id)).session.updatedAt))
    expect(times).toEqual([...times].sort().reverse())
  })

  it('goes on after the last row, though sessions changed, came and went between two pages', async () => {
    const world = createWorld()
    await crowd(world, 30)
    const asker = world.client()
    const first = await asker.list({ limit: 10 })
    const seen = first.sessions.map(({ id }) => id)
    const [top = '', , third = ''] = seen
    await world.clock.advance(MINUTE_MS)
    await world.store.sessions.remove(third, () => false)
    await world.session('newcomer')
    await world.store.sessions.change(
      top,
      (e) => e && { session: { ...e.session, updatedAt: new Date(world.clock.now()).toISOString() } },
    )
    const rest = await asker.list({ limit: 200, cursor: first.nextCursor })
    const ids = rest.sessions.map(({ id }) => id)
    expect(ids).toHaveLength(20)
    expect(ids.filter((id) => seen.includes(id))).toEqual([])
  })

  it('an answer of full rows stays within 8 KiB, and the next page goes on', async () => {
    const world = createWorld()
    await crowd(world, 60, 200)
    const asker = world.client()
    const page = await asker.list({ limit: 200 })
    expect(utf8Bytes(JSON.stringify(page))).toBeLessThanOrEqual(LIMITS.listAnswerBytes)
    expect(page.sessions.length).toBeGreaterThan(5)
    expect(page.nextCursor).toBeDefined()
    expect((await pages(world, { limit: 200 })).all).toHaveLength(60)
    for (const { task } of page.sessions) expect(task.length).toBeLessThanOrEqual(120)
  })

  it('says what could not be read, and stays within its bytes with it', async () => {
    const skipped = Array.from({ length: 9 }, (_, n) => ({ what: `${n}${'x'.repeat(200)}`, why: 'y'.repeat(200) }))
    const world = createWorld({
      store: (inner: Store) => ({
        ...inner,
        sessions: { ...inner.sessions, list: async () => ({ ...(await inner.sessions.list()), skipped }) },
      }),
    })
    await crowd(world, 40, 200)
    const page = await world.client().list({ limit: 200 })
    expect(page.partial).toEqual(skipped.slice(0, 5))
    expect(page.sessions.length).toBeGreaterThan(1)
    expect(utf8Bytes(JSON.stringify(page))).toBeLessThanOrEqual(LIMITS.listAnswerBytes)
    const fine = createWorld()
    expect(await fine.client().list()).toEqual({ sessions: [], total: 0, open: 0 })
  })

  it('one inbox that cannot be read does not hide the others: it is said, and paging goes on', async () => {
    const broken = new Set<string>()
    const world = createWorld({
      store: (inner: Store) => ({
        ...inner,
        inbox: {
          ...inner.inbox,
          async unread(id) {
            if (broken.has(id)) throw new BusError('STORE_UNREADABLE', `The inbox of ${id} cannot be read.`, 'Look.')
            return inner.inbox.unread(id)
          },
        },
      }),
    })
    await crowd(world, 12)
    const { all } = await pages(world, { limit: 200 })
    for (const n of [0, 5, 11]) broken.add(all[n] ?? '')
    const page = await world.client().list({ limit: 200 })
    expect(page.sessions.map(({ id }) => id)).toEqual(all.filter((id) => !broken.has(id)))
    expect(page.partial?.map(({ what }) => what)).toEqual([...broken])
    expect(page.total).toBe(12)
    for (const limit of [1, 2, 3])
      expect((await pages(world, { limit })).all).toEqual(all.filter((id) => !broken.has(id)))
    expect(await refusalOf(world.client().query([...broken][0] ?? ''))).toMatchObject({ code: 'STORE_UNREADABLE' })
  })

  it.each(['x', '~', 'a~b~c', '2026-11-30T12:00:00.000Z~', 'soon~abc', '../../evil'])(
    'a cursor %j is refused',
    async (cursor) => {
      expect(await refusalOf(createWorld().client().list({ cursor }))).toMatchObject({ code: 'BAD_CURSOR' })
    },
  )

  it.each<ListInput>([{ limit: 0 }, { limit: 201 }, { limit: 1.5 }, { status: 'done' as never }, { activity: 'busy' }])(
    'input that means nothing is refused rather than answered with nothing: %j',
    async (input) => {
      expect(await refusalOf(createWorld().client().list(input))).toMatchObject({ code: 'BAD_INPUT' })
    },
  )

  it('C070 a session that cannot be checked and is silent is unknown, not running', async () => {
    const world = createWorld()
    const a = await world.session('a')
    if (a.process !== undefined) world.hide(a.process)
    await world.store.sessions.change(a.id, (e) => e?.activity && { activity: { ...e.activity, state: 'working' } })
    expect((await world.client().list()).sessions[0]?.activity).toBe('working')
    await world.clock.advance(LIMITS.quietMs + 1)
    expect((await world.client().list()).sessions[0]).toMatchObject({ activity: 'unknown' })
    expect((await world.client().list()).sessions[0]).not.toHaveProperty('finished')
  })

  it('asks the system about one client once, however many sessions it has', async () => {
    const world = createWorld()
    const client = world.process()
    for (const name of ['a', 'b', 'c']) await world.session(name, { client })
    world.kill(client)
    expect((await world.client().list()).sessions.map(({ activity }) => activity)).toEqual(['ended', 'ended', 'ended'])
  })
})

describe('query_session', () => {
  it('shows one session in full, by id, name, alias and "me"', async () => {
    const world = createWorld()
    const a = await world.session('kilo', {
      doors: ['test'],
      more: { tags: ['t'], metadata: { n: 1 }, task: 'x'.repeat(400) },
    })
    const b = await world.session('b')
    await a.update({ name: 'vega' })
    await b.watch('vega')
    await a.watch('b')
    const view = await b.query('vega')
    expect(view).toMatchObject({
      id: a.id,
      aliases: ['kilo'],
      task: 'x'.repeat(400),
      tags: ['t'],
      metadata: { n: 1 },
      doors: ['test'],
      wakeable: true,
      watching: [b.id],
      followers: [b.id],
      waitingFor: [],
      damagedMessages: 0,
      ttl: '4h',
    })
    expect(view).not.toHaveProperty('expiresAt')
    for (const target of [a.id, 'KILO', 'vega']) expect((await b.query(target)).id).toBe(a.id)
    expect((await a.query('me')).id).toBe(a.id)
  })

  it('says when it will be gone, where that can be said', async () => {
    const world = createWorld()
    const a = await world.session('a')
    await a.complete({ ttl: '2h' })
    expect((await a.query('me')).expiresAt).toBe(new Date(world.clock.now() + 2 * HOUR_MS).toISOString())
  })

  it.each(['reveiwer', 'nobody like that', '../../evil', '', 'nul', '__proto__', 'x'.repeat(5000)])(
    'C018 C196 %j is refused, naming the nearest',
    async (target) => {
      const world = createWorld()
      await world.session('reviewer')
      const fault = await refusalOf(world.client().query(target))
      expect(fault).toMatchObject({ code: 'SESSION_NOT_FOUND', message: expect.stringContaining('"reviewer"') })
      expect(fault.message.length).toBeLessThan(300)
    },
  )

  it('"me" of whoever has no session says so, and what to do', async () => {
    const world = createWorld()
    await world.session('reviewer')
    const fault = await refusalOf(world.client().query('me'))
    expect(fault).toMatchObject({ code: 'NOT_REGISTERED', hint: expect.stringContaining('update_session') })
    expect((await refusalOf(world.bus.query(HUMAN, 'me'))).code).toBe('NOT_REGISTERED')
  })
})
