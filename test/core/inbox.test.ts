import { describe, expect, it } from 'vitest'
import type { ReadInput } from '../../src/core/bus.ts'
import { utf8Bytes } from '../../src/core/json.ts'
import { LIMITS } from '../../src/core/limits.ts'
import type { Store } from '../../src/core/ports.ts'
import { aMessage } from '../contract/records.ts'
import { type Client, createWorld, DAY_MS, MINUTE_MS, only, refusalOf, type World } from './world.ts'

async function pair(world: World): Promise<[Client, Client]> {
  return [await world.session('a'), await world.session('b')]
}

const contents = (answer: { messages: readonly { content: string }[] }) => answer.messages.map(({ content }) => content)

/** Messages that cannot be read, as a damaged file is, and are set aside when they are claimed. */
function damaging(broken: Set<string>) {
  return (inner: Store): Store => ({
    ...inner,
    inbox: {
      ...inner.inbox,
      async find(id, messageId) {
        if (broken.has(messageId)) throw new Error('cut short')
        return inner.inbox.find(id, messageId)
      },
      async claim(id, messageId) {
        return broken.has(messageId) ? { what: messageId, why: 'damaged' } : inner.inbox.claim(id, messageId)
      },
    },
  })
}

describe('read_inbox', () => {
  it('C032 the call that takes the messages shows them all, the next one none, and history keeps them', async () => {
    const world = createWorld()
    const [a, b] = await pair(world)
    for (const n of [1, 2, 3, 4]) await a.send('b', `m${n}`)
    const first = await b.read()
    expect(contents(first)).toEqual(['m1', 'm2', 'm3', 'm4'])
    expect(first).toMatchObject({
      sessionId: b.id,
      remaining: 0,
      peek: false,
      note: expect.stringContaining('not of the user'),
    })
    expect(await b.read()).toEqual({ sessionId: b.id, messages: [], remaining: 0, peek: false })
    expect(contents(await b.read({ history: 10 }))).toEqual(['m1', 'm2', 'm3', 'm4'])
  })

  it('C030 mail that is read late comes in order, and its age is said', async () => {
    const world = createWorld()
    const [a, b] = await pair(world)
    await a.send('b', 'which port?')
    await world.clock.advance(MINUTE_MS)
    await a.send('b', 'settled: 8081')
    await world.clock.advance(40 * MINUTE_MS)
    const { messages } = await b.read()
    expect(messages.map(({ content, ageSeconds }) => [content, ageSeconds])).toEqual([
      ['which port?', 41 * 60],
      ['settled: 8081', 40 * 60],
    ])
    expect(messages.map(({ sentAt }) => Date.parse(sentAt))).toEqual([
      world.clock.now() - 41 * MINUTE_MS,
      world.clock.now() - 40 * MINUTE_MS,
    ])
  })

  it('C079 sorts by the instant a message was sent at, however its time is written', async () => {
    const world = createWorld()
    const [, b] = await pair(world)
    const times = [
      '2026-11-30T12:00:00.500Z',
      '2026-11-30T12:00:00Z',
      '2026-11-30T12:00:00.001+00:00',
      '2026-11-30T21:00:00.002+09:00',
      '2026-11-30T11:59:59-00:01',
    ]
    for (const [n, sentAt] of times.entries())
      await world.store.inbox.deliver(aMessage(b.id, n, { sentAt, content: sentAt }))
    expect(contents(await b.read())).toEqual([
      '2026-11-30T12:00:00Z',
      '2026-11-30T12:00:00.001+00:00',
      '2026-11-30T21:00:00.002+09:00',
      '2026-11-30T12:00:00.500Z',
      '2026-11-30T11:59:59-00:01',
    ])
  })

  it('a message with a time ahead of ours has age 0, and is still read', async () => {
    const world = createWorld()
    const [, b] = await pair(world)
    const sentAt = new Date(world.clock.now() + DAY_MS).toISOString()
    await world.store.inbox.deliver(aMessage(b.id, 1, { sentAt }))
    expect(only((await b.read()).messages).ageSeconds).toBe(0)
  })

  it('a peek takes nothing', async () => {
    const world = createWorld()
    const [a, b] = await pair(world)
    await a.send('b', 'm1')
    for (const _ of [1, 2])
      expect(await b.read({ peek: true })).toMatchObject({ peek: true, remaining: 0, messages: [{ content: 'm1' }] })
    expect(contents(await b.read())).toEqual(['m1'])
  })

  it('C040 only the owner takes; the onlooker and the person look', async () => {
    const world = createWorld()
    const [a, b] = await pair(world)
    await a.send('b', 'm1')
    expect(await a.read({ inbox: 'b' })).toMatchObject({ peek: true, messages: [{ content: 'm1' }] })
    expect(await world.human.read({ inbox: b.id })).toMatchObject({ peek: true })
    const { messageId } = await a.send('b', 'm2')
    expect(await a.read({ inbox: 'b', messageId })).toMatchObject({ peek: true, messages: [{ content: 'm2' }] })
    expect(contents(await b.read({ inbox: 'b' }))).toEqual(['m1', 'm2'])
  })

  it('C042 of two sessions in one folder each reads its own', async () => {
    const world = createWorld()
    const client = world.process()
    const o1 = await world.session('o1', { client, kind: 'opencode' })
    const o2 = await world.session('o2', { client, kind: 'opencode' })
    await world.human.send('o2', 'for o2')
    expect((await o1.read()).messages).toEqual([])
    expect(await o1.news()).toBeUndefined()
    expect((await o2.read()).messages).toHaveLength(1)
  })

  it('C024 an answer that did not reach its reader leaves the messages unread, not redelivered', async () => {
    const world = createWorld()
    const [a, b] = await pair(world)
    for (const n of [1, 2]) await a.send('b', `m${n}`)
    const taken = await b.take()
    expect(contents(taken.answer)).toEqual(['m1', 'm2'])
    expect((await b.read()).messages).toEqual([])
    await taken.notHandedOver()
    const again = await b.read()
    expect(contents(again)).toEqual(['m1', 'm2'])
    expect(again.messages.some(({ redelivered }) => redelivered)).toBe(false)
  })

  it('a reader that died with the messages in its hands: they come again, and say so', async () => {
    const world = createWorld()
    const [a, b] = await pair(world)
    await a.send('b', 'm1')
    await b.take()
    await world.clock.advance(LIMITS.claimLeaseMs + 1)
    expect((await b.read()).messages).toMatchObject([{ content: 'm1', redelivered: true }])
  })

  it('C034 of two calls at once each message goes to one', async () => {
    const world = createWorld()
    const [a, b] = await pair(world)
    for (let n = 0; n < 30; n++) await a.send('b', `m${n}`)
    const both = await Promise.all([b.read(), b.read()])
    expect(both.flatMap(contents).sort()).toEqual(Array.from({ length: 30 }, (_, n) => `m${n}`).sort())
  })

  it('limit takes the oldest, and says how many are left', async () => {
    const world = createWorld()
    const [a, b] = await pair(world)
    for (const n of [1, 2, 3]) await a.send('b', `m${n}`)
    const first = await b.read({ limit: 2 })
    expect([contents(first), first.remaining]).toEqual([['m1', 'm2'], 1])
    expect(await b.read({ limit: 2, peek: true })).toMatchObject({ remaining: 0 })
    expect(contents(await b.read({ limit: 2 }))).toEqual(['m3'])
  })

  it('from takes only what that session sent, and leaves and counts the rest', async () => {
    const world = createWorld()
    const [a, b] = await pair(world)
    const c = await world.session('c')
    await a.send('b', 'a1')
    await c.send('b', 'c1')
    await a.send('b', 'a2')
    await world.human.send('b', 'h1')
    const peeked = await b.read({ from: 'A', peek: true })
    expect([contents(peeked), peeked.remaining]).toEqual([['a1', 'a2'], 2])
    const taken = await b.read({ from: a.id })
    expect([contents(taken), taken.remaining]).toEqual([['a1', 'a2'], 2])
    expect(contents(await b.read({ from: 'human' }))).toEqual(['h1'])
    expect(contents(await b.read({ from: 'a', history: 5 }))).toEqual(['a1', 'a2'])
    expect(await b.read({ from: 'nobody' })).toMatchObject({ messages: [], remaining: 1 })
    expect(contents(await b.read())).toEqual(['c1'])
  })

  it('from finds what a session sent that has expired since, by its id', async () => {
    const world = createWorld({ defaultTtl: '1h' })
    const [a, b] = await pair(world)
    await a.send('b', 'a1')
    await a.complete({ ttl: '1s' })
    await world.clock.advance(1_000)
    expect(contents(await b.read({ from: a.id }))).toEqual(['a1'])
  })

  it('history shows the last that were read, newest last, with when', async () => {
    const world = createWorld()
    const [a, b] = await pair(world)
    for (const n of [1, 2, 3]) await a.send('b', `m${n}`)
    await b.read({ limit: 2 })
    const answer = await b.read({ history: 1 })
    expect(answer).toMatchObject({ peek: true, remaining: 1, messages: [{ content: 'm2' }] })
    expect(only(answer.messages).readAt).toBe(new Date(world.clock.now()).toISOString())
  })

  it.each<ReadInput>([
    { limit: 0 },
    { limit: 1.5 },
    { limit: -1 },
    { history: 0 },
    { history: LIMITS.historyRows + 1 },
    { offset: 5 },
  ])('%j means nothing and is refused, and nothing is taken', async (input) => {
    const world = createWorld()
    const [a, b] = await pair(world)
    await a.send('b', 'm1')
    expect(await refusalOf(b.read(input))).toMatchObject({ code: 'BAD_INPUT' })
    expect((await b.read()).messages).toHaveLength(1)
  })

  it('who has not registered is told so, not shown an empty inbox', async () => {
    const world = createWorld()
    expect(await refusalOf(world.client().read())).toMatchObject({ code: 'NOT_REGISTERED' })
    expect(await refusalOf(world.client({ hostSays: 'h' }).read())).toMatchObject({ code: 'NOT_REGISTERED' })
    expect(await refusalOf(world.client().read({ inbox: 'nobody' }))).toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })
})

