import { describe, expect, it } from 'vitest'
import type { ActivityState } from '../../src/core/activity.ts'
import { observe } from '../../src/core/activity.ts'
import { LIMITS } from '../../src/core/limits.ts'
import type { Store } from '../../src/core/ports.ts'
import { type Client, createWorld, HOUR_MS, idle, only, refusalOf, type World } from './world.ts'

/** A store whose hints and looks the test has in its hands. */
function watched() {
  const hooks = {
    /** False = the system drops every event. */
    hints: true,
    open: 0,
    beforeChange: undefined as ((id: string) => Promise<unknown>) | undefined,
    afterRead: undefined as ((id: string) => Promise<unknown>) | undefined,
    store: (inner: Store): Store => {
      const counted = <T extends { close(): void }>(watch: T): T => {
        hooks.open += 1
        return {
          ...watch,
          close() {
            hooks.open -= 1
            watch.close()
          },
        }
      }
      return {
        ...inner,
        sessions: {
          ...inner.sessions,
          watch: (hint) => counted(inner.sessions.watch((id) => hooks.hints && hint(id))),
          async change(id, decide) {
            const hook = hooks.beforeChange
            hooks.beforeChange = undefined
            await hook?.(id)
            return inner.sessions.change(id, decide)
          },
          async read(id) {
            const entry = await inner.sessions.read(id)
            await hooks.afterRead?.(id)
            return entry
          },
        },
        inbox: {
          ...inner.inbox,
          watch: (id, hint) => counted(inner.inbox.watch(id, () => hooks.hints && hint())),
        },
      }
    },
  }
  return hooks
}

async function trio(world: World): Promise<[Client, Client, Client]> {
  return [await world.session('a'), await world.session('b'), await world.session('c')]
}

/** What became of a call so far. */
function settled<T>(call: Promise<T>): { readonly value: T | undefined; readonly fault: unknown } {
  const seen: { value: T | undefined; fault: unknown } = { value: undefined, fault: undefined }
  call.then(
    (value) => {
      seen.value = value
    },
    (fault) => {
      seen.fault = fault
    },
  )
  return seen
}

function observes(world: World, id: string, state: ActivityState) {
  const at = new Date(world.clock.now()).toISOString()
  return world.store.sessions.change(id, (e) => e?.activity && { activity: observe(e.activity, state, 'hook', at) })
}

describe('C088 a session that finishes', () => {
  it('(a) before the call is seen at once', async () => {
    const world = createWorld()
    const [a, b] = await trio(world)
    await b.complete({ result: 'done' })
    expect(await a.wait({ sessions: ['b'] })).toMatchObject({
      done: true,
      reason: 'reached',
      sessions: [{ id: b.id, name: 'b', status: 'completed', finished: 'closed', reached: 'closed', result: 'done' }],
      pending: [],
      waitedMs: 0,
    })
  })

  it('(b) between the first look and the watch is seen at once', async () => {
    const hooks = watched()
    const world = createWorld({ store: hooks.store })
    const [a, b] = await trio(world)
    hooks.beforeChange = () => b.complete()
    expect(await a.wait({ sessions: ['b'] })).toMatchObject({ reason: 'reached', waitedMs: 0 })
  })

  it('(b) between a look and the pause after it is seen at once', async () => {
    const hooks = watched()
    const world = createWorld({ store: hooks.store })
    const [a, b] = await trio(world)
    let looks = 0
    hooks.afterRead = async (id) => {
      if (id === b.id && hooks.open > 0 && looks++ === 0) await b.complete()
    }
    expect(await a.wait({ sessions: ['b'] })).toMatchObject({ reason: 'reached', waitedMs: 0 })
    expect(looks).toBeGreaterThan(1)
  })

  it('(c) while the call waits is seen at once', async () => {
    const world = createWorld()
    const [a, b] = await trio(world)
    const waiting = a.wait({ sessions: ['b'] })
    const state = settled(waiting)
    await world.clock.advance(700)
    expect(state.value).toBeUndefined()
    await b.complete()
    expect(await waiting).toMatchObject({ reason: 'reached', waitedMs: 700 })
  })

  it('C090 with every event dropped is found by the look each second', async () => {
    const hooks = watched()
    hooks.hints = false
    const world = createWorld({ store: hooks.store })
    const [a, b] = await trio(world)
    const waiting = a.wait({ sessions: ['b'] })
    await world.clock.advance(10)
    await b.complete()
    await idle()
    const state = settled(waiting)
    await idle()
    expect(state.value).toBeUndefined()
    await world.clock.advance(1_000)
    expect(state.value).toMatchObject({ reason: 'reached' })
  })

  it('C060 by being killed is noticed within a second, though nothing is written then', async () => {
    const world = createWorld()
    const [a, b] = await trio(world)
    const waiting = settled(a.wait({ sessions: ['b'] }))
    await idle()
    if (b.process !== undefined) world.kill(b.process)
    await world.clock.advance(1_000)
    expect(waiting.value).toMatchObject({ reason: 'reached', sessions: [{ reached: 'ended', status: 'active' }] })
  })
})

