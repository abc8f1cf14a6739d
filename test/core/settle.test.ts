/** Actions that end without anybody saying so: written down by whoever looks, shown to all, told once to whoever asked. */
import { describe, expect, it } from 'vitest'
import { type Action, type ActionKind, OPERATIONS, TAKER_GONE } from '../../src/core/action.ts'
import { takeActions } from '../../src/core/bridge.ts'
import { LIMITS } from '../../src/core/limits.ts'
import type { Life } from '../../src/core/ports.ts'
import { workOff } from '../../src/core/queue.ts'
import { settle, take } from '../../src/core/settle.ts'
import { anAction } from '../contract/actions.ts'
import { KEPT, openHost } from './hosted.ts'
import { executor, IDE } from './tabs.ts'
import { createWorld, HOUR_MS, only, type World } from './world.ts'

const EXECUTOR = { id: 'msun', watches: false, kinds: ['create' as const, ...OPERATIONS] }
const NOT_TAKEN = 'not taken within 120 s; it is not done any more'

async function ide() {
  const world = createWorld()
  const host = openHost(world, { ...IDE, executor: EXECUTOR })
  const [one, two] = [host.talk('tab-1', { title: 'one' }), host.talk('tab-2', { title: 'two' })]
  for (const talk of [one, two]) {
    await talk.prompt()
    await talk.stop()
  }
  const handed = (result: unknown) => takeActions(world.context(), EXECUTOR, { tool: 'manage_session', result })
  return { world, host, one, two, handed }
}

/** As the files tell it of an action that was taken by another process. */
function takenBy(world: World, life: Life): void {
  const { actions } = world.store
  const { unfinished, find } = actions
  actions.unfinished = async () =>
    (await unfinished()).map((each) => (each.taker === undefined ? each : { ...each, taker: life }))
  actions.find = async (queue, id) => {
    const action = await find(queue, id)
    const isTaken = (await unfinished()).some(({ action: { id: each }, taker }) => each === id && taker !== undefined)
    return life === 'gone' && action !== undefined && isTaken ? { ...action, ...TAKER_GONE } : action
  }
}

/** Asked by lead, taken from its queue, and never heard of again. */
async function lost(life: Life = 'gone', traits = KEPT) {
  const world = createWorld()
  const host = openHost(world, traits)
  const [lead, other] = [host.talk('lead', { title: 'lead' }), host.talk('other', { title: 'reviewer' })]
  for (const talk of [lead, other]) {
    await talk.start()
    await talk.prompt()
    await talk.stop()
  }
  const by = { id: 'lead', name: 'lead' }
  const target = { id: 'other', name: 'reviewer', hostKind: 'hosted', hostSessionId: 'other' }
  const action = anAction(1, { kind: 'set_input', by, target, params: { text: 'look here' } })
  await world.store.actions.request(action)
  await world.store.actions.claim('ide', action.id)
  takenBy(world, life)
  return { world, lead, other, action }
}

