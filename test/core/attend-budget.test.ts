/** C105: sessions that answer each other stop by themselves, the sender is told why, and a person begins anew. */
import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../src/core/limits.ts'
import { openHost, type Talk } from './hosted.ts'
import { createWorld, only, type World } from './world.ts'

const ASLEEP = 'session-mcp wake abcdefghij: 1 unread message. Use read_inbox.'

interface Pair {
  readonly world: World
  readonly a: Talk
  readonly b: Talk
  /** What the answers of both said of their wakes, in order. */
  readonly outcomes: string[]
  readonly evidence: string[]
  /** Wakes whoever was asked to, as its host does, until nobody is. @returns the turns this made */
  run(replies: boolean, overlap?: boolean): Promise<number>
  unread(): Promise<number>
}

async function openPair(): Promise<Pair> {
  const world = createWorld()
  const host = openHost(world)
  const [a, b] = [host.talk('a'), host.talk('b')]
  await a.start()
  await b.start()
  const outcomes: string[] = []
  const evidence: string[] = []
  const names = new Map([
    [a, 'shop'],
    [b, 'shop-2'],
  ])
  /** One turn: reads, and answers each message as it comes. */
  const work = async (talk: Talk, replies: boolean) => {
    for (const { id } of (await talk.tools.read()).messages) {
      const to = replies ? undefined : names.get(talk === a ? b : a)
      const { wake } = only((await talk.tools.send(to, 'ok', replies ? { replyTo: id } : {})).to)
      outcomes.push(wake.outcome)
      evidence.push(wake.evidence)
    }
    await world.clock.advance(1000)
  }
  return {
    world,
    a,
    b,
    outcomes,
    evidence,
    async run(replies, overlap = false) {
      let turns = 0
      // The other one is still at work while the first answers: what it gets is never a wake of an idle session.
      const open: Talk[] = []
      const end = async (talk: Talk | undefined) => void (await talk?.stop({ isHeld: true }))
      while (turns < 60) {
        const touched = world.wakes.splice(0)
        const [talk] = [a, b].filter(({ conversation }) => touched.includes(conversation.hostKey))
        if (talk === undefined && open.length === 0) return turns
        if (talk === undefined) {
          await end(open.shift())
          continue
        }
        for (const other of touched) if (other !== talk.conversation.hostKey) world.wakes.push(other)
        const text = await talk.wake()
        if (text === undefined) continue
        turns++
        await talk.prompt(text)
        await work(talk, replies)
        open.push(talk)
        if (!overlap || open.length > 1) await end(open.shift())
      }
      return turns
    },
    async unread() {
      const peeked = await Promise.all([a, b].map((talk) => talk.tools.read({ peek: true })))
      return peeked.reduce((sum, { messages }) => sum + messages.length, 0)
    },
  }
}