describe('the byte budget of an answer', () => {
  it('holds for what the model sees, oldest first, and what does not fit stays unread and is counted', async () => {
    const world = createWorld()
    const [a, b] = await pair(world)
    for (let n = 0; n < 12; n++) await a.send('b', `${n} ${'"'.repeat(4_000)}`)
    let left = 12
    while (left > 0) {
      const answer = await b.read()
      expect(utf8Bytes(JSON.stringify(answer))).toBeLessThanOrEqual(LIMITS.inboxAnswerBytes)
      expect(answer.messages.map(({ content }) => Number.parseInt(content, 10))).toEqual(
        Array.from(answer.messages, (_, n) => 12 - left + n),
      )
      expect(answer.messages.length).toBeGreaterThan(0)
      left -= answer.messages.length
      expect(answer.remaining).toBe(left)
    }
  })

  it('is smaller where the host of the reader cuts earlier, for every way of reading', async () => {
    const world = createWorld()
    const [a, b] = await pair(world)
    const content = '"line\n"'.repeat(3_000)
    const { messageId } = await a.send('b', content)
    const answerBytes = 9_000
    const answers = [await b.read({ answerBytes, peek: true }), await b.read({ answerBytes })]
    const parts = [only(answers[1]?.messages ?? [])]
    for (let part = parts[0]; part?.nextOffset !== undefined; part = parts.at(-1)) {
      const next = await b.read({ answerBytes, messageId, offset: part.nextOffset })
      answers.push(next)
      parts.push(only(next.messages))
    }
    answers.push(await b.read({ answerBytes, history: 5 }))
    for (const answer of answers) expect(utf8Bytes(JSON.stringify(answer))).toBeLessThanOrEqual(answerBytes)
    expect(parts.map((part) => part.content).join('')).toBe(content)
  })

  it('holds for a peek and for history, too', async () => {
    const world = createWorld()
    const [a, b] = await pair(world)
    for (let n = 0; n < 12; n++) await a.send('b', `${n} ${'x'.repeat(8_000)}`)
    const peeked = await b.read({ peek: true })
    expect(peeked.messages.length + peeked.remaining).toBe(12)
    while ((await b.read()).remaining > 0);
    const history = await b.read({ history: 50 })
    for (const answer of [peeked, history])
      expect(utf8Bytes(JSON.stringify(answer))).toBeLessThanOrEqual(LIMITS.inboxAnswerBytes)
    expect(history.messages.at(-1)?.content).toMatch(/^11 /)
  })

  const long = {
    'plain letters': 'abcdefghij'.repeat(20_000),
    'C136 letters of two to four bytes': '—🎯测试é'.repeat(12_000),
    'text that grows when it is written down': '"\\\n\u0001'.repeat(12_000),
    'emoji of many parts': '👩‍👩‍👧‍👦'.repeat(7_000),
  }
  it.each(Object.entries(long))('a message of 200 KB of %s comes in parts that make the whole', async (_, content) => {
    const world = createWorld()
    const [a, b] = await pair(world)
    const { messageId } = await a.send('b', content)
    await a.send('b', 'after it')
    const first = await b.read()
    expect(first).toMatchObject({ peek: false, remaining: 2, messages: [{ id: messageId, offset: 0 }] })
    const parts = [only(first.messages)]
    for (let part = parts[0]; part?.nextOffset !== undefined; part = parts.at(-1)) {
      expect(part).toMatchObject({ totalBytes: utf8Bytes(content) })
      expect(await world.store.inbox.find(b.id, messageId)).toMatchObject({ place: 'unread' })
      const next = await b.read({ messageId, offset: part.nextOffset })
      expect(utf8Bytes(JSON.stringify(next))).toBeLessThanOrEqual(LIMITS.inboxAnswerBytes)
      parts.push(only(next.messages))
    }
    expect(parts.map((part) => part.content).join('')).toBe(content)
    expect(parts.length).toBeLessThan(20)
    expect(await world.store.inbox.find(b.id, messageId)).toMatchObject({ place: 'read' })
    expect(contents(await b.read())).toEqual(['after it'])
  })

  it('a large message after small ones waits for the next answer, which begins with it', async () => {
    const world = createWorld()
    const [a, b] = await pair(world)
    await a.send('b', 'small')
    await a.send('b', 'x'.repeat(100_000))
    const first = await b.read()
    expect([contents(first), first.remaining]).toEqual([['small'], 1])
    expect(only((await b.read()).messages)).toMatchObject({ offset: 0, nextOffset: expect.any(Number) })
  })

  it.each([-1, 1.5, 200_000, 1])('an offset of %d is no start of a part, and is refused', async (offset) => {
    const world = createWorld()
    const [a, b] = await pair(world)
    const { messageId } = await a.send('b', '测'.repeat(50_000))
    expect(await refusalOf(b.read({ messageId, offset }))).toMatchObject({ code: 'BAD_INPUT' })
  })
})

