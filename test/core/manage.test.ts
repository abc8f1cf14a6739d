/** manage_session: each operation checks its own parameter, and says what became of it by evidence. */
import { describe, expect, it } from 'vitest'
import { OPERATIONS, type OperationInput, type Outcome } from '../../src/core/action.ts'
import { BusError } from '../../src/core/errors.ts'
import { openHost } from './hosted.ts'
import { executor, IDE } from './tabs.ts'
import { createWorld, only, refusalOf, type World } from './world.ts'

const TAKES: Partial<Record<(typeof OPERATIONS)[number], OperationInput>> = {
  set_model: { model: 'anthropic/opus-4.1' },
  set_scene: { scene: 'review' },
  set_input: { text: 'first\nsecond' },
  send_message: { text: 'hello' },
  rename: { name: 'critic' },
}

async function two(tabs = executor()) {
  const world = createWorld({ executors: [tabs] })
  const host = openHost(world)
  const lead = host.talk('lead', { title: 'lead' })
  await lead.start()
  const other = host.talk('other', { title: 'reviewer', pane: '%3', terminal: '/tmp/tmux/default' })
  await other.start()
  return { world, tabs, lead: lead.tools, other, host }
}

describe('an operation', () => {
  it.each(OPERATIONS.filter((operation) => operation !== 'send_message'))(
    '%s reaches the tab, once',
    async (operation) => {
      const { lead, tabs } = await two()
      const answer = await lead.manage('reviewer', operation, TAKES[operation])
      expect(answer.action).toMatchObject({ id: expect.any(String), kind: operation, state: 'done' })
      expect(only(tabs.performed)).toMatchObject({
        kind: operation,
        by: { id: 'lead', name: 'lead' },
        target: { id: 'other', pane: '%3', terminal: '/tmp/tmux/default' },
        params: TAKES[operation] ?? {},
      })
    },
  )

  it.each(OPERATIONS)('%s refuses what it does not take, and misses what it needs', async (operation) => {
    const { lead, tabs } = await two()
    const own = TAKES[operation]
    for (const [field, value] of Object.entries({ text: 'x', model: 'x', scene: 'x', name: 'x' })) {
      if (own !== undefined && field in own) continue
      const refused = await refusalOf(lead.manage('reviewer', operation, { ...own, [field]: value }))
      expect(refused.message).toContain(field)
    }
    if (own !== undefined) {
      const refused = await refusalOf(lead.manage('reviewer', operation))
      expect(refused.message).toBe(`${operation} needs ${Object.keys(own)[0]}.`)
    }
    expect(tabs.performed).toEqual([])
  })

  it('that is not known is refused with the ten there are', async () => {
    const { lead } = await two()
    const refused = await refusalOf(lead.manage('reviewer', 'destroy' as 'close'))
    for (const operation of OPERATIONS) expect(refused.hint).toContain(operation)
  })

  it('says failed with the fault of its executor, and unsupported with what a person can do', async () => {
    const broken = await two(executor({ outcome: () => Promise.reject(new Error("can't find pane: %3")) }))
    expect((await broken.lead.manage('reviewer', 'pin')).action).toMatchObject({
      state: 'failed',
      evidence: "can't find pane: %3",
    })
    const refusing = await two(executor({ offer: () => ({ can: false, reason: 'not in tmux', byHand: 'press Esc' }) }))
    expect((await refusing.lead.manage('reviewer', 'cancel')).action).toEqual({
      kind: 'cancel',
      state: 'unsupported',
      evidence: 'not in tmux',
      byHand: 'press Esc',
    })
    const nobody = await two(executor({ offer: () => undefined }))
    expect((await nobody.lead.manage('reviewer', 'cancel')).action.state).toBe('unsupported')
  })

  it('on a session whose client is gone has failed before anybody is asked', async () => {
    const { world, lead, other, tabs } = await two()
    world.kill(other.process)
    expect((await lead.manage('reviewer', 'switch')).action).toMatchObject({ state: 'failed' })
    expect(tabs.performed).toEqual([])
  })

  it('close ends the session on the bus; nobody closes the tab that answers', async () => {
    const { world, lead, tabs } = await two()
    expect((await refusalOf(lead.manage('me', 'close'))).hint).toContain('complete_session')
    expect(tabs.performed).toEqual([])
    await lead.manage('reviewer', 'close')
    expect((await world.entry('other')).activity).toMatchObject({ state: 'ended', evidence: 'closed by lead' })
  })

  it('set_model and set_scene show in the record once they are done', async () => {
    const { world, lead } = await two()
    await lead.manage('reviewer', 'set_model', { model: 'opus' })
    await lead.manage('reviewer', 'set_scene', { scene: 'review' })
    expect((await world.entry('other')).session).toMatchObject({ model: 'opus', scene: 'review' })
    const failing = await two(executor({ outcome: () => ({ state: 'failed', evidence: 'no' }) }))
    await failing.lead.manage('reviewer', 'set_model', { model: 'opus' })
    expect((await failing.world.entry('other')).session.model).toBeUndefined()
  })

  it.each([
    ['set_model', { model: '--yolo' }],
    ['set_model', { model: 'a b' }],
    ['set_model', { model: '$(touch x)' }],
    ['set_input', { text: 'a\u001b[31m' }],
    ['set_input', { text: 'a\u0003' }],
    ['set_input', { text: 'x'.repeat(3000) }],
    ['set_scene', { scene: 'a\nb' }],
    ['rename', { name: '#(touch x)' }],
    ['rename', { name: 'lead' }],
  ] as const)('%s with %o is refused and changes nothing', async (operation, input) => {
    const { world, lead, tabs } = await two()
    await expect(lead.manage('reviewer', operation, input)).rejects.toThrow(BusError)
    expect(tabs.performed).toEqual([])
    expect((await world.entry('other')).session.name).toBe('reviewer')
  })

  it('C107: an id that would break out of a command is an unknown session', async () => {
    const { lead, tabs } = await two()
    const hostile = 'x" & do shell script "touch PWNED" & "'
    expect((await refusalOf(lead.manage(hostile, 'switch'))).code).toBe('SESSION_NOT_FOUND')
    expect(tabs.performed).toEqual([])
  })

  it('of a subagent or a stranger is refused', async () => {
    const { world, tabs } = await two()
    const agent = await world.client({ hostSays: 'lead' }).caller({ isSubagent: true })
    const asked = { session: 'reviewer', operation: 'pin' } as const
    expect((await refusalOf(world.bus.manage(agent, asked))).code).toBe('SUBAGENT')
    expect((await refusalOf(world.client().manage('reviewer', 'pin'))).code).toBe('NOT_REGISTERED')
    expect(tabs.performed).toEqual([])
  })
})

