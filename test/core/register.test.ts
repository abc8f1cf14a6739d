import { describe, expect, it } from 'vitest'
import type { UpdateInput } from '../../src/core/bus.ts'
import type { Json } from '../../src/core/json.ts'
import { LIMITS } from '../../src/core/limits.ts'
import type { EntryChange, Store } from '../../src/core/ports.ts'
import type { Session } from '../../src/core/session.ts'
import { createWorld, HOUR_MS, refusalOf, type World } from './world.ts'

const WORK = { task: 'work', projectPath: '/p/one' }

/** A store whose next change of a record runs something first, or fails. */
function meddling(): { store(inner: Store): Store; before: (() => Promise<unknown> | undefined) | undefined } {
  const it = {
    before: undefined as (() => Promise<unknown> | undefined) | undefined,
    store: (inner: Store): Store => ({
      ...inner,
      sessions: {
        ...inner.sessions,
        async change(id, decide) {
          const { before } = it
          it.before = undefined
          await before?.()
          return inner.sessions.change(id, decide)
        },
      },
    }),
  }
  return it
}

describe('registering', () => {
  it('needs a task and a project, and says which is missing', async () => {
    const world = createWorld()
    const missing = [
      [{}, 'task and projectPath are missing'],
      [{ task: 'x' }, 'projectPath is missing'],
      [{ projectPath: '/p' }, 'task is missing'],
    ] as const
    for (const [input, why] of missing) {
      const fault = await refusalOf(world.client().update(input))
      expect(fault).toMatchObject({ code: 'NOT_REGISTERED', message: expect.stringContaining(why) })
    }
    expect((await world.store.sessions.list()).entries).toEqual([])
  })

  it('makes a session with an id of its own, once per connection', async () => {
    const world = createWorld()
    const a = world.client({ kind: 'codex', doors: ['queue'] })
    const first = await a.update({ ...WORK, name: 'a', tags: ['x', 'x'], metadata: { n: 1 }, groupId: 'g', model: 'm' })
    expect(first).toMatchObject({ registered: true, name: 'a', status: 'active', ttl: '4h', projectPath: '/p/one' })
    const again = await a.update({ task: 'other work' })
    expect(again).toMatchObject({ id: first.id, registered: false })
    expect((await world.entry(first.id)).session).toMatchObject({
      task: 'other work',
      tags: ['x'],
      metadata: { n: 1 },
      groupId: 'g',
      model: 'm',
      host: { kind: 'codex', doors: ['queue'], hostKey: first.id, client: a.process, server: a.server },
      statusSeq: 2,
      wakeable: true,
    })
  })

  it('C020 a call that fails registers nobody and keeps no name', async () => {
    const world = createWorld()
    const bad: UpdateInput[] = [
      { ...WORK, name: 'ok', ttl: 'soon' },
      { ...WORK, name: 'ok', projectPath: 'relative' },
      { ...WORK, name: 'ok', groupId: '../../evil' },
      { ...WORK, name: 'ok', tags: ['__proto__'] },
      { ...WORK, name: 'ok', status: 'completed' },
      { task: '  ', projectPath: '/p/one', name: 'ok' },
    ]
    for (const input of bad) await refusalOf(world.client().update(input))
    expect((await world.store.sessions.list()).entries).toEqual([])
    expect(await world.store.names.owner('ok')).toBeUndefined()
  })

  it('C122 without a projectPath that can be one is refused, and "/" is none', async () => {
    const world = createWorld()
    for (const projectPath of ['/', '', 'p', '.']) {
      const fault = await refusalOf(world.client().update({ task: 'x', projectPath }))
      expect(['BAD_PATH', 'NOT_REGISTERED']).toContain(fault.code)
    }
  })

  it('keeps the path as it was written beside the one it means, and the checkout of a worktree', async () => {
    const world = createWorld()
    world.projects.set('~/w', { path: '/home/u/w', repoPath: '/home/u/repo', branch: 'fix' })
    const a = world.client()
    const answer = await a.update({ task: 'x', projectPath: '~/w' })
    expect(answer).toMatchObject({ projectPath: '/home/u/w', repoPath: '/home/u/repo' })
    expect((await world.entry(a.id)).session).toMatchObject({ projectPathGiven: '~/w', branch: 'fix' })
    await a.update({ projectPath: '/p/two' })
    const { session } = await world.entry(a.id)
    expect(session.projectPath).toBe('/p/two')
    expect(session).not.toHaveProperty('projectPathGiven')
    expect(session).not.toHaveProperty('repoPath')
    expect(session).not.toHaveProperty('branch')
  })

  it('C130 a worktree that was removed still belongs to its checkout', async () => {
    const world = createWorld()
    world.projects.set('/w/1a4b', { path: '/w/1a4b', repoPath: '/p/r' })
    const a = world.client()
    await a.update({ task: 'x', projectPath: '/w/1a4b' })
    world.projects.delete('/w/1a4b')
    await a.update({ task: 'y', projectPath: '/w/1a4b' })
    expect((await world.entry(a.id)).session.repoPath).toBe('/p/r')
  })

  it('the person at this machine has no session to update', async () => {
    const world = createWorld()
    expect(await refusalOf(world.human.update(WORK))).toMatchObject({ code: 'NOT_REGISTERED' })
  })
})

