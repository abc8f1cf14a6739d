import { describe, expect, it } from 'vitest'
import { HUMAN_ID } from '../../src/core/caller.ts'
import { LIMITS } from '../../src/core/limits.ts'
import { type Client, createWorld, HOUR_MS, refusalOf } from './world.ts'

const WORK = { task: 'work', projectPath: '/p/one' }

function processOf(client: Client) {
  if (client.process === undefined) throw new Error('this client has no process')
  return client.process
}

describe('who is calling', () => {
  it.each<
    [string, { hostSays?: string; hookSays?: string; configured?: string; own?: string; argument?: string }, string]
  >([
    ['what the host put into the call', { hostSays: 'h', hookSays: 'k', configured: 'c', own: 'o' }, 'h true'],
    ['what a hook filled in, of our own client', { hookSays: 'k', configured: 'c', own: 'o' }, 'k true'],
    ['what the server was started with', { configured: 'c', own: 'o' }, 'c true'],
    ['what this connection registered', { own: 'o' }, 'o true'],
    ['what the argument says', { argument: 'g' }, 'g false'],
    ['nobody', {}, 'nobody'],
    ['the strongest, where the argument agrees', { hostSays: 'h', argument: 'h', own: 'o' }, 'h true'],
    ['the connection, where the argument agrees', { own: 'o', argument: 'o' }, 'o true'],
  ])('is %s', async (_, { own, ...says }, expected) => {
    const world = createWorld()
    const mine = world.process()
    const holder = world.client({ client: mine })
    for (const id of ['h', 'k', 'c', 'o', 'g']) {
      await holder.update(WORK, id)
    }
    world.kill(holder.server)
    const client = world.client({
      client: mine,
      ancestors: [mine],
      ...(says.configured && { configured: says.configured }),
    })
    if (own !== undefined) client.connection.own = own
    const caller = await client.caller({
      ...(says.hostSays && { hostSays: says.hostSays }),
      ...(says.hookSays && { hookSays: says.hookSays }),
      ...(says.argument && { argument: says.argument }),
    })
    expect(caller.kind === 'session' ? `${caller.id} ${caller.verified}` : caller.kind).toBe(expected)
  })

  it.each([{ hostSays: 'agent:main:x' }, { configured: 'agent:main:x' }])(
    'C142 a host’s own id that is none is cleaned, the same each time: %j',
    async (says) => {
      const world = createWorld()
      const client = world.client(says)
      const { id } = await client.update(WORK)
      expect(id).toMatch(/^agent-main-x-[0-9a-z]+$/)
      expect(await client.caller()).toMatchObject({ id, verified: true })
      expect((await client.list()).sessions).toHaveLength(1)
    },
  )

  it.each([
    '../../evil',
    '..\\evil',
    '/abs',
    '%2e%2e/evil',
    '.',
    'nul',
    'agent:main',
    '__proto__',
    'x'.repeat(300),
    'a ',
  ])('C142 C146 C148 an argument %j is refused at registration, and nobody is registered', async (id) => {
    const world = createWorld()
    const client = world.client()
    expect(await refusalOf(client.update(WORK, id))).toMatchObject({ code: 'BAD_ID' })
    expect(await refusalOf(client.as(id).send('x', 'y'))).toMatchObject({ code: 'BAD_ID' })
    expect((await world.store.sessions.list()).entries).toEqual([])
    expect(({} as Record<string, unknown>)['task']).toBeUndefined()
  })

  it('is never "human" by its own word', async () => {
    const world = createWorld()
    expect(await refusalOf(world.client().update(WORK, HUMAN_ID))).toMatchObject({ code: 'BAD_ID' })
    const claimed = world.client({ hostSays: HUMAN_ID })
    expect(await refusalOf(claimed.update(WORK, HUMAN_ID))).toMatchObject({ code: 'IDENTITY_MISMATCH' })
    expect((await claimed.update(WORK)).id).toMatch(/^human-[a-z0-9]+$/)
  })

  it('a mistyped id registers nobody and speaks for nobody later', async () => {
    const world = createWorld()
    const client = world.client()
    await refusalOf(client.as('typo').send('human', 'hello'))
    expect(client.connection.named.size).toBe(0)
    expect((await client.caller()).kind).toBe('nobody')
  })
})

