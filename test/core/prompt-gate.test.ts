/** Prompts that no hook sees: who may be left to the gate, and that nobody can tell the difference afterwards. */
import { describe, expect, it } from 'vitest'
import { noteOutOfWakes } from '../../src/core/notices.ts'
import { KEPT, openHost, type Talk } from './hosted.ts'
import { createWorld, MINUTE_MS, type World } from './world.ts'

const GATED = { ...KEPT, gated: true } as const

async function open(): Promise<{ world: World; talk: Talk }> {
  const world = createWorld()
  const talk = openHost(world, GATED).talk('one')
  await talk.start()
  return { world, talk }
}

const activity = async (world: World, id = 'one') => (await world.entry(id)).activity
const state = async (world: World) => (await activity(world))?.state

/** Whether the next prompt of a conversation is left to the gate. */
async function isGated({ store }: World, hostKey = 'one'): Promise<boolean> {
  const wasGated = !(await store.hosts.gate(hostKey))
  if (!wasGated) await store.hosts.ungate(hostKey)
  return wasGated
}

describe('a turn that only the gate noted', () => {
  it('is seen by all: working since then, and a person’s', async () => {
    const { world } = await open()
    const other = await world.session('other')
    const before = await activity(world)
    await world.clock.advance(MINUTE_MS)
    await world.store.hosts.beginTurn('one')
    const promptedAt = new Date(world.clock.now()).toISOString()
    await world.clock.advance(MINUTE_MS)
    expect(await activity(world)).toMatchObject({
      state: 'working',
      since: promptedAt,
      lastTurn: promptedAt,
      lastHumanPrompt: promptedAt,
      lastSeenAt: promptedAt,
      activitySeq: (before?.activitySeq ?? 0) + 1,
    })
    expect(await other.query('one')).toMatchObject({ activity: 'working', activitySince: promptedAt })
    expect((await other.list({ activity: 'working' })).sessions.map(({ id }) => id)).toEqual(['one'])
  })

  it('is written down when it ends: first working, then idle, as if a hook had seen it begin', async () => {
    const { world, talk } = await open()
    const before = (await activity(world))?.activitySeq ?? 0
    await world.clock.advance(MINUTE_MS)
    await world.store.hosts.beginTurn('one')
    const promptedAt = new Date(world.clock.now()).toISOString()
    await world.clock.advance(MINUTE_MS)
    await talk.stop()
    const after = await activity(world)
    expect(after).toMatchObject({ state: 'idle', lastTurn: promptedAt, activitySeq: before + 2 })
    expect(after?.trail.slice(-2)).toEqual([
      { seq: before + 1, state: 'working' },
      { seq: before + 2, state: 'idle' },
    ])
    // The note went with it: the next one is a turn of its own.
    await world.clock.advance(MINUTE_MS)
    expect(await state(world)).toBe('idle')
    await world.store.hosts.beginTurn('one')
    expect(await state(world)).toBe('working')
  })

  it('ends with tasks in the background as working, and is written down all the same', async () => {
    const { world, talk } = await open()
    await talk.prompt()
    await talk.stop({ background: 1 })
    const before = await activity(world)
    await world.store.hosts.beginTurn('one')
    await talk.stop({ background: 1 })
    expect((await activity(world))?.lastTurn).toBe(new Date(world.clock.now()).toISOString())
    expect((await activity(world))?.activitySeq).toBe(before?.activitySeq)
  })

  it('is waited for: idle, working, idle are each reached', async () => {
    const { world, talk } = await open()
    const other = await world.session('other')
    const begun = other.wait({ sessions: ['one'], until: ['working'], timeout: '60s' })
    await world.clock.advance(1)
    await world.store.hosts.beginTurn('one')
    await world.clock.advance(1)
    const { done, sessions, cursor } = await begun
    expect([done, sessions[0]?.reached]).toEqual([true, 'working'])
    await talk.stop()
    await world.clock.advance(1)
    const ended = await other.wait({ sessions: ['one'], until: ['idle'], cursor, timeout: '60s' })
    expect(ended.sessions[0]?.reached).toBe('idle')
  })

  it('that came and went between two calls is reached by a waiter with a cursor', async () => {
    const { world, talk } = await open()
    const other = await world.session('other')
    const first = other.wait({ sessions: ['one'], until: ['needs_input'], timeout: '1s' })
    await world.clock.advance(2_000)
    const { cursor } = await first
    await world.store.hosts.beginTurn('one')
    await world.clock.advance(1)
    await talk.stop()
    const then = await other.wait({ sessions: ['one'], until: ['working'], cursor, timeout: '1s' })
    expect(then.sessions[0]).toMatchObject({ activity: 'idle', reached: 'working' })
  })

  it('is told to followers once', async () => {
    const { world, talk } = await open()
    const other = await world.session('other')
    await other.watch('one')
    await world.store.hosts.beginTurn('one')
    expect((await other.news())?.changes).toEqual([expect.stringContaining('active, working')])
    await world.clock.advance(1)
    await talk.afterTools()
    expect(await other.news()).toBeUndefined()
    await talk.stop()
    expect((await other.news())?.changes).toEqual([expect.stringContaining('active, idle')])
  })

  it('is not woken into: what comes meanwhile is told within it', async () => {
    const { world, talk } = await open()
    await world.store.hosts.beginTurn('one')
    const sent = await world.human.send('one', 'hello')
    expect(sent.to[0]).toMatchObject({ activity: 'working', wake: { outcome: 'deferred' } })
    expect(await talk.wake()).toBeUndefined()
    expect(await talk.afterTools()).toContain('"hello"')
  })

  it('outlives a change of anything else, and is not noted twice', async () => {
    const { world, talk } = await open()
    await world.store.hosts.beginTurn('one')
    const seq = (await activity(world))?.activitySeq
    await world.clock.advance(MINUTE_MS)
    await talk.tools.update({ progress: 'half' })
    await talk.notice('needs_permission')
    expect(await activity(world)).toMatchObject({ state: 'needs_permission', activitySeq: (seq ?? 0) + 1 })
    await talk.afterTools()
    expect(await activity(world)).toMatchObject({ state: 'working', activitySeq: (seq ?? 0) + 2 })
  })

  it('of a session that ends is ended', async () => {
    for (const end of [(talk: Talk) => talk.end(), (talk: Talk) => talk.start('clear')]) {
      const { world, talk } = await open()
      await world.store.hosts.beginTurn('one')
      await world.clock.advance(1)
      await end(talk)
      expect(await state(world)).not.toBe('working')
    }
  })

  it('is not the turn of whoever uses the key of the conversation after it', async () => {
    const { world, talk } = await open()
    await world.store.hosts.beginTurn('one')
    await openHost(world, GATED).talk('two', { client: talk.process }).start('clear')
    expect((await world.entry('one')).session.host.hostKey).toBe('two')
    expect(await state(world)).toBe('idle')
    expect(await isGated(world, 'one')).toBe(false)
  })
})

