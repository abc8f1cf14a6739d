import { describe, expect, it } from 'vitest'
import type { Store } from '../../src/core/ports.ts'
import { createWorld, DAY_MS, HOUR_MS, only, refusalOf } from './world.ts'

describe('message_status', () => {
  it('follows one message from stored over taken to read and answered, each with its evidence', async () => {
    const world = createWorld()
    const a = await world.session('a')
    const b = await world.session('b')
    const { messageId } = await a.send('b', 'question')
    const row = async () => only((await a.receipt(messageId)).recipients)

    expect(await row()).toMatchObject({ to: b.id, name: 'b', place: 'unread', stored: true })
    expect((await row()).evidence).toContain('unknown')
    const taken = await b.take()
    expect(await row()).toMatchObject({ place: 'claimed', evidence: expect.stringContaining('not confirmed') })
    expect(await row()).not.toHaveProperty('readAt')
    await world.clock.advance(5_000)
    await taken.handedOver()
    const readAt = new Date(world.clock.now()).toISOString()
    expect(await row()).toMatchObject({ place: 'read', readAt, readBy: b.id })
    expect(await row()).not.toHaveProperty('repliedWith')
    const reply = await b.send(undefined, 'answer', { replyTo: messageId })
    expect(await row()).toMatchObject({ place: 'read', repliedWith: reply.messageId })
  })

  it('C022 has one row for each recipient, and of a wake claims only what was seen', async () => {
    const world = createWorld()
    const a = await world.session('a')
    const b = await world.session('b', { doors: ['test'] })
    const sent = await a.send(['b', 'human'], 'look')
    expect((await a.receipt(sent.messageId)).recipients.map((row) => [row.to, row.place, row.turnStartedAt])).toEqual([
      [b.id, 'unread', undefined],
      ['human', 'unread', undefined],
    ])
    const wake = { wakeId: 'w', from: a.id, at: sent.sentAt, door: 'test' }
    const turnAt = new Date(world.clock.now() + 1_000).toISOString()
    const put = (lastWake: typeof wake & { turnAt?: string }) =>
      world.store.sessions.change(b.id, (e) => e?.activity && { activity: { ...e.activity, lastWake } })
    const started = async () => (await a.receipt(sent.messageId)).recipients[0]?.turnStartedAt
    await put(wake)
    expect(await started()).toBeUndefined()
    await put({ ...wake, turnAt })
    expect(await started()).toBe(turnAt)
    await put({ ...wake, turnAt, from: 'someone-else' })
    expect(await started()).toBeUndefined()
    await put({ ...wake, turnAt, at: new Date(world.clock.now() - HOUR_MS).toISOString() })
    expect(await started()).toBeUndefined()
  })

  it('tells stored and unread apart from removed, and knows when the recipient is gone', async () => {
    const world = createWorld({ defaultTtl: '1h', messageTtl: '2d' })
    const a = await world.session('a', { more: { ttl: '30d' } })
    const b = await world.session('b')
    const { messageId } = await a.send('b', 'x')
    if (b.process !== undefined) world.kill(b.process)
    await world.clock.advance(HOUR_MS)
    expect(only((await a.receipt(messageId)).recipients)).toMatchObject({
      place: 'unread',
      evidence: expect.stringContaining('no longer on the bus'),
    })
    await world.clock.advance(2 * DAY_MS)
    await world.store.inbox.drop(b.id, () => true, { unreadToo: true, dryRun: false })
    expect(only((await a.receipt(messageId)).recipients)).toMatchObject({
      place: 'missing',
      stored: false,
      evidence: expect.stringContaining('removed'),
    })
  })

  it('what could not be read is not called missing without the reason', async () => {
    const world = createWorld({
      store: (inner: Store) => ({
        ...inner,
        inbox: {
          ...inner.inbox,
          async find() {
            throw new Error('EACCES')
          },
        },
      }),
    })
    const a = await world.session('a')
    await world.session('b')
    const { messageId } = await a.send('b', 'x')
    expect(only((await a.receipt(messageId)).recipients).evidence).toContain('EACCES')
  })

  it('is for the sender alone', async () => {
    const world = createWorld()
    const a = await world.session('a')
    const b = await world.session('b')
    const { messageId } = await a.send('b', 'x')
    expect(await refusalOf(b.receipt(messageId))).toMatchObject({ code: 'MESSAGE_NOT_FOUND' })
    expect(await refusalOf(world.human.receipt(messageId))).toMatchObject({ code: 'MESSAGE_NOT_FOUND' })
    expect(await refusalOf(world.client().receipt(messageId))).toMatchObject({ code: 'NOT_REGISTERED' })
    for (const id of ['../../evil', '', 'msg-00000000000-00000000'])
      expect(await refusalOf(a.receipt(id))).toMatchObject({ code: 'MESSAGE_NOT_FOUND' })
    const mine = await world.human.send('b', 'y')
    expect((await world.human.receipt(mine.messageId)).recipients).toMatchObject([{ to: b.id, place: 'unread' }])
  })
})