describe('rename', () => {
  it('changes the name on the bus wherever the tab is, and the old one still works', async () => {
    const { world, lead } = await two(executor({ offer: () => undefined }))
    const { name, action } = await lead.manage('reviewer', 'rename', { name: 'critic' })
    expect(name).toBe('critic')
    expect(action).toMatchObject({
      state: 'done',
      evidence: expect.stringMatching(/^renamed on the bus; its tab keeps/),
    })
    expect((await world.entry('other')).session).toMatchObject({ name: 'critic', aliases: ['reviewer'] })
    expect((await lead.query('reviewer')).id).toBe('other')
  })
})

describe('send_message', () => {
  it('is a message that wakes, also in the middle of a turn where the door allows', async () => {
    const { world, lead, other, tabs } = await two()
    await other.prompt()
    const answer = await lead.manage('reviewer', 'send_message', { text: 'look at this' })
    expect(answer).toMatchObject({ messageId: expect.any(String), action: { kind: 'send_message', state: 'done' } })
    expect(world.wakes).toContain('other')
    expect(tabs.performed).toEqual([])
    expect((await other.tools.read()).messages.map(({ content }) => content)).toEqual(['look at this'])
  })
})

describe('tabs of an IDE that performs actions itself', () => {
  it('are moved for its own sessions only', async () => {
    const { world, lead } = await two(executor({ offer: () => undefined }))
    const ide = openHost(world, IDE)
    const [one, two_] = [ide.talk('tab-1', { title: 'one' }), ide.talk('tab-2', { title: 'two' })]
    await one.prompt()
    await two_.prompt()
    expect((await one.tools.manage('two', 'switch')).action).toMatchObject({ state: 'requested' })
    expect(await world.store.actions.waiting('msun')).toHaveLength(1)
    const foreign = (await lead.manage('two', 'switch')).action
    expect(foreign).toMatchObject({ state: 'unsupported', evidence: 'msun performs actions only for its own tabs' })
    expect((await one.tools.manage('two', 'cancel')).action).toMatchObject({ state: 'unsupported' })
    expect(await world.store.actions.waiting('msun')).toHaveLength(1)
  })

  it('are asked for nothing once they have ended, though the program behind them lives', async () => {
    const world = createWorld()
    const ide = openHost(world, IDE)
    const [one, two_] = [ide.talk('tab-1', { title: 'one' }), ide.talk('tab-2', { title: 'two' })]
    await one.prompt()
    await two_.prompt()
    await two_.end('closed')
    expect((await one.tools.manage('two', 'switch')).action).toEqual({
      kind: 'switch',
      state: 'failed',
      evidence: 'two has no tab any more: session end (closed)',
      next: 'create_session opens a new one. What is sent to it is kept, for when it comes back.',
    })
    expect(await world.store.actions.waiting('msun')).toEqual([])
    await two_.prompt()
    expect((await one.tools.manage('two', 'switch')).action).toMatchObject({ state: 'requested' })
  })
})