describe('an argument that contradicts a stronger source', () => {
  it('is refused, and nothing is changed', async () => {
    const world = createWorld()
    const a = await world.session('a')
    const b = await world.session('b')
    const before = [await world.entry(a.id), await world.entry(b.id)]
    for (const call of [
      () => a.update({ progress: 'as b' }, b.id),
      () => a.as(b.id).send('human', 'as b'),
      () => a.as(b.id).complete(),
      () => a.as(b.id).watch(a.id),
    ]) {
      expect(await refusalOf(call())).toMatchObject({
        code: 'IDENTITY_MISMATCH',
        hint: expect.stringContaining('send_message'),
      })
    }
    expect([await world.entry(a.id), await world.entry(b.id)]).toEqual(before)
    expect((await world.human.read()).messages).toEqual([])
  })

  it('holds against what the host says, too', async () => {
    const world = createWorld()
    const b = await world.session('b')
    const a = world.client({ hostSays: 'host-id' })
    expect(await refusalOf(a.update(WORK, b.id))).toMatchObject({ code: 'IDENTITY_MISMATCH' })
    expect((await a.update(WORK)).id).toBe('host-id')
  })

  it('C040 in read_inbox only ever makes it a look', async () => {
    const world = createWorld()
    const a = await world.session('a')
    const b = await world.session('team lead')
    await a.send('team lead', 'for b')
    for (const inbox of [b.id, 'team lead', ' Team Lead ']) {
      const answer = await a.read({ inbox })
      expect(answer).toMatchObject({ sessionId: b.id, peek: true, remaining: 0 })
      expect(answer.messages).toHaveLength(1)
    }
    expect(await b.read()).toMatchObject({ peek: false, messages: [{ content: 'for b' }] })
  })

  it('C040 in read_inbox makes it a look, too, where the owner is gone', async () => {
    const world = createWorld()
    const b = await world.session('b')
    await world.human.send('b', 'for b')
    world.kill(processOf(b))
    const vouched = world.client({ hostSays: 'h' })
    await vouched.update(WORK)
    for (const reader of [await world.session('a'), vouched])
      expect(await reader.read({ inbox: b.id })).toMatchObject({ peek: true, messages: [{ content: 'for b' }] })
    expect((await world.store.inbox.unread(b.id)).ids).toHaveLength(1)
  })

  it('C040 in read_inbox by a client that has not registered is a look as well', async () => {
    const world = createWorld()
    const a = await world.session('a')
    const b = await world.session('b')
    await a.send('b', 'for b')
    expect(await world.client().read({ inbox: b.id })).toMatchObject({ peek: true, messages: [{ content: 'for b' }] })
    expect(await world.client().read({ inbox: 'b' })).toMatchObject({ peek: true })
    expect((await b.read()).messages).toHaveLength(1)
  })
})

describe('C047 two programs with one id', () => {
  it('the second is refused and told, the first is told once, and nothing of it is overwritten or drained', async () => {
    const world = createWorld()
    const first = world.client()
    const second = world.client()
    await first.update({ ...WORK, progress: 'mine' }, 'A')
    await world.human.send('A', 'for the first')
    expect(await refusalOf(second.update({ ...WORK, progress: 'other' }, 'A'))).toMatchObject({
      code: 'SESSION_IN_USE',
    })
    expect(await refusalOf(second.as('A').complete())).toMatchObject({ code: 'SESSION_IN_USE' })
    expect((await second.read({ inbox: 'A' })).peek).toBe(true)
    const { session } = await world.entry('A')
    expect(session).toMatchObject({ progress: 'mine', status: 'active', host: { client: processOf(first) } })
    expect((await first.news())?.notices).toEqual([expect.stringContaining(`process ${second.server.pid}`)])
    expect((await first.news())?.notices).toBeUndefined()
    expect((await first.read()).messages).toHaveLength(1)
  })

  it('that register it at the same moment: one has it, the other is refused', async () => {
    const world = createWorld()
    const clients = [world.client(), world.client()]
    const results = await Promise.allSettled(
      clients.map((c, n) => c.update({ ...WORK, name: 'twin', progress: `by ${n}` }, 'A')),
    )
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const winner = results.findIndex(({ status }) => status === 'fulfilled')
    expect(results[1 - winner]).toMatchObject({ reason: { code: 'SESSION_IN_USE' } })
    expect((await world.entry('A')).session.progress).toBe(`by ${winner}`)
    expect((await world.client().query('twin')).id).toBe('A')
  })

  it('the id is free when the client that had it is gone', async () => {
    const world = createWorld()
    const first = world.client()
    const second = world.client()
    await first.update(WORK, 'A')
    world.kill(processOf(first))
    expect((await second.update({ progress: 'taken over' }, 'A')).registered).toBe(false)
    expect((await world.entry('A')).session.host.client).toEqual(processOf(second))
  })

  it('an owner that lives keeps it, however long it is silent', async () => {
    const world = createWorld()
    await world.client().update(WORK, 'A')
    await world.clock.advance(9 * HOUR_MS)
    expect(await refusalOf(world.client().update({}, 'A'))).toMatchObject({ code: 'SESSION_IN_USE' })
  })

  it('C062 an owner that cannot be checked keeps it while it shows itself, and loses it when it is silent for long', async () => {
    const world = createWorld()
    const first = world.client()
    const second = world.client()
    await first.update(WORK, 'A')
    world.hide(processOf(first))
    await world.clock.advance(LIMITS.quietMs)
    expect(await refusalOf(second.update({}, 'A'))).toMatchObject({ code: 'SESSION_IN_USE' })
    await world.clock.advance(1)
    expect((await second.update({}, 'A')).id).toBe('A')
  })
})