describe('an action that nobody takes', () => {
  const within: Readonly<Record<ActionKind, number>> = {
    create: 60,
    cancel: 30,
    switch: 120,
    close: 120,
    set_input: 120,
    send_message: 120,
    set_model: 600,
    set_scene: 600,
    pin: 600,
    unpin: 600,
    rename: 600,
  }
  it.each(Object.entries(within) as [ActionKind, number][])(
    '%s is given out for %i s, and no longer',
    async (kind, seconds) => {
      const { world, one } = await ide()
      const asked = (n: number): Action =>
        anAction(n, {
          kind,
          executor: 'msun',
          by: { id: one.conversation.hostKey, name: 'one' },
          requestedAt: world.context().nowIso(),
        })
      for (const n of [1, 2]) await world.store.actions.request(asked(n))
      await world.clock.advance(seconds * 1000)
      expect(await take(world.context(), 'msun', asked(1).id)).toMatchObject({ kind })
      await world.clock.advance(1)
      expect(await take(world.context(), 'msun', asked(2).id)).toBeUndefined()
      expect(await world.store.actions.find('msun', asked(2).id)).toMatchObject({
        state: 'failed',
        evidence: `not taken within ${seconds} s; it is not done any more`,
      })
    },
  )

  it('is not performed when its host opens again an hour later, and everyone concerned sees why', async () => {
    const { world, one, handed } = await ide()
    const answer = await one.tools.manage('two', 'switch')
    expect(answer.action).toMatchObject({ state: 'requested', next: expect.stringContaining('query_session') })
    await world.clock.advance(HOUR_MS)
    expect(await handed(answer)).toEqual([])
    const row = { id: answer.action.id, kind: 'switch', target: 'two', by: 'one', state: 'failed', evidence: NOT_TAKEN }
    for (const name of ['one', 'two']) expect(only((await one.tools.query(name)).actions)).toMatchObject(row)
    expect(await world.store.actions.waiting('msun')).toEqual([])
  })

  it('is said to have failed by the next who looks, also where its host never comes back', async () => {
    const { world, one, host } = await ide()
    await one.tools.manage('two', 'switch')
    await world.clock.advance(121_000)
    const third = host.talk('tab-3', { title: 'three' })
    await third.prompt()
    expect(only((await third.tools.query('two')).actions)).toMatchObject({
      state: 'failed',
      evidence: NOT_TAKEN,
      requestedAt: expect.any(String),
      finishedAt: expect.any(String),
      next: 'Ask again if it is still wanted.',
    })
  })

  it('is told to whoever asked, once', async () => {
    const { world, one, two } = await ide()
    await one.tools.manage('two', 'switch')
    await world.clock.advance(121_000)
    await world.bus.sweep()
    const said = await one.prompt()
    expect(said).toContain('"switch" of session "two", which this session asked for at ')
    expect(said).toContain(`was not done: "${NOT_TAKEN}". It can be asked for again.`)
    for (const again of [await one.prompt(), await two.prompt()]) expect(again).not.toContain('not taken')
  })

  it('has failed also where no word of it can be left', async () => {
    const { world, one, handed } = await ide()
    const answer = await one.tools.manage('two', 'switch')
    await world.clock.advance(HOUR_MS)
    const { change } = world.store.sessions
    world.store.sessions.change = () => Promise.reject(new Error('busy'))
    expect(await handed(answer)).toEqual([])
    world.store.sessions.change = change
    expect(await world.store.actions.unfinished()).toEqual([])
    expect(world.logged).toEqual(['warn settle'])
  })

  it('does not wait on because a clock was set back', async () => {
    const { world, one, handed } = await ide()
    const answer = await one.tools.manage('two', 'switch')
    world.clock.set(world.clock.now() - HOUR_MS)
    expect(await handed(answer)).toEqual([])
  })

  it('in the queue of a plugin that was stopped is not done when that goes on, and the next one is', async () => {
    const world = createWorld()
    const at = (ms: number) => new Date(world.clock.now() + ms).toISOString()
    await world.store.actions.request(anAction(1, { requestedAt: at(-HOUR_MS) }))
    await world.store.actions.request(anAction(2, { requestedAt: at(0) }))
    const performed: string[] = []
    const perform = async ({ id }: Action) => {
      performed.push(id)
      return { state: 'done', evidence: 'seen' } as const
    }
    workOff(world.context(), { id: 'ide', perform, report: () => {} })
    await world.clock.advance(1)
    expect(performed).toEqual([anAction(2).id])
    expect(await world.store.actions.find('ide', anAction(1).id)).toMatchObject({
      state: 'failed',
      evidence: NOT_TAKEN,
    })
  })
})