describe('updating', () => {
  it('changes what is given, clears what is empty, and leaves the rest', async () => {
    const world = createWorld()
    const a = await world.session('a', { more: { progress: 'p', groupId: 'g', model: 'm', ttl: '1h' } })
    await a.update({ progress: '', groupId: '', status: 'blocked', wakeable: false })
    const { session } = await world.entry(a.id)
    expect(session).toMatchObject({ name: 'a', model: 'm', ttl: '1h', status: 'blocked', wakeable: false })
    expect(session).not.toHaveProperty('progress')
    expect(session).not.toHaveProperty('groupId')
  })

  it('counts each change, and remembers each change of state', async () => {
    const world = createWorld()
    const a = await world.session('a')
    await a.update({ progress: '1' })
    await a.update({ status: 'blocked' })
    await a.update({ status: 'blocked', progress: '2' })
    await a.update({ status: 'active' })
    expect((await world.entry(a.id)).session).toMatchObject({
      statusSeq: 5,
      trail: [
        { seq: 3, state: 'blocked' },
        { seq: 5, state: 'active' },
      ],
    })
  })

  it('what is said again is no change: no new time, no news for anyone, only a sign of life', async () => {
    const world = createWorld()
    const input = { progress: 'half', status: 'active', tags: ['t'], metadata: { n: [1] } } as const
    const a = await world.session('a', { more: input })
    const b = await world.session('b')
    await b.watch('a')
    const before = await world.entry(a.id)
    await world.clock.advance(HOUR_MS)
    for (const again of [{}, input, { ...WORK, task: 'the work of a', name: 'a', ttl: '4h' }]) await a.update(again)
    const after = await world.entry(a.id)
    expect(after.session).toEqual(before.session)
    expect(after.activity?.lastSeenAt).toBe(new Date(world.clock.now()).toISOString())
    expect(await b.news()).toBeUndefined()
    await a.update({ progress: 'whole' })
    expect((await world.entry(a.id)).session).toMatchObject({ statusSeq: 2, updatedAt: after.activity?.lastSeenAt })
  })

  it('fields of a newer version survive it', async () => {
    const world = createWorld()
    const a = await world.session('a')
    await world.store.sessions.change(
      a.id,
      (current): EntryChange | undefined =>
        current && {
          session: { ...current.session, phase: 'plan', host: { ...current.session.host, window: 7 } } as Session,
        },
    )
    await a.update({ progress: 'x', name: 'b' })
    await a.complete()
    expect((await world.entry(a.id)).session).toMatchObject({ phase: 'plan', host: { window: 7 }, name: 'b' })
  })

  it.each<[string, UpdateInput, string]>([
    ['task', { task: 'x'.repeat(501) }, 'RECORD_TOO_LARGE'],
    ['task', { task: 'a\0b' }, 'BAD_INPUT'],
    ['task', { task: 'a\u001b[31mb' }, 'BAD_INPUT'],
    ['task', { task: 'x\ud83d y' }, 'BAD_INPUT'],
    ['progress', { progress: 'ä'.repeat(251) }, 'RECORD_TOO_LARGE'],
    ['progress', { progress: 'a\0b' }, 'BAD_INPUT'],
    ['metadata', { metadata: { x: 'y'.repeat(LIMITS.metadataBytes) } }, 'RECORD_TOO_LARGE'],
    ['tags', { tags: Array.from({ length: 17 }, (_, n) => `t${n}`) }, 'RECORD_TOO_LARGE'],
    ['tag', { tags: ['a/b'] }, 'BAD_NAME'],
    ['groupId', { groupId: '__proto__' }, 'BAD_NAME'],
    ['name', { name: '../../evil' }, 'BAD_NAME'],
    ['model', { model: 'a\nb' }, 'BAD_INPUT'],
    ['ttl', { ttl: '5 years' }, 'BAD_TTL'],
    ['projectPath', { projectPath: 'relative' }, 'BAD_PATH'],
  ])('C144 C134 C146 with a bad %s is refused by its name, and nothing changes: %j', async (field, input, code) => {
    const world = createWorld()
    const a = await world.session('a')
    const before = await world.entry(a.id)
    const fault = await refusalOf(a.update({ progress: 'not stored', ...input }))
    expect(fault).toMatchObject({ code, message: expect.stringContaining(field) })
    expect(await world.entry(a.id)).toBe(before)
  })

  it('a line break in a task becomes a space', async () => {
    const world = createWorld()
    const a = await world.session('a')
    await a.update({ task: ' fix\r\n  the\tparser ' })
    expect((await world.entry(a.id)).session.task).toBe('fix the parser')
  })
})