describe('what is waited for', () => {
  it.each<[string, readonly string[], (world: World, b: Client) => Promise<unknown>, string]>([
    ['blocked', ['blocked'], (_, b) => b.update({ status: 'blocked' }), 'blocked'],
    ['one of two', ['paused', 'blocked'], (_, b) => b.update({ status: 'paused' }), 'paused'],
    ['idle', ['idle'], (world, b) => observes(world, b.id, 'idle'), 'idle'],
    ['changed by progress', ['changed'], (_, b) => b.update({ progress: 'x' }), 'changed'],
    ['changed by activity', ['changed'], (world, b) => observes(world, b.id, 'working'), 'changed'],
    ['closed', ['closed'], (_, b) => b.complete(), 'closed'],
    ['blocked, which a finished session will not be any more', ['blocked'], (_, b) => b.complete(), 'closed'],
    [
      'blocked, of a session that is removed',
      ['blocked'],
      (world, b) => world.store.sessions.remove(b.id, () => false),
      'gone',
    ],
  ])('%s', async (_, until, act, reached) => {
    const world = createWorld()
    const [a, b] = await trio(world)
    const waiting = a.wait({ sessions: ['b'], until })
    const state = settled(waiting)
    await idle()
    await observes(world, b.id, 'unknown')
    await idle()
    expect(state.value).toBeUndefined()
    await act(world, b)
    expect(await waiting).toMatchObject({ done: true, reason: 'reached', sessions: [{ reached }] })
  })

  it('all of them, or any', async () => {
    const world = createWorld()
    const [a, b, c] = await trio(world)
    const any = settled(a.wait({ sessions: ['b', 'c'], mode: 'any' }))
    const all = settled(a.wait({ sessions: ['b', 'c'] }))
    await idle()
    await c.complete()
    await idle()
    expect(any.value).toMatchObject({ reason: 'reached', pending: ['b'] })
    expect(all.value).toBeUndefined()
    await b.complete()
    await idle()
    expect(all.value).toMatchObject({ reason: 'reached', pending: [] })
  })

  it('an expired session is finished, and says so', async () => {
    const world = createWorld({ defaultTtl: '1h' })
    const [a, b] = await trio(world)
    if (b.process !== undefined) world.hide(b.process)
    const waiting = settled(a.wait({ sessions: ['b'], timeout: '2h' }, { ceilingMs: 2 * HOUR_MS }))
    await world.clock.advance(HOUR_MS + 1_000)
    expect(waiting.value).toMatchObject({ reason: 'reached', sessions: [{ finished: 'expired' }] })
  })

  it('a record that cannot be read is not gone: it stays awaited', async () => {
    let isTorn = false
    const world = createWorld({
      store: (inner) => ({
        ...inner,
        sessions: {
          ...inner.sessions,
          async read(id) {
            const entry = await inner.sessions.read(id)
            if (isTorn && entry?.session.name === 'b') throw new Error('cut short')
            return entry
          },
        },
      }),
    })
    const [a, b] = await trio(world)
    const waiting = settled(a.wait({ sessions: ['b'], timeout: '5s' }))
    await idle()
    isTorn = true
    await world.clock.advance(3_000)
    expect(waiting.value).toBeUndefined()
    isTorn = false
    await b.complete()
    await idle()
    expect(waiting.value).toMatchObject({ reason: 'reached' })
  })

  it.each([
    [{ sessions: [] }, 'BAD_INPUT'],
    [{ sessions: ['nobody'] }, 'SESSION_NOT_FOUND'],
    [{ sessions: ['b'], until: ['done'] }, 'BAD_INPUT'],
    [{ sessions: ['b'], timeout: 'soon' }, 'BAD_TTL'],
    [{ sessions: Array(65).fill('b') as string[] }, 'BAD_INPUT'],
    [{ sessions: ['b'], cursor: 'x' }, 'BAD_CURSOR'],
    [{ sessions: ['b'], cursor: '../../evil:1.1' }, 'BAD_CURSOR'],
    [{ sessions: ['b'], cursor: 'nul:1.1' }, 'BAD_CURSOR'],
    [{ sessions: ['nobody'], cursor: 'nul:1.1' }, 'BAD_CURSOR'],
    [{ sessions: ['b'], cursor: 'someone-else:1.1' }, 'BAD_CURSOR'],
  ])('%j is refused', async (input, code) => {
    const world = createWorld()
    const [a] = await trio(world)
    expect(await refusalOf(a.wait(input))).toMatchObject({ code })
    expect((await world.entry(a.id)).activity?.waitingFor).toEqual([])
  })
})