describe('C201 two servers of one client', () => {
  it('the new one takes over by registering, the old one steps back, and both know', async () => {
    const world = createWorld()
    const mine = world.process()
    const old = world.client({ client: mine })
    await old.update(WORK, 'A')
    const fresh = world.client({ client: mine })
    expect(await refusalOf(fresh.as('A').send('human', 'too early'))).toMatchObject({
      code: 'SESSION_IN_USE',
      hint: expect.stringContaining('update_session'),
    })
    const taken = await fresh.update({}, 'A')
    expect(taken.notices).toEqual([expect.stringContaining(String(old.server.pid))])
    await world.human.send('A', 'for the one that acts')
    expect(await refusalOf(old.send('human', 'late'))).toMatchObject({ code: 'SESSION_IN_USE' })
    expect(await refusalOf(old.complete())).toMatchObject({ code: 'SESSION_IN_USE' })
    expect((await world.entry('A')).session.host.server).toEqual(fresh.server)
    expect((await fresh.as('A').read()).messages).toHaveLength(1)
  })

  it('the next call of the old server does not take it back', async () => {
    const world = createWorld()
    const mine = world.process()
    const old = world.client({ client: mine })
    await old.update(WORK, 'A')
    const fresh = world.client({ client: mine })
    await fresh.update({}, 'A')
    await world.clock.advance(HOUR_MS)
    await refusalOf(old.list())
    expect((await world.entry('A')).session.host.server).toEqual(fresh.server)
    // Nor does an update that names no id; naming it is how one takes over.
    expect(await refusalOf(old.update({ status: 'blocked' }))).toMatchObject({ code: 'SESSION_IN_USE' })
    expect((await world.entry('A')).session).toMatchObject({ status: 'active', host: { server: fresh.server } })
  })

  it('a server that was restarted goes on for the same client without asking', async () => {
    const world = createWorld()
    const mine = world.process()
    const old = world.client({ client: mine, configured: 'A' })
    await old.update(WORK)
    world.kill(old.server)
    const fresh = world.client({ client: mine, configured: 'A' })
    await fresh.send('human', 'still me')
    expect((await world.entry('A')).session.host.server).toEqual(fresh.server)
  })
})

describe('what a hook says', () => {
  it('counts only where the session’s recorded client is an ancestor of this server', async () => {
    const world = createWorld()
    const a = await world.session('a')
    const foreign = world.client()
    expect((await foreign.caller({ hookSays: a.id })).kind).toBe('nobody')
    const below = world.client({ ancestors: [world.process(), processOf(a)] })
    expect(await below.caller({ hookSays: a.id })).toMatchObject({ id: a.id, verified: true })
  })

  it('is ignored when it names nobody, or a pid that now belongs to another process', async () => {
    const world = createWorld()
    const a = await world.session('a')
    const reused = { ...processOf(a), start: 'another' }
    const client = world.client({ ancestors: [reused] })
    for (const hookSays of [a.id, 'nobody-here', '../../evil', '']) {
      expect((await client.caller({ hookSays })).kind, hookSays).toBe('nobody')
    }
  })
})

describe('a server that speaks for several sessions', () => {
  it('takes the sender from each call, marks it unverified, and asks where the call does not say', async () => {
    const world = createWorld()
    const ide = world.client()
    await ide.update({ ...WORK, name: 'tab one' }, 'one')
    expect((await ide.caller()).kind).toBe('session')
    await ide.update({ ...WORK, name: 'tab two' }, 'two')
    await ide.as('one').send('tab two', 'hello')
    expect((await ide.as('two').read()).messages).toMatchObject([{ from: { id: 'one', verified: false } }])
    const fault = await refusalOf(ide.send('one', 'from whom?'))
    expect(fault).toMatchObject({ code: 'BAD_INPUT', hint: 'Pass sessionId.' })
    expect(fault.message).toContain('one, two')
  })

  it('C042 reads of one take nothing of the other', async () => {
    const world = createWorld()
    const ide = world.client()
    await ide.update(WORK, 'one')
    await ide.update(WORK, 'two')
    await world.human.send('two', 'for two')
    expect(await ide.as('one').read()).toMatchObject({ sessionId: 'one', messages: [] })
    expect(await ide.read({ inbox: 'two' })).toMatchObject({
      sessionId: 'two',
      peek: false,
      messages: [{ content: 'for two' }],
    })
  })

  it('the sessions of its connection are unverified, those it was told of by the host are not', async () => {
    const world = createWorld()
    const ide = world.client()
    await ide.update(WORK, 'named')
    await ide.update(WORK, undefined, { hostSays: 'vouched' })
    expect((await world.entry('named')).session.selfNamed).toBe(true)
    expect((await world.entry('vouched')).session.selfNamed).toBe(false)
  })
})
