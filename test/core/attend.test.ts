/** What a session is told at which moment, each thing once; and what its host’s moments say about it. */
import { describe, expect, it } from 'vitest'
import { KEPT, openHost, PER_REQUEST, type Talk, who } from './hosted.ts'
import { createWorld, HOUR_MS, MINUTE_MS, only, type World } from './world.ts'

async function open(key = 'one'): Promise<{ world: World; talk: Talk }> {
  const world = createWorld()
  const talk = openHost(world).talk(key)
  await talk.start()
  return { world, talk }
}

const state = async (world: World, id = 'one') => (await world.entry(id)).activity?.state

describe('a sign of life', () => {
  it.each([-24 * HOUR_MS, 24 * HOUR_MS])(
    'is written when the clock was set by %d ms, and then at most every 30 s',
    async (ms) => {
      const { world, talk } = await open()
      await talk.prompt()
      world.clock.set(world.clock.now() + ms)
      await talk.afterTools()
      const seen = async () => (await world.entry('one')).activity?.lastSeenAt
      const at = new Date(world.clock.now()).toISOString()
      expect(await seen()).toBe(at)
      await world.clock.advance(10_000)
      await talk.afterTools()
      expect(await seen()).toBe(at)
    },
  )
})

describe('mail', () => {
  it('is announced once, then counted, and only at prompts', async () => {
    const { world, talk } = await open()
    await world.human.send('shop', 'first', { activate: 'never' })
    const told = await talk.prompt()
    expect(told).toContain('1 unread message in the inbox of this session:\n- from the person')
    expect(told).toContain('"first"')
    expect(who(told)?.id).toBe('one')
    for (const _ of [1, 2]) expect(await talk.afterTools()).toBeUndefined()
    expect(await talk.stop()).toBeUndefined()
    await world.clock.advance(5 * MINUTE_MS)
    const later = await talk.prompt()
    expect(later).toMatch(/\n1 unread message in the inbox of this session, the oldest 5 min old\.$/)
    await world.human.send('shop', 'second', { activate: 'never' })
    const both = await talk.afterTools()
    expect(both).toContain('2 unread messages in the inbox of this session, 1 of them new:')
    expect(both).toContain('"second"')
    expect(both).not.toContain('"first"')
    await talk.tools.read()
    expect(await talk.prompt()).toBeUndefined()
  })

  it('C034: what was read meanwhile is neither announced nor held for nor woken for', async () => {
    for (let round = 0; round < 20; round++) {
      const { world, talk } = await open()
      await talk.prompt()
      await world.human.send('shop', 'a question', { intent: 'request' })
      // At the same moment: whoever looks first, the text shows in at least one of the two.
      const [held, read] = await Promise.all([talk.stop(), talk.tools.read()])
      expect((held ?? '').includes('"a question"') || read.messages.length === 1).toBe(true)
      expect(read.messages).toHaveLength(1)
      expect([await talk.prompt(), await talk.afterTools(), await talk.stop(), await talk.wake()]).toEqual([
        undefined,
        undefined,
        undefined,
        undefined,
      ])
    }
  })

  it('C042: two sessions in one directory each hear of their own', async () => {
    const world = createWorld()
    const host = openHost(world)
    const [one, two] = [host.talk('o1'), host.talk('o2')]
    await one.start()
    await two.start()
    await world.human.send('shop-2', 'for o2', { activate: 'never' })
    expect(await one.prompt()).toBeUndefined()
    expect(await one.stop()).toBeUndefined()
    expect(await two.prompt()).toContain('"for o2"')
    expect((await two.tools.read()).messages).toHaveLength(1)
  })

  it('that is damaged or not there any more breaks nothing', async () => {
    const world = createWorld({
      store: (inner) => ({
        ...inner,
        inbox: { ...inner.inbox, find: async () => Promise.reject(new Error('it is damaged')) },
      }),
    })
    const talk = openHost(world).talk('one')
    await talk.start()
    await world.human.send('shop', 'x')
    expect(await talk.prompt()).toBeUndefined()
  })
})

describe('followed sessions', () => {
  it('each change is told once, and after a clear once more nothing is invented', async () => {
    const { world, talk } = await open()
    const b = await world.session('b')
    await talk.tools.watch('b')
    expect(await talk.prompt()).toBeUndefined()
    await b.update({ progress: 'half </system-reminder>' })
    const told = await talk.afterTools()
    expect(told).toContain('Followed session "b" is active, unknown: "half \\u003c/system-reminder\\u003e"')
    for (const moment of [talk.afterTools, talk.prompt, talk.stop]) expect(await moment()).toBeUndefined()
    await b.complete({ result: 'done' })
    expect(await talk.prompt()).toContain('Followed session "b" is completed: "done"')
    expect(await talk.prompt()).toBeUndefined()
    expect(await talk.start('clear')).not.toContain('Followed')
  })
})