describe('C105: two that answer every message', () => {
  it('with replies stop after 8 hops or 6 wakes each; the last answer is stored and says `budget`', async () => {
    const pair = await openPair()
    await pair.a.prompt('Say hello.')
    await pair.world.clock.advance(1000)
    await pair.a.tools.send('shop-2', 'hello')
    await pair.a.stop()
    expect(await pair.run(true)).toBe(LIMITS.wakeHops + 1)
    expect(pair.outcomes.slice(0, -1)).toEqual(Array.from({ length: LIMITS.wakeHops }, () => 'unknown'))
    expect(pair.outcomes.at(-1)).toBe('budget')
    expect(pair.evidence.at(-1)).toMatch(/^stored only: this is reply 9 in a chain.*a person’s prompt resets it$/)
    expect(await pair.unread()).toBe(1)
  })

  it('without replies stop after 6 wakes each', async () => {
    const pair = await openPair()
    await pair.a.tools.send('shop-2', 'hello')
    expect(await pair.run(false)).toBe(2 * LIMITS.wakesPerPair)
    expect(pair.outcomes.at(-1)).toBe('budget')
    expect(pair.evidence.at(-1)).toMatch(/^stored only: 6 wakes of this session in 10 min are the most/)
    expect(await pair.unread()).toBe(1)
  })

  it('the recipient is told as well, once', async () => {
    const pair = await openPair()
    await pair.a.tools.send('shop-2', 'hello')
    await pair.run(false)
    const { messages } = await pair.a.tools.read({ peek: true })
    const recipient = messages.length === 1 ? pair.a : pair.b
    const told = [await recipient.prompt(ASLEEP), await recipient.prompt(ASLEEP)]
    expect(told[0]).toMatch(/Mail from "shop(-2)?" is stored but starts no more turns here: 6 in 10 min, or 8 replies/)
    expect(told[1] ?? '').not.toContain('no more turns')
  })

  it.each([true, false])('stop as well where each always catches the other at work (replies: %s)', async (replies) => {
    const pair = await openPair()
    await pair.a.prompt('Say hello.')
    await pair.world.clock.advance(1000)
    await pair.a.tools.send('shop-2', 'hello')
    await pair.b.prompt(ASLEEP)
    await pair.a.tools.send('shop-2', 'and this')
    await pair.a.stop()
    await pair.b.stop({ isHeld: true })
    const turns = await pair.run(replies, true)
    expect(pair.outcomes).toContain('deferred')
    expect(turns).toBeGreaterThan(2)
    expect(turns).toBeLessThanOrEqual(2 * LIMITS.wakesPerPair)
    // Nothing more comes of it, however often the files are touched.
    expect([await pair.a.wake(), await pair.b.wake()]).toEqual([undefined, undefined])
    expect(await pair.unread()).toBeGreaterThan(0)
  })

  it('a prompt of a person to the one that was told `budget` begins anew, one to the other does not', async () => {
    for (const prompted of ['sender', 'recipient']) {
      const pair = await openPair()
      await pair.a.tools.send('shop-2', 'hello')
      await pair.run(false)
      // The last answer of `sender` lies in the inbox of `recipient`.
      const isWithA = (await pair.a.tools.read()).messages.length === 1
      const [sender, recipient] = isWithA ? [pair.b, pair.a] : [pair.a, pair.b]
      await recipient.tools.read()
      await pair.world.clock.advance(1000)
      const talk = prompted === 'sender' ? sender : recipient
      await talk.prompt('Go on.')
      await talk.stop()
      await pair.world.clock.advance(1000)
      const { wake } = only((await sender.tools.send(isWithA ? 'shop' : 'shop-2', 'again')).to)
      expect([prompted, wake.outcome]).toEqual([prompted, prompted === 'sender' ? 'unknown' : 'budget'])
      expect([prompted, (await recipient.wake()) !== undefined]).toEqual([prompted, true])
    }
  })

  it('a wake of ours is no prompt of a person, and neither is one of the host', async () => {
    const pair = await openPair()
    const outcome = async () => only((await pair.a.tools.send('shop-2', 'x')).to).wake.outcome
    const all: string[] = []
    for (let n = 0; n < 8; n++) all.push(await outcome())
    expect(all).toEqual([...Array.from({ length: 6 }, () => 'unknown'), 'budget', 'budget'])
    await pair.world.clock.advance(1000)
    await pair.a.prompt(ASLEEP)
    await pair.a.prompt('<task-notification>done</task-notification>')
    expect(await outcome()).toBe('budget')
    await pair.a.prompt('Go on.')
    await pair.world.clock.advance(1000)
    expect(await outcome()).toBe('unknown')
    expect(await pair.b.wake()).toBeDefined()
  })

  it('and 10 minutes later there are wakes again', async () => {
    const pair = await openPair()
    await pair.a.tools.send('shop-2', 'hello')
    const turns = await pair.run(false)
    await pair.world.clock.advance(LIMITS.wakeWindowMs)
    await pair.a.tools.send('shop-2', 'hello again')
    // What was left over is answered as well.
    expect(await pair.run(false)).toBeGreaterThan(turns / 2)
  })
})