describe('a plugin that looks into its queue itself', () => {
  const watching = { ...IDE, executor: { id: 'opencode-7', watches: true, kinds: ['switch'] as const } }

  async function ended({ clock, store, context }: World, outcome: Outcome) {
    await clock.advance(200)
    const [id = ''] = await store.actions.waiting('opencode-7')
    const action = await store.actions.claim('opencode-7', id)
    if (action === undefined) throw new Error('nothing was asked')
    await store.actions.finish(action, outcome, context().nowIso())
    await clock.advance(200)
    return action
  }

  it('is waited for, and what it says is the answer', async () => {
    const { world, lead } = await two(executor({ offer: () => undefined }))
    await openHost(world, watching).talk('tab-1', { title: 'one' }).prompt()
    const asking = lead.manage('one', 'switch')
    const { id } = await ended(world, { state: 'done', evidence: 'selected' })
    expect((await asking).action).toMatchObject({ id, state: 'done', evidence: 'selected' })
  })

  it('shows its session, and whoever has the terminal brings that to the front', async () => {
    const { world, lead, tabs } = await two()
    const shared = openHost(world, watching).talk('tab-1', { title: 'one', pane: '%3', terminal: '/tmp/tmux/default' })
    await shared.prompt()
    const asking = lead.manage('one', 'switch')
    await ended(world, { state: 'done', evidence: 'Selected.' })
    expect((await asking).action).toMatchObject({ state: 'done', evidence: 'Selected; switch was seen' })
    expect(only(tabs.performed)).toMatchObject({ kind: 'switch', target: { id: 'tab-1', pane: '%3' } })
    const again = lead.manage('one', 'switch')
    await ended(world, { state: 'failed', evidence: 'There is none.' })
    expect((await again).action).toMatchObject({ state: 'failed', evidence: 'There is none.' })
    expect(tabs.performed).toHaveLength(1)
  })

  it('that does not answer in time leaves the action requested, and says so', async () => {
    const { world, lead } = await two()
    await openHost(world, watching).talk('tab-1', { title: 'one' }).prompt()
    const asking = lead.manage('one', 'switch')
    await world.clock.advance(6_000)
    expect((await asking).action).toMatchObject({
      state: 'requested',
      evidence: expect.stringContaining('has not said'),
    })
  })
})