describe('a wait that runs out', () => {
  it('is a normal answer that says what is pending and how to go on', async () => {
    const world = createWorld()
    const [a, b] = await trio(world)
    const waiting = a.wait({ sessions: ['b', 'c'], timeout: '30s' })
    await world.clock.advance(30_000)
    expect(await waiting).toEqual({
      done: false,
      reason: 'timeout',
      sessions: [
        { id: b.id, name: 'b', status: 'active', activity: 'unknown' },
        { id: expect.any(String), name: 'c', status: 'active', activity: 'unknown' },
      ],
      pending: ['b', 'c'],
      cursor: expect.stringContaining(`${b.id}:1.1`),
      waitedMs: 30_000,
      timeoutMs: 30_000,
      hint: expect.stringContaining('cursor'),
    })
    expect(world.clock.timers).toBe(0)
  })

  it('never waits longer than the client allows', async () => {
    const world = createWorld()
    const [a] = await trio(world)
    const waiting = a.wait({ sessions: ['b'], timeout: '1h' }, { ceilingMs: 25_000 })
    await world.clock.advance(25_000)
    expect(await waiting).toMatchObject({ reason: 'timeout', waitedMs: 25_000, timeoutMs: 25_000 })
  })

  it('does not depend on the wall clock', async () => {
    const world = createWorld()
    const [a] = await trio(world)
    const waiting = settled(a.wait({ sessions: ['b'], timeout: '30s' }))
    await world.clock.advance(10_000)
    world.clock.set(world.clock.now() + 24 * HOUR_MS)
    await world.clock.advance(10_000)
    expect(waiting.value).toBeUndefined()
    await world.clock.advance(10_000)
    expect(waiting.value).toMatchObject({ reason: 'timeout', waitedMs: 30_000 })
  })

  it('goes on with its cursor: a state that came and went between the two calls counts', async () => {
    const world = createWorld()
    const [a, b] = await trio(world)
    const call = async (cursor?: string) => {
      const waiting = a.wait({ sessions: ['b'], until: ['blocked', 'needs_input'], timeout: '1s', cursor })
      await world.clock.advance(1_000)
      return waiting
    }
    const first = await call()
    expect(first.reason).toBe('timeout')
    await b.update({ status: 'blocked' })
    await b.update({ status: 'active' })
    expect((await call()).reason).toBe('timeout')
    const second = await call(first.cursor)
    expect(second).toMatchObject({ reason: 'reached', sessions: [{ reached: 'blocked', status: 'active' }] })
    expect((await call(second.cursor)).reason).toBe('timeout')
    await observes(world, b.id, 'needs_input')
    await observes(world, b.id, 'working')
    expect(await call(second.cursor)).toMatchObject({ sessions: [{ reached: 'needs_input' }] })
  })

  it('goes on with its cursor when the session has disappeared or was renamed since', async () => {
    const world = createWorld()
    const [a, b, c] = await trio(world)
    const waiting = a.wait({ sessions: ['b', 'c'], timeout: '1s' })
    await world.clock.advance(1_000)
    const { cursor } = await waiting
    await world.store.sessions.remove(b.id, () => false)
    await c.update({ name: 'renamed' })
    await c.complete()
    expect(await a.wait({ sessions: ['b', 'c'], cursor })).toMatchObject({
      reason: 'reached',
      sessions: [
        { id: b.id, reached: 'gone' },
        { id: c.id, reached: 'closed' },
      ],
    })
  })

  it('C084 tells its progress at least every three seconds, and nothing after the answer', async () => {
    const world = createWorld()
    const [a, b] = await trio(world)
    const lines: string[] = []
    const waiting = a.wait({ sessions: ['b', 'c'] }, { progress: (line) => lines.push(line) })
    for (let second = 1; second <= 12; second++) {
      await world.clock.advance(1_000)
      expect(lines.length).toBeGreaterThanOrEqual(Math.floor(second / 3))
      if (second === 4) await b.complete()
    }
    expect(lines).toHaveLength(4)
    expect(lines[0]).toBe('0/2 done, 3 s')
    expect(lines.at(-1)).toBe('1/2 done, 12 s')
    await world.clock.advance(60_000)
    await waiting
    const told = lines.length
    await world.clock.advance(60_000)
    expect(lines).toHaveLength(told)
  })
})