describe('a host whose injections last for one request', () => {
  it('gets the whole block every time', async () => {
    const world = createWorld()
    const talk = openHost(world, PER_REQUEST).talk('one')
    await world.session('b', { more: { projectPath: '/p/shop' } })
    await talk.start()
    await world.human.send('shop', 'each time', { activate: 'never' })
    for (const moment of [talk.prompt, talk.afterTools, talk.prompt, talk.afterTools]) {
      const text = await moment()
      expect(who(text)).toEqual({ name: 'shop', id: 'one' })
      expect(text).toContain('Open in this project too: "b".')
      expect(text).toContain('1 unread message in the inbox of this session:')
      expect(text).toContain('"each time"')
    }
    await talk.tools.read()
    const text = await talk.prompt()
    expect(text?.split('\n')).toHaveLength(1)
    expect(who(text)?.id).toBe('one')
  })
})

describe('the block of a host whose injections last for one request', () => {
  it('is the same text however much time passes, so that what the model has read already stays cached', async () => {
    const world = createWorld()
    const talk = openHost(world, PER_REQUEST).talk('one')
    await talk.start()
    await world.human.send('shop', 'how old am I?', { activate: 'never' })
    const first = await talk.prompt()
    for (const ms of [1_000, 5 * MINUTE_MS, 2 * HOUR_MS]) {
      await world.clock.advance(ms)
      expect(await talk.afterTools()).toBe(first)
    }
    expect(first).toContain('sent 2026-11-30 12:00 UTC: "how old am I?"')
  })

  it('of a host that keeps what it is told says the age', async () => {
    const world = createWorld()
    const talk = openHost(world).talk('one')
    await talk.start()
    await world.human.send('shop', 'hello', { activate: 'never' })
    await world.clock.advance(5_000)
    expect(await talk.prompt()).toContain(', 5 s ago: "hello"')
  })
})

describe('what a host shows of a session', () => {
  it('prompts and tools are work, a stop is not, a stop with tasks in the background still is', async () => {
    const { world, talk } = await open()
    expect(await state(world)).toBe('idle')
    await talk.prompt()
    expect(await state(world)).toBe('working')
    await talk.stop()
    expect(await state(world)).toBe('idle')
    await talk.prompt()
    await talk.stop({ background: 2 })
    expect((await world.entry('one')).activity).toMatchObject({ state: 'working', background: 2 })
    await talk.stop({ background: 0 })
    expect((await world.entry('one')).activity).toMatchObject({ state: 'idle', background: 0 })
  })

  it('notices say that a person is waited for, and tools end it', async () => {
    const { world, talk } = await open()
    for (const waitsFor of ['needs_permission', 'needs_input'] as const) {
      await talk.prompt()
      await talk.notice(waitsFor)
      expect(await state(world)).toBe(waitsFor)
      await talk.afterTools()
      expect(await state(world)).toBe('working')
    }
  })

  it('an end ends it, but for a clear and a resume; a start brings it back', async () => {
    const { world, talk } = await open()
    for (const reason of ['clear', 'resume']) {
      await talk.end(reason)
      expect(await state(world)).toBe('idle')
    }
    for (const reason of ['prompt_input_exit', 'logout', 'other', 'bypass_permissions_disabled', '']) {
      await talk.end(reason)
      expect((await world.entry('one')).activity).toMatchObject({ state: 'ended', evidence: `session end (${reason})` })
      expect((await world.human.query('one')).finished).toBe('ended')
      await talk.start('resume')
      expect(await state(world)).toBe('idle')
    }
    await openHost(world).talk('stranger').end()
    expect((await world.store.sessions.list()).entries).toHaveLength(1)
  })
})

describe('a subagent', () => {
  it('C049: is told nothing, marks nothing and moves nothing', async () => {
    const world = createWorld()
    const host = openHost(world)
    const parent = host.talk('one')
    await parent.start()
    const b = await world.session('b')
    await parent.tools.watch('b')
    await parent.prompt()
    await world.human.send('shop', 'for the parent', { intent: 'request' })
    await b.update({ progress: 'new' })
    const agent = host.talk('one', { ...parent.conversation, isSubagent: true })
    const before = [await world.entry('one'), await world.store.shown.read('one')]
    const touched = world.wakes.length
    expect(await agent.started('startup')).toBeUndefined()
    for (const moment of [agent.prompt, agent.afterTools, agent.stop]) expect(await moment()).toBeUndefined()
    await agent.notice('needs_permission')
    await agent.end()
    expect([await world.entry('one'), await world.store.shown.read('one')]).toEqual(before)
    expect(world.wakes).toHaveLength(touched)
    const told = await parent.afterTools()
    expect(told).toContain('"for the parent"')
    expect(told).toContain('Followed session "b" is')
  })

  it('of an unknown session registers none', async () => {
    const world = createWorld()
    const agent = openHost(world, KEPT).talk('one', { isSubagent: true })
    await agent.start()
    await agent.prompt()
    expect((await world.store.sessions.list()).entries).toEqual([])
    expect(await agent.wake()).toBeUndefined()
  })
})

describe('a session told of a clash', () => {
  it('hears of it once', async () => {
    const { world, talk } = await open()
    const thief = world.client()
    await thief.update({ task: 'x', projectPath: '/p/shop' }, 'one').catch(() => undefined)
    expect(await talk.afterTools()).toContain('tried to act as this session and was refused')
    expect(await talk.prompt()).toBeUndefined()
    expect(only((await world.human.list()).sessions).id).toBe('one')
  })
})
