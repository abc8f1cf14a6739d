/** A door that the sender's own process opens: the recipient's rules decide, and nothing is claimed that was not seen. */
import { describe, expect, it } from 'vitest'
import { createHostPlugin } from '../../src/core/attend.ts'
import type { DoorAnswer, DoorCall, Doors } from '../../src/core/ports-hosts.ts'
import { wakeIdIn } from '../../src/core/wake-text.ts'
import { openHost, type Talk } from './hosted.ts'
import { createWorld, MINUTE_MS, only, type World, type WorldOptions } from './world.ts'

const TRAITS = { kind: 'queued', injection: 'kept', doors: ['queue'] } as const

interface Place {
  readonly world: World
  readonly talk: Talk
  readonly calls: DoorCall[]
}

async function open(
  answer: () => DoorAnswer = () => ({ isOpen: true, evidence: 'the queue took it' }),
  store?: WorldOptions['store'],
): Promise<Place> {
  const calls: DoorCall[] = []
  const doors: Doors = {
    has: (door) => door === 'queue',
    async open(_door, call) {
      calls.push(call)
      return answer()
    },
  }
  const world = createWorld({ doors, ...(store && { store }) })
  const talk = openHost(world, TRAITS).talk('one', { transcript: '/h/sessions/2026/one.jsonl' })
  await talk.start()
  return { world, talk, calls }
}

const wakeOf = async (world: World, content: string, more = {}) =>
  only((await world.human.send('shop', content, more)).to).wake

describe('a door that the sender opens', () => {
  it('gets the text of the turn, and the answer says what was seen; the prompt hook sees the rest', async () => {
    const { world, talk, calls } = await open()
    const sent = await world.human.send('shop', 'wake up')
    expect(only(sent.to).wake).toEqual({
      outcome: 'unknown',
      door: 'queue',
      evidence: 'the queue took it; no turn has been seen yet, see message_status',
    })
    const call = only(calls)
    expect(call).toMatchObject({ session: { id: 'one' }, binding: { transcript: '/h/sessions/2026/one.jsonl' } })
    expect(wakeIdIn(call.text)).toBeDefined()
    expect(call.text).not.toContain('wake up')
    expect(world.wakes).toEqual(['one']) // by the start of the conversation, not by the send
    expect(only((await world.human.receipt(sent.messageId)).recipients)).not.toHaveProperty('turnStartedAt')
    await talk.prompt(call.text)
    expect(only((await world.human.receipt(sent.messageId)).recipients)).toMatchObject({
      turnStartedAt: expect.any(String),
    })
  })

  it('stays shut while the session works, when it has ended, and for what does not wake', async () => {
    const { world, talk, calls } = await open()
    expect(await wakeOf(world, 'thanks', { intent: 'ack' })).toMatchObject({ outcome: 'none' })
    await talk.prompt()
    for (const activate of ['auto', 'always']) {
      expect(await wakeOf(world, 'busy', { activate })).toMatchObject({ outcome: 'deferred' })
    }
    await talk.end()
    expect(await wakeOf(world, 'gone')).toMatchObject({
      outcome: 'unavailable',
      evidence: expect.stringMatching(/has ended/),
    })
    expect(calls).toEqual([])
  })

  it('is opened once for two messages in a row, and the answer says so', async () => {
    const { world, calls } = await open()
    await wakeOf(world, 'first')
    expect(await wakeOf(world, 'second')).toMatchObject({
      outcome: 'unknown',
      evidence: expect.stringMatching(/has started no turn yet/),
    })
    expect(calls).toHaveLength(1)
  })

  it('that does not open costs nothing: the same mail may ask again', async () => {
    let isOpen = false
    const { world, calls } = await open(() => ({ isOpen, evidence: 'no such program' }))
    expect(await wakeOf(world, 'first')).toEqual({
      outcome: 'unavailable',
      door: 'queue',
      evidence: 'stored only: no such program',
    })
    expect((await world.entry('one')).activity).not.toHaveProperty('lastWake')
    isOpen = true
    expect(await wakeOf(world, 'second')).toMatchObject({ outcome: 'unknown' })
    expect(calls.map(({ text }) => / (\d) unread/.exec(text)?.[1])).toEqual(['1', '2'])
  })

  it('that breaks is one that did not open', async () => {
    const { world } = await open(() => {
      throw new Error('broken')
    })
    expect(await wakeOf(world, 'first')).toMatchObject({ outcome: 'unavailable', evidence: 'stored only: broken' })
  })

  it('is opened by the end of a turn that may not be held again', async () => {
    const { world, talk, calls } = await open()
    await talk.prompt()
    await world.human.send('shop', 'please', { intent: 'request' })
    expect(await talk.stop({ isHeld: true })).toBeUndefined()
    expect(calls.map(({ text }) => / (\d) unread/.exec(text)?.[1])).toEqual(['1'])
  })

  it('is not opened more often than one pair may start turns', async () => {
    const { world, talk, calls } = await open()
    const peer = await world.session('peer')
    const outcomes: string[] = []
    for (let n = 0; n < 8; n++) {
      outcomes.push(only((await peer.send('shop', `m${n}`)).to).wake.outcome)
      const text = calls.at(-1)?.text
      if (text !== undefined) await talk.prompt(text)
      await talk.tools.read()
      await talk.stop()
      await world.clock.advance(MINUTE_MS / 4)
    }
    expect(outcomes).toEqual([...Array(6).fill('unknown'), 'budget', 'budget'])
    expect(calls).toHaveLength(6)
  })
})