describe('one message by its id', () => {
  it('becomes read, and can be read again afterwards', async () => {
    const world = createWorld()
    const [a, b] = await pair(world)
    await a.send('b', 'm1')
    const { messageId } = await a.send('b', 'm2')
    expect(await b.read({ messageId })).toMatchObject({ peek: false, remaining: 1, messages: [{ content: 'm2' }] })
    const again = await b.read({ messageId })
    expect(again).toMatchObject({ peek: true, messages: [{ content: 'm2', readAt: expect.any(String) }] })
    expect(contents(await b.read())).toEqual(['m1'])
  })

  it('a peek at it, or a hand-over that failed, leaves it unread', async () => {
    const world = createWorld()
    const [a, b] = await pair(world)
    const { messageId } = await a.send('b', 'm1')
    await b.read({ messageId, peek: true })
    await (await b.take({ messageId })).notHandedOver()
    expect(contents(await b.read())).toEqual(['m1'])
  })

  it.each(['msg-00000000000-00000000', '../../evil', 'x', ''])('C146 %j is not found', async (messageId) => {
    const world = createWorld()
    const [, b] = await pair(world)
    expect(await refusalOf(b.read({ messageId }))).toMatchObject({ code: 'MESSAGE_NOT_FOUND' })
  })
})

describe('a message that cannot be read', () => {
  it('C017 is said, and the others are read: taken, by sender, and peeked at', async () => {
    const broken = new Set<string>()
    const world = createWorld({ store: damaging(broken) })
    const [a, b] = await pair(world)
    await a.send('b', 'm1')
    broken.add((await a.send('b', 'm2')).messageId)
    await a.send('b', 'm3')
    const partial = [{ what: [...broken][0], why: expect.any(String) }]
    for (const input of [{ peek: true }, { peek: true, from: 'a' }, { from: 'a', limit: 2 }]) {
      const answer = await b.take(input)
      expect(contents(answer.answer), JSON.stringify(input)).toEqual(['m1', 'm3'])
      expect(answer.answer.partial).toEqual(partial)
      await answer.notHandedOver()
    }
    const taken = await b.read()
    expect([contents(taken), taken.partial]).toEqual([['m1', 'm3'], partial])
  })

  it('a fault in the middle of a read gives back what was taken before it', async () => {
    let isFaulty = false
    const world = createWorld({
      store: (inner) => ({
        ...inner,
        inbox: {
          ...inner.inbox,
          async claim(id, messageId) {
            const held = await inner.inbox.unread(id)
            if (isFaulty && held.claimed > 0) throw new Error('EMFILE')
            return inner.inbox.claim(id, messageId)
          },
        },
      }),
    })
    const [a, b] = await pair(world)
    for (const n of [1, 2]) await a.send('b', `m${n}`)
    isFaulty = true
    await expect(b.read()).rejects.toThrow('EMFILE')
    isFaulty = false
    expect(contents(await b.read())).toEqual(['m1', 'm2'])
  })
})