describe('a wait that is cancelled', () => {
  it('ends at once, and leaves no watch, no timer and no edge', async () => {
    const hooks = watched()
    const world = createWorld({ store: hooks.store })
    const [a] = await trio(world)
    const cancel = new AbortController()
    const waiting = a.wait({ sessions: ['b'], orMessage: true }, { signal: cancel.signal })
    const state = settled(waiting)
    await idle()
    expect(hooks.open).toBe(2)
    expect((await world.entry(a.id)).activity?.waitingFor).toHaveLength(1)
    cancel.abort()
    await idle()
    expect(state.fault).toMatchObject({ code: 'CANCELLED' })
    expect([hooks.open, world.clock.timers]).toEqual([0, 0])
    expect((await world.entry(a.id)).activity?.waitingFor).toEqual([])
  })

  it('before it began ends at once as well', async () => {
    const world = createWorld()
    const [a] = await trio(world)
    expect(await refusalOf(a.wait({ sessions: ['b'] }, { signal: AbortSignal.abort() }))).toMatchObject({
      code: 'CANCELLED',
    })
  })
})

describe('a wait for a session or mail', () => {
  it('ends with the message that is there, or that comes', async () => {
    const world = createWorld()
    const [a, b] = await trio(world)
    const waiting = a.wait({ sessions: ['b'], orMessage: true })
    await idle()
    await b.send('a', 'hello')
    expect(await waiting).toMatchObject({
      done: true,
      reason: 'message',
      unread: 1,
      pending: ['b'],
      hint: expect.any(String),
    })
    expect(await a.wait({ sessions: ['b'], orMessage: true })).toMatchObject({ reason: 'message', waitedMs: 0 })
    await a.read()
    const next = settled(a.wait({ sessions: ['b'], orMessage: true }))
    await idle()
    expect(next.value).toBeUndefined()
    await b.complete()
    await idle()
    expect(next.value).toMatchObject({ reason: 'reached', unread: 0 })
  })

  it('C090 finds the message by the look each second where its event was dropped', async () => {
    const hooks = watched()
    hooks.hints = false
    const world = createWorld({ store: hooks.store })
    const [a, b] = await trio(world)
    const waiting = settled(a.wait({ sessions: ['b'], orMessage: true }))
    await idle()
    await b.send('a', 'hello')
    await world.clock.advance(1_000)
    expect(waiting.value).toMatchObject({ reason: 'message' })
  })

  it('needs an inbox: a client without a session is told, the person has one', async () => {
    const world = createWorld()
    const [a] = await trio(world)
    expect(await refusalOf(world.client().wait({ sessions: ['a'], orMessage: true }))).toMatchObject({
      code: 'NOT_REGISTERED',
    })
    const waiting = world.human.wait({ sessions: ['a'], orMessage: true })
    await idle()
    await a.send('human', 'done')
    expect(await waiting).toMatchObject({ reason: 'message' })
  })
})