describe('C148 metadata', () => {
  it.each(['{"__proto__":1}', '{"a":{"__proto__":{"x":1}}}', '{"a":[{"__proto__":null}]}'])(
    'with the key __proto__ is refused: %s',
    async (text) => {
      const world = createWorld()
      const a = await world.session('a')
      const metadata = JSON.parse(text) as Record<string, Json>
      expect(await refusalOf(a.update({ metadata }))).toMatchObject({
        code: 'BAD_INPUT',
        message: expect.stringContaining('__proto__'),
      })
      expect(({} as Record<string, unknown>)['x']).toBeUndefined()
    },
  )

  it('with that word as a value, and with any other key, comes back as it was', async () => {
    const world = createWorld()
    const a = await world.session('a')
    const metadata = { constructor: 'x', a: '__proto__', b: ['"__proto__":'], '': null, 'ä\n': { toString: true } }
    await a.update({ metadata })
    expect((await a.query('me')).metadata).toEqual(metadata)
  })
})

describe('names', () => {
  it('a taken name is refused with its owner and one that is free, and nothing changes', async () => {
    const world = createWorld()
    const a = await world.session('lead')
    await world.session('lead-2')
    const c = await world.session('c')
    for (const name of ['lead', 'LEAD', ' Ｌead ']) {
      const fault = await refusalOf(c.update({ name, progress: 'not stored' }))
      expect(fault).toMatchObject({
        code: 'NAME_TAKEN',
        hint: expect.stringContaining(`${name.trim().normalize('NFKC')}-3`),
      })
      expect(fault.message).toContain(a.id)
    }
    expect((await world.entry(c.id)).session).toMatchObject({ name: 'c', statusSeq: 1 })
    expect(await refusalOf(world.client().update({ ...WORK, name: 'lead' }))).toMatchObject({ code: 'NAME_TAKEN' })
  })

  it('of two that take one name at once one gets it', async () => {
    const world = createWorld()
    const results = await Promise.allSettled([1, 2, 3].map(() => world.client().update({ ...WORK, name: 'lead' })))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'NAME_TAKEN' })
    expect((await world.store.sessions.list()).entries).toHaveLength(1)
  })

  it('an id is a name that is taken, and a name is an id that is taken', async () => {
    const world = createWorld()
    await world.client().update(WORK, 'worker-1')
    const b = await world.session('b')
    expect(await refusalOf(b.update({ name: 'worker-1' }))).toMatchObject({ code: 'NAME_TAKEN' })
    expect(await refusalOf(world.client().update(WORK, 'b'))).toMatchObject({ code: 'NAME_TAKEN' })
    expect(await world.store.sessions.read('b')).toBeUndefined()
  })

  it('C051 a renamed session still answers to what it was called, in any case', async () => {
    const world = createWorld()
    const a = await world.session('kilo')
    const b = await world.session('b')
    await a.update({ name: 'vega' })
    await b.send('KILO', 'to the old name')
    await b.send('vega', 'to the new one')
    expect((await a.read()).messages).toHaveLength(2)
    expect((await b.query('kilo')).id).toBe(a.id)
    expect(await refusalOf(b.update({ name: 'kilo' }))).toMatchObject({ code: 'NAME_TAKEN' })
    await a.update({ name: 'kilo' })
    expect((await world.entry(a.id)).session).toMatchObject({ name: 'kilo', aliases: ['vega'] })
  })

  it('of many renames the last eight names are kept, older ones are given up', async () => {
    const world = createWorld()
    const a = await world.session('n0')
    for (let n = 1; n <= 10; n++) await a.update({ name: `n${n}` })
    const { session } = await world.entry(a.id)
    expect(session.aliases).toEqual(['n2', 'n3', 'n4', 'n5', 'n6', 'n7', 'n8', 'n9'])
    for (const name of ['n0', 'n1']) expect(await world.store.names.owner(name)).toBeUndefined()
    expect((await world.session('n0')).id).not.toBe(a.id)
    expect(await refusalOf(a.query('n1'))).toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })

  it('a name that was cleared stays as an alias', async () => {
    const world = createWorld()
    const a = await world.session('kilo')
    await a.update({ name: '' })
    expect((await world.entry(a.id)).session).toMatchObject({ aliases: ['kilo'] })
    expect((await world.entry(a.id)).session).not.toHaveProperty('name')
    expect((await a.query('kilo')).id).toBe(a.id)
  })

  it('a name whose owner has expired, or gave it up without saying so, is free', async () => {
    const world = createWorld({ defaultTtl: '1h' })
    const a = await world.session('old')
    await world.store.names.take('ghost', 'ses-never-there')
    await world.store.names.take('left', a.id)
    if (a.process !== undefined) world.kill(a.process)
    const b = await world.session('b')
    // For a moment it may belong to a session that is about to be written.
    expect(await refusalOf(b.update({ name: 'ghost' }))).toMatchObject({ code: 'NAME_TAKEN' })
    await world.clock.advance(11_000)
    for (const name of ['ghost', 'left']) expect((await b.update({ name })).name).toBe(name)
    await world.clock.advance(HOUR_MS)
    expect((await b.update({ name: 'old' })).name).toBe('old')
  })

  it('a failed change gives a new name back, and keeps the ones the record carries', async () => {
    const meddler = meddling()
    const world = createWorld({ store: meddler.store })
    const a = await world.session('kilo')
    await a.update({ name: 'vega' })
    for (const name of ['fresh', 'kilo', 'VEGA']) {
      meddler.before = () => Promise.reject(new Error('busy'))
      await expect(a.update({ name })).rejects.toThrow('busy')
    }
    expect(await world.store.names.owner('fresh')).toBeUndefined()
    expect((await a.query('kilo')).id).toBe(a.id)
    expect((await a.query('vega')).id).toBe(a.id)
  })
})