describe('an action whose executor is gone', () => {
  it('is unknown from the first look on: shown with who asked for what, and not done again', async () => {
    const { world, other, action } = await lost()
    const row = only((await other.tools.query('reviewer')).actions)
    expect(row).toEqual({
      id: action.id,
      kind: 'set_input',
      target: 'reviewer',
      asked: 'look here',
      by: 'lead',
      requestedAt: action.requestedAt,
      finishedAt: expect.any(String),
      state: 'unknown',
      evidence: 'its executor ended before it said how it went',
      next: expect.stringContaining('nobody does it a second time'),
    })
    expect(await other.tools.query('lead')).toMatchObject({ actions: [row] })
    expect(await world.store.actions.unfinished()).toEqual([])
    expect(await take(world.context(), 'ide', action.id)).toBeUndefined()
  })

  it('is told to whoever asked, once, however many find it out', async () => {
    const { world, lead, other } = await lost()
    await Promise.all([settle(world.context()), settle(world.context()), world.bus.sweep(), other.tools.query('lead')])
    const told = [await lead.prompt(), (await lead.tools.news())?.notices, await lead.prompt(), await other.prompt()]
    expect(told[0]).toContain(
      'Nobody knows whether "set_input" of session "reviewer", which this session asked for at 2026-11-30T12:00:00.000Z, was done: "its executor ended before it said how it went". Nobody does it again; query_session shows how things stand.',
    )
    for (const again of told.slice(1)) expect(again ?? '').not.toContain('set_input')
  })

  it('is told beside the answer of a tool as well', async () => {
    const { world, lead } = await lost()
    await world.bus.sweep()
    expect(only((await lead.tools.news())?.notices)).toContain('Nobody knows whether "set_input"')
    expect(await lead.tools.news()).toBeUndefined()
  })

  it('is found out at the prompt of whoever asked, where no server is left to look', async () => {
    const { lead } = await lost()
    expect(await lead.prompt()).toContain('Nobody knows whether "set_input"')
  })

  it('starts the hooks of whoever asked, whose next prompt was left to the gate', async () => {
    const { world } = await lost('gone', { ...KEPT, gated: true })
    expect(await world.store.hosts.gate('lead')).toBe(false)
    await settle(world.context())
    expect(await world.store.hosts.gate('lead')).toBe(true)
  })

  it('that said how it went meanwhile keeps what it said', async () => {
    const { world, action } = await lost()
    const { unfinished } = world.store.actions
    const seen = await unfinished()
    await world.store.actions.finish(action, { state: 'done', evidence: 'typed' }, action.requestedAt)
    world.store.actions.unfinished = async () => seen
    await settle(world.context())
    expect(await world.store.actions.find('ide', action.id)).toMatchObject({ state: 'done', evidence: 'typed' })
  })

  it('of the person, or of a session that left, is shown and told to nobody', async () => {
    const { world, lead, other, action } = await lost()
    await world.store.actions.request({ ...anAction(2), target: action.target, by: { id: 'human', name: 'human' } })
    await world.store.actions.claim('ide', anAction(2).id)
    await world.store.sessions.remove('lead', () => false)
    const { actions } = await other.tools.query('reviewer')
    expect(actions?.map(({ by, state }) => [by, state])).toEqual([
      ['human', 'unknown'],
      ['lead', 'unknown'],
    ])
    expect(world.logged).toEqual([])
    void lead
  })
})

describe('an action whose executor cannot be checked from here', () => {
  it('is unknown only after more time than any host takes', async () => {
    const { world, other, action } = await lost('unknown')
    await world.clock.advance(LIMITS.takerPatienceMs)
    expect(only((await other.tools.query('reviewer')).actions)).toMatchObject({ state: 'requested' })
    await world.clock.advance(1)
    expect(only((await other.tools.query('reviewer')).actions)).toMatchObject({
      id: action.id,
      state: 'unknown',
      evidence: 'whoever took it cannot be checked from here, and has not said for 5 min how it went',
    })
  })

  it('is left to an executor that lives, however long it takes', async () => {
    const { world, other } = await lost('alive')
    await world.clock.advance(HOUR_MS)
    expect(only((await other.tools.query('reviewer')).actions)).toMatchObject({ state: 'requested' })
  })
})

describe('an end that comes after the answer', () => {
  async function late(afterMs: number) {
    const watching = { ...IDE, executor: { id: 'opencode-7', watches: true, kinds: ['switch' as const] } }
    const world = createWorld()
    const lead = openHost(world).talk('lead', { title: 'lead' })
    await lead.start()
    await openHost(world, watching).talk('tab-1', { title: 'one' }).prompt()
    const asking = lead.tools.manage('one', 'switch')
    await world.clock.advance(1)
    workOff(world.context(), {
      id: 'opencode-7',
      perform: () =>
        new Promise((resolve) => world.clock.after(afterMs, () => resolve({ state: 'done', evidence: 'selected' }))),
      report: () => {},
    })
    await world.clock.advance(20_000)
    return { answer: (await asking).action, said: (await lead.tools.news())?.notices }
  }

  it('is told to whoever asked', async () => {
    const { answer, said } = await late(7_000)
    expect(answer).toMatchObject({ state: 'requested' })
    expect(only(said)).toMatch(/^"switch" of session "one", which .+, was done after all: "selected"$/)
  })

  it('and one that came with the answer is no news', async () => {
    const { answer, said } = await late(1_000)
    expect(answer).toMatchObject({ state: 'done', evidence: 'selected' })
    expect(said).toBeUndefined()
  })
})