describe('a prompt is left to the gate', () => {
  it('after a start and after the end of a turn that left nothing, as often as it likes', async () => {
    const { world, talk } = await open()
    expect(await isGated(world)).toBe(true)
    for (let turn = 0; turn < 3; turn++) {
      await world.store.hosts.beginTurn('one')
      await talk.afterTools()
      await talk.stop()
      expect(await isGated(world)).toBe(true)
    }
  })

  it('not the first one of a conversation that only its prompt tells who opened it', async () => {
    const world = createWorld()
    const talk = openHost(world, GATED).talk('one', { isServed: true })
    await talk.start()
    expect(await isGated(world)).toBe(false)
    await talk.prompt()
    await talk.stop()
    expect(await isGated(world)).toBe(true)
  })

  it('only where the host has a gate', async () => {
    const world = createWorld()
    const talk = openHost(world).talk('one')
    await talk.start()
    await talk.prompt()
    await talk.stop()
    expect(await isGated(world)).toBe(false)
  })

  const NOT: Readonly<Record<string, (world: World, talk: Talk) => Promise<unknown>>> = {
    'while mail is unread, told or not': async (world, talk) => {
      await talk.prompt()
      await world.human.send('one', 'later', { activate: 'never' })
      await talk.afterTools()
      await talk.stop()
    },
    'while a reader holds mail that may come back': async (world, talk) => {
      await world.human.send('one', 'taken', { activate: 'never' })
      await talk.prompt()
      await talk.tools.take()
      await talk.stop()
    },
    'in the middle of a turn that a hook saw begin: it may be broken off': async (_, talk) => talk.prompt(),
    'while tasks run in the background, which report by a prompt': async (_, talk) => {
      await talk.prompt()
      await talk.stop({ background: 1 })
    },
    'while the host has prompts to come': async (_, talk) => {
      await talk.prompt()
      await talk.stop({ isScheduled: true })
    },
    'once it follows another session': async (world, talk) => {
      await world.session('other')
      await talk.tools.watch('other')
    },
    'once it is closed': async (_, talk) => talk.tools.complete(),
    'once it has ended': async (_, talk) => talk.end(),
    'between a wake and its turn: the prompt is the proof': async (world, talk) => {
      await world.human.send('one', 'wake up')
      expect(await talk.wake()).toMatch(/^session-mcp wake/)
    },
    'for a while after a wake: a person’s prompt resets what is counted': async (world, talk) => {
      await world.human.send('one', 'wake up')
      await talk.prompt(await talk.wake())
      await talk.tools.read()
      await talk.stop()
    },
    'for a while after it asked another to wake': async (world, talk) => {
      const other = openHost(world, GATED).talk('other')
      await other.start()
      await talk.prompt()
      await talk.tools.send('other', 'hello')
      await talk.stop()
    },
    'after a turn that was held open: a person’s prompt lets the next one be': async (world, talk) => {
      await talk.prompt()
      await world.human.send('one', 'please', { intent: 'request', activate: 'never' })
      expect(await talk.stop()).toContain('"please"')
      await talk.tools.read()
      await talk.stop()
    },
    'while it has not been told whose mail wakes it no more': async (world, talk) => {
      await talk.prompt()
      await noteOutOfWakes(world.context(), await world.entry('one'), 'other')
      await talk.stop()
    },
    'while its conversation is open in two clients': async (world, talk) => {
      const twin = openHost(world, GATED).talk('one', { client: world.process() })
      await twin.start('resume')
      await talk.prompt()
      await talk.stop()
      await twin.prompt()
      await twin.stop()
    },
  }
  for (const [when, arrange] of Object.entries(NOT)) {
    it(`not ${when}`, async () => {
      const { world, talk } = await open()
      expect(await isGated(world)).toBe(true)
      await arrange(world, talk)
      expect(await isGated(world)).toBe(false)
    })
  }

  it('again, once what was counted is old and what was unread is read', async () => {
    const { world, talk } = await open()
    await world.human.send('one', 'wake up')
    await talk.prompt(await talk.wake())
    await talk.tools.read()
    await talk.stop()
    await world.clock.advance(11 * MINUTE_MS)
    await talk.prompt()
    await talk.stop()
    expect(await isGated(world)).toBe(true)
  })

  it('not by a hook that saw the session as it was before it followed another', async () => {
    let onGate: (() => Promise<unknown>) | undefined
    const world: World = createWorld({
      store: (inner) => ({
        ...inner,
        hosts: {
          ...inner.hosts,
          async gate(hostKey) {
            const once = onGate
            onGate = undefined
            await once?.()
            return inner.hosts.gate(hostKey)
          },
        },
      }),
    })
    const talk = openHost(world, GATED).talk('one')
    await talk.start()
    await world.session('other')
    await talk.prompt()
    onGate = () => talk.tools.watch('other')
    await talk.stop()
    expect(await isGated(world)).toBe(false)
  })
})

it('a clash of ids leaves word with the hooks of its owner', async () => {
  const { world, talk } = await open()
  await world.store.hosts.beginTurn('one')
  await openHost(world, GATED).talk('one', { client: world.process() }).start('resume')
  expect((await world.entry('one')).activity).toMatchObject({ state: 'working', clash: { outcome: 'opened-twice' } })
  expect(await talk.afterTools()).toContain('was opened in process')
})