describe('a closed session', () => {
  const closed = async (world: World) => {
    const a = await world.session('a', { more: { progress: 'p' } })
    await a.complete({ result: 'r' })
    return a
  }

  it.each<UpdateInput>([{ progress: 'x' }, { name: 'b' }, { status: 'blocked' }, { ttl: '9h' }, {}])(
    'C064 is read-only: %j',
    async (input) => {
      const world = createWorld()
      const a = await closed(world)
      const before = await world.entry(a.id)
      expect(await refusalOf(a.update(input))).toMatchObject({
        code: 'SESSION_CLOSED',
        hint: expect.stringContaining('status:"active"'),
      })
      expect(await world.entry(a.id)).toBe(before)
      expect(await world.store.names.owner('b')).toBeUndefined()
    },
  )

  it('is opened again by status active, and only by that', async () => {
    const world = createWorld()
    const a = await closed(world)
    expect(await a.update({ status: 'active', progress: 'again' })).toMatchObject({
      registered: false,
      status: 'active',
    })
    const { session } = await world.entry(a.id)
    expect(session).toMatchObject({ result: 'r', progress: 'again' })
    expect(session).not.toHaveProperty('closedAt')
    expect(session).not.toHaveProperty('closeReason')
    expect(session.trail.map(({ state }) => state)).toEqual(['closed', 'active'])
  })

  it('C064 is not opened by an update that was on its way while it closed', async () => {
    const meddler = meddling()
    const world = createWorld({ store: meddler.store })
    const a = await world.session('a')
    meddler.before = () => a.complete({ result: 'r' })
    expect(await refusalOf(a.update({ progress: 'late', name: 'late' }))).toMatchObject({ code: 'SESSION_CLOSED' })
    expect((await world.entry(a.id)).session).toMatchObject({ status: 'completed', result: 'r' })
    expect(await world.store.names.owner('late')).toBeUndefined()
  })

  it('that has expired is registered anew', async () => {
    const world = createWorld({ defaultTtl: '1h' })
    const a = world.client({ hostSays: 'h' })
    await a.update({ ...WORK, name: 'a', progress: 'old' })
    await a.complete()
    await world.clock.advance(HOUR_MS)
    expect(await refusalOf(a.update({ progress: 'x' }))).toMatchObject({ code: 'NOT_REGISTERED' })
    expect(await a.update({ task: 'new', projectPath: '/p/two' })).toMatchObject({ id: 'h', registered: true })
    const { session } = await world.entry('h')
    expect(session).toMatchObject({ task: 'new', status: 'active', statusSeq: 1 })
    expect(session).not.toHaveProperty('progress')
    expect(session).not.toHaveProperty('closedAt')
  })
})

it('one server that registers an id twice at once registers it once', async () => {
  const world = createWorld()
  const a = world.client({ client: null })
  const answers = await Promise.all([a.update(WORK, 'A'), a.update({ ...WORK, progress: 'p' }, 'A')])
  expect(answers.map(({ id }) => id)).toEqual(['A', 'A'])
  expect((await world.store.sessions.list()).entries).toHaveLength(1)
})