describe('a host whose program runs several conversations', () => {
  it('each is a session of its own, through clear, and the program does not say which', async () => {
    const world = createWorld()
    const host = openHost(world, { ...TRAITS, sharesClient: true, opensOnce: true })
    const client = world.process()
    const shared = { client }
    const [one, two] = [host.talk('one', shared), host.talk('two', shared)]
    await one.start()
    await two.start()
    await host.talk('three', shared).start('clear')
    const ids = await Promise.all(['one', 'two', 'three'].map(async (id) => (await world.entry(id)).session))
    expect(ids.map(({ name }) => name)).toEqual(['shop', 'shop-2', 'shop-3'])
    for (const { host: each } of ids) expect(each.client).toEqual(client)
    expect(await world.store.hosts.ofClient(client)).toBeUndefined()
    world.kill(client)
    for (const id of ['one', 'two', 'three']) expect(await world.human.query(id)).toMatchObject({ activity: 'ended' })
  })
})

describe('a turn that the person cancels', () => {
  it('leaves the session idle and says nothing', async () => {
    const world = createWorld()
    const { conversation, prompt } = openHost(world).talk('one')
    await prompt()
    await createHostPlugin(world.context(), TRAITS).onNotice(conversation, 'idle')
    expect((await world.entry('one')).activity).toHaveProperty('cancelledAt')
    expect((await world.entry('one')).activity).toMatchObject({
      state: 'idle',
      evidence: 'the turn was broken off',
    })
    await prompt()
    expect((await world.entry('one')).activity).not.toHaveProperty('cancelledAt')
  })
})

describe('two that send at the same moment', () => {
  it('open the door once, and the turn finds the mail of both', async () => {
    let between = async () => {}
    const { world, talk, calls } = await open(undefined, (inner) => ({
      ...inner,
      shown: {
        ...inner.shown,
        async change(id, decide) {
          const after = await inner.shown.change(id, decide)
          const now = between
          between = async () => {}
          await now()
          return after
        },
      },
    }))
    const outcomes: string[] = []
    between = async () => {
      outcomes.push((await wakeOf(world, 'second')).outcome)
    }
    outcomes.push((await wakeOf(world, 'first')).outcome)
    expect(outcomes).toEqual(['unknown', 'unknown'])
    const told = await talk.prompt(only(calls).text)
    for (const text of ['first', 'second']) expect(told).toContain(text)
    await talk.stop()
  })
})