describe('an executor that ends while its answer is waited for', () => {
  it('is said to be gone in the answer, and not once more', async () => {
    const watching = { ...IDE, executor: { id: 'opencode-7', watches: true, kinds: ['switch' as const] } }
    const world = createWorld()
    const lead = openHost(world).talk('lead', { title: 'lead' })
    await lead.start()
    await openHost(world, watching).talk('tab-1', { title: 'one' }).prompt()
    const asking = lead.tools.manage('one', 'switch')
    await world.clock.advance(1)
    await world.store.actions.claim('opencode-7', only(await world.store.actions.waiting('opencode-7')))
    takenBy(world, 'gone')
    await world.clock.advance(200)
    expect((await asking).action).toMatchObject({
      state: 'unknown',
      evidence: 'its executor ended before it said how it went',
      next: expect.stringContaining('nobody does it a second time'),
    })
    expect(await world.store.actions.unfinished()).toEqual([])
    await world.bus.sweep()
    expect(await lead.prompt()).toBeUndefined()
    expect((await lead.tools.query('one')).actions).toMatchObject([{ kind: 'switch', state: 'unknown' }])
  })
})

describe('query_session', () => {
  it('lists what has no good end, the newest first, at most five, and nothing that was done', async () => {
    const tabs = executor({
      outcome: ({ kind }) =>
        kind === 'pin' ? { state: 'done', evidence: 'seen' } : { state: 'failed', evidence: kind },
    })
    const world = createWorld({ executors: [tabs] })
    const host = openHost(world)
    const lead = host.talk('lead', { title: 'lead' })
    for (const talk of [lead, host.talk('other', { title: 'reviewer' })]) await talk.start()
    expect(await lead.tools.query('reviewer')).not.toHaveProperty('actions')
    for (const operation of ['pin', 'switch', 'unpin', 'cancel', 'pin', 'close', 'set_scene', 'set_model'] as const) {
      const value = { set_scene: { scene: 'x' }, set_model: { model: 'y' } }[operation as 'set_scene']
      await lead.tools.manage('reviewer', operation, value)
      await world.clock.advance(10)
    }
    const kinds = (await lead.tools.query('reviewer')).actions?.map(({ kind, asked }) => [kind, asked])
    expect(kinds).toEqual([
      ['set_model', 'y'],
      ['set_scene', 'x'],
      ['close', undefined],
      ['cancel', undefined],
      ['unpin', undefined],
    ])
  })

  it('says that they could not be read, which is not the same as none', async () => {
    const { world, other } = await lost()
    world.store.actions.about = () => Promise.reject(new Error('EIO'))
    const view = await other.tools.query('reviewer')
    expect(view).toMatchObject({ id: 'other', actionsFault: expect.any(String) })
    expect(view).not.toHaveProperty('actions')
  })

  it('of whoever opened a session that never registered says so, with what to do', async () => {
    const world = createWorld({ executors: [executor()] })
    const lead = openHost(world).talk('lead', { title: 'lead' })
    await lead.start()
    await lead.tools.create({ prompt: 'Review.', host: 'hosted', name: 'critic' })
    expect(await lead.tools.query('lead')).not.toHaveProperty('actions')
    await world.clock.advance(61_000)
    expect(only((await lead.tools.query('lead')).actions)).toMatchObject({
      kind: 'create',
      target: 'critic',
      state: 'failed',
      evidence: 'critic never registered within 60 s',
      next: expect.stringContaining('its mail is kept'),
    })
    const view = await lead.tools.query('critic')
    expect(view.opened).toMatchObject({ state: 'failed', next: expect.stringContaining('its mail is kept') })
    expect(view).not.toHaveProperty('actions')
  })
})