describe('a wait that would never end', () => {
  it.each(['me', ' me ', 'a'])('C086 for oneself, as %j, is refused', async (self) => {
    const world = createWorld()
    const [a] = await trio(world)
    for (const sessions of [[self], ['b', self]])
      expect(await refusalOf(a.wait({ sessions }))).toMatchObject({ code: 'WAIT_CYCLE' })
    expect(await refusalOf(a.wait({ sessions: [a.id] }))).toMatchObject({ code: 'WAIT_CYCLE' })
  })

  it('because two wait for each other is refused by naming both; the first one goes on', async () => {
    const world = createWorld()
    const [a, b] = await trio(world)
    const waiting = settled(a.wait({ sessions: ['b'] }))
    await idle()
    const fault = await refusalOf(b.wait({ sessions: ['a'] }))
    expect(fault).toMatchObject({ code: 'WAIT_CYCLE', message: expect.stringContaining('b waits for a waits for b') })
    expect((await world.entry(b.id)).activity?.waitingFor).toEqual([])
    expect((await a.query('me')).waitingFor).toEqual([b.id])
    await b.complete()
    await idle()
    expect(waiting.value).toMatchObject({ reason: 'reached' })
  })

  it('because three wait in a ring is refused by naming all three', async () => {
    const world = createWorld()
    const [a, b, c] = await trio(world)
    void a.wait({ sessions: ['b'] })
    await idle()
    void b.wait({ sessions: ['c'] })
    await idle()
    const fault = await refusalOf(c.wait({ sessions: ['a'] }))
    expect(fault.message).toContain('c waits for a waits for b waits for c')
  })

  it('is refused to at least one of two that start at the same moment', async () => {
    const world = createWorld()
    const [a, b] = await trio(world)
    const both = [settled(a.wait({ sessions: ['b'] })), settled(b.wait({ sessions: ['a'] }))]
    await idle()
    const refused = both.filter(({ fault }) => fault !== undefined)
    expect(refused.length).toBeGreaterThan(0)
    for (const { fault } of refused) expect(fault).toMatchObject({ code: 'WAIT_CYCLE' })
  })

  it('includes whoever waits for a ring from outside', async () => {
    const world = createWorld()
    const [a, b, c] = await trio(world)
    void a.wait({ sessions: ['b'], timeout: '30s' })
    await idle()
    // As if b had not looked: its edge is simply there.
    const until = new Date(world.clock.now() + HOUR_MS).toISOString()
    const edge = { waitId: 'w', targets: [a.id], mode: 'all', orMessage: false, owner: b.server, until } as const
    await world.store.sessions.change(b.id, (e) => e?.activity && { activity: { ...e.activity, waitingFor: [edge] } })
    expect(await refusalOf(c.wait({ sessions: ['a'] }))).toMatchObject({ code: 'WAIT_CYCLE' })
  })

  it('is none where any of the targets is free', async () => {
    const world = createWorld()
    const [a, b, c] = await trio(world)
    const any = settled(a.wait({ sessions: ['b', 'c'], mode: 'any' }))
    await idle()
    const back = settled(b.wait({ sessions: ['a'] }))
    await idle()
    expect([any.fault, back.fault]).toEqual([undefined, undefined])
    expect(await refusalOf(c.wait({ sessions: ['a'] }))).toMatchObject({ code: 'WAIT_CYCLE' })
    await c.complete()
    await idle()
    expect(any.value).toMatchObject({ reason: 'reached' })
    await a.complete()
    await idle()
    expect(back.value).toMatchObject({ reason: 'reached' })
  })

  it('is none where mail can end one of the waits', async () => {
    const world = createWorld()
    const [a, b] = await trio(world)
    const first = settled(a.wait({ sessions: ['b'], orMessage: true }))
    await idle()
    const second = settled(b.wait({ sessions: ['a'] }))
    await idle()
    expect([first.fault, second.fault]).toEqual([undefined, undefined])
    await world.human.send('a', 'go on')
    await idle()
    expect(first.value).toMatchObject({ reason: 'message' })
  })

  it('C086 is none where the process that waits was killed: a dead edge holds nobody up', async () => {
    const world = createWorld()
    const [a, b] = await trio(world)
    void a.wait({ sessions: ['b'] })
    await idle()
    world.kill(a.server)
    const waiting = settled(b.wait({ sessions: ['a'] }))
    await idle()
    expect(waiting.fault).toBeUndefined()
    expect((await b.query('a')).waitingFor).toEqual([])
  })

  it('is none where a target has finished, whatever it waited for', async () => {
    const world = createWorld()
    const [a, b, c] = await trio(world)
    void a.wait({ sessions: ['b'] })
    await idle()
    const waiting = settled(b.wait({ sessions: ['c'] }))
    await idle()
    await a.complete()
    const back = settled(c.wait({ sessions: ['a'] }))
    await idle()
    expect([waiting.fault, back.fault]).toEqual([undefined, undefined])
    expect(back.value).toMatchObject({ reason: 'reached' })
  })

  it('is none where one of all has finished with its own wait still on record', async () => {
    const world = createWorld()
    const [a, b, c] = await trio(world)
    void b.wait({ sessions: ['a'] })
    await idle()
    await b.complete()
    expect((await world.entry(b.id)).activity?.waitingFor).toHaveLength(1)
    const waiting = settled(a.wait({ sessions: ['b', 'c'] }))
    await idle()
    expect(waiting.fault).toBeUndefined()
    await c.complete()
    await idle()
    expect(waiting.value).toMatchObject({ reason: 'reached' })
  })

  it('is still seen ten seconds after an answer, while its caller calls again, and not later', async () => {
    const world = createWorld()
    const [a, b] = await trio(world)
    const waiting = a.wait({ sessions: ['b'], timeout: '1s' })
    await world.clock.advance(1_000)
    expect((await waiting).reason).toBe('timeout')
    await world.clock.advance(LIMITS.edgeGraceMs - 1)
    expect(await refusalOf(b.wait({ sessions: ['a'] }))).toMatchObject({ code: 'WAIT_CYCLE' })
    await world.clock.advance(1)
    const later = settled(b.wait({ sessions: ['a'] }))
    await idle()
    expect(later.fault).toBeUndefined()
  })

  it('ends with its answer: a wait that reached what it was for leaves no edge', async () => {
    const world = createWorld()
    const [a, b] = await trio(world)
    const waiting = a.wait({ sessions: ['b'], until: ['blocked'] })
    await idle()
    expect(only((await world.entry(a.id)).activity?.waitingFor)).toMatchObject({ targets: [b.id], owner: a.server })
    await b.update({ status: 'blocked' })
    await waiting
    expect((await world.entry(a.id)).activity?.waitingFor).toEqual([])
  })

  it('cannot be told where nothing can be written: the wait goes on, and ends with its time', async () => {
    let isFull = false
    const { BusError } = await import('../../src/core/errors.ts')
    const world = createWorld({
      store: (inner) => ({
        ...inner,
        sessions: {
          ...inner.sessions,
          async change(id, decide) {
            if (isFull) throw new BusError('DISK_FULL', 'No space is left.', 'Free some.')
            return inner.sessions.change(id, decide)
          },
        },
      }),
    })
    const [a] = await trio(world)
    isFull = true
    const waiting = a.wait({ sessions: ['b'], timeout: '5s' })
    await world.clock.advance(5_000)
    expect(await waiting).toMatchObject({ reason: 'timeout' })
  })
})
