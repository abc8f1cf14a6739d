import { describe, expect, it } from 'vitest'
import { executor } from './tabs.ts'
import { createWorld, DAY_MS, HOUR_MS, MINUTE_MS, refusalOf } from './world.ts'

describe('complete_session', () => {
  it('closes the session with its result, and says who will be told and what is unread', async () => {
    const world = createWorld()
    const a = await world.session('a')
    const b = await world.session('b')
    await b.watch('a')
    await b.send('a', 'wait')
    const answer = await a.complete({ result: 'all\ngreen' })
    const closedAt = new Date(world.clock.now()).toISOString()
    expect(answer).toEqual({
      id: a.id,
      name: 'a',
      status: 'completed',
      closedAt,
      expiresAt: new Date(world.clock.now() + 4 * HOUR_MS).toISOString(),
      followers: [b.id],
      unread: 1,
      next: expect.stringContaining('update_session{status:"active"} opens it again'),
    })
    expect((await world.entry(a.id)).session).toMatchObject({
      status: 'completed',
      result: 'all\ngreen',
      closedAt,
      closeReason: 'complete_session',
      statusSeq: 2,
      trail: [{ seq: 2, state: 'closed' }],
    })
    expect(await b.query('a')).toMatchObject({ finished: 'closed', result: 'all\ngreen' })
  })

  it('a repeated call whose first answer was lost changes nothing and gives the same answer', async () => {
    const world = createWorld()
    const a = await world.session('a')
    const first = await a.complete({ result: 'done', ttl: '2h' })
    const record = await world.entry(a.id)
    await world.clock.advance(MINUTE_MS)
    for (const input of [{ result: 'done', ttl: '2h' }, { result: 'done' }, {}])
      expect(await a.complete(input)).toEqual(first)
    expect(await world.entry(a.id)).toBe(record)
  })

  it.each([{ result: 'something else' }, { status: 'cancelled' as const }])(
    'a second closing that says something else is refused: %j',
    async (input) => {
      const world = createWorld()
      const a = await world.session('a')
      await a.complete({ result: 'done' })
      expect(await refusalOf(a.complete(input))).toMatchObject({ code: 'SESSION_CLOSED' })
      expect((await world.entry(a.id)).session).toMatchObject({ status: 'completed', result: 'done' })
    },
  )

  it('can be cancelled instead', async () => {
    const world = createWorld()
    const a = await world.session('a')
    expect((await a.complete({ status: 'cancelled' })).status).toBe('cancelled')
    expect((await world.client().list({ status: 'cancelled' })).total).toBe(1)
  })

  it('C077 with a ttl of 30 days it is still there after 29, and gone after 30', async () => {
    const world = createWorld()
    const a = await world.session('a')
    const { expiresAt } = await a.complete({ ttl: '30d' })
    expect(Date.parse(expiresAt) - world.clock.now()).toBe(30 * DAY_MS)
    await world.clock.advance(30 * DAY_MS - 1)
    await world.bus.sweep()
    expect((await world.client().query('a')).id).toBe(a.id)
    await world.clock.advance(1)
    expect(await refusalOf(world.client().query('a'))).toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })

  it('keeps the ttl it had where none is given', async () => {
    const world = createWorld()
    const a = await world.session('a', { more: { ttl: '90m' } })
    expect(Date.parse((await a.complete()).expiresAt) - world.clock.now()).toBe(90 * MINUTE_MS)
  })

  it.each([
    [{ ttl: 'soon' }, 'BAD_TTL'],
    [{ result: 'x'.repeat(8 * 1024 + 1) }, 'RECORD_TOO_LARGE'],
    [{ result: 'a\0b' }, 'BAD_INPUT'],
    [{ result: 'x\ud83d' }, 'BAD_INPUT'],
  ])('C144 C134 bad input is refused and the session stays open: %#', async (input, code) => {
    const world = createWorld()
    const a = await world.session('a')
    expect(await refusalOf(a.complete(input))).toMatchObject({ code })
    expect((await world.entry(a.id)).session.status).toBe('active')
  })

  it('who has no session has nothing to complete', async () => {
    const world = createWorld()
    for (const client of [world.client(), world.client({ hostSays: 'h' }), world.human])
      expect(await refusalOf(client.complete())).toMatchObject({ code: 'NOT_REGISTERED' })
  })
})

describe('a closed session', () => {
  async function closed() {
    const tabs = executor()
    const world = createWorld({ executors: [tabs] })
    const [a, b] = [await world.session('a'), await world.session('b')]
    await a.complete({ result: 'done' })
    return { world, tabs, a, b }
  }

  it('begins nothing new: it opens and follows nobody, and is told how it is opened again', async () => {
    const { world, tabs, a } = await closed()
    const before = await world.entry(a.id)
    for (const [call, doing] of [
      [() => a.create({ prompt: 'Help.', host: 'hosted' }), 'open sessions'],
      [() => a.watch('b'), 'follow others'],
      [() => a.unwatch('b'), 'follow others'],
    ] as const) {
      expect(await refusalOf(call())).toMatchObject({
        code: 'SESSION_CLOSED',
        message: `Session ${a.id} was closed as completed at ${before.session.closedAt}, so it cannot ${doing}. Nothing was changed.`,
        hint: expect.stringContaining('update_session{status:"active"} opens it again'),
      })
    }
    expect(tabs.performed).toEqual([])
    expect((await world.entry(a.id)).session).toEqual(before.session)
    expect((await a.list()).sessions).toHaveLength(2)
    await a.update({ status: 'active' })
    expect(await a.watch('b')).toMatchObject({ added: [expect.any(String)] })
    expect((await a.create({ prompt: 'Help.', host: 'hosted' })).action).toMatchObject({ state: 'done' })
  })

  it('looks, reads, answers, waits and steers as before, which changes nothing of it', async () => {
    const { world, tabs, a, b } = await closed()
    const { session } = await world.entry(a.id)
    const asked = await b.send('a', 'Are you there?')
    expect((await a.read()).messages.map(({ id }) => id)).toEqual([asked.messageId])
    expect((await a.send(undefined, 'Yes.', { replyTo: asked.messageId })).to).toMatchObject([{ id: b.id }])
    await b.complete()
    expect(await a.wait({ sessions: ['b'] })).toMatchObject({ done: true, reason: 'reached' })
    expect((await a.manage('b', 'close')).action).toMatchObject({ state: 'done' })
    expect(tabs.performed).toHaveLength(1)
    expect((await world.entry(a.id)).session).toEqual(session)
  })
})
