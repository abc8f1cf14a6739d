/** Each of the ten operations on a session in each state: what happens, and that where nothing does, nothing is changed. */
import { describe, expect, it } from 'vitest'
import { OPERATIONS, type Operation, type OperationInput } from '../../src/core/action.ts'
import type { ManageAnswer } from '../../src/core/answers-actions.ts'
import { BusError } from '../../src/core/errors.ts'
import { KEPT, openHost, type Talk } from './hosted.ts'
import { executor, IDE } from './tabs.ts'
import { createWorld, type World } from './world.ts'

const INPUT: Partial<Record<Operation, OperationInput>> = {
  set_model: { model: 'opus' },
  set_scene: { scene: 'review' },
  set_input: { text: 'look here' },
  send_message: { text: 'hello' },
  rename: { name: 'critic' },
}

/**
 * done: performed once. handed: waits for the host. stored: mail, no tab is touched. named: on the bus alone. Else nothing
 * happened: failed, unsupported, or refused with the code.
 */
type What =
  | 'done'
  | 'handed'
  | 'stored'
  | 'named'
  | 'failed'
  | 'unsupported'
  | 'SESSION_CLOSED'
  | 'BAD_INPUT'
  | 'SESSION_NOT_FOUND'

const STATES = ['idle', 'working', 'closed', 'ended', 'gone', 'unknown', 'itself', 'nobody'] as const
type State = (typeof STATES)[number]

const MOVES: Row = ['done', 'done', 'done', 'done', 'failed', 'SESSION_NOT_FOUND', 'done', 'unsupported']
const SETS: Row = ['done', 'done', 'SESSION_CLOSED', 'failed', 'failed', 'SESSION_NOT_FOUND', 'done', 'unsupported']
type Row = readonly [What, What, What, What, What, What, What, What]

/** In the order of {@link STATES}. */
const IN_A_TERMINAL: Readonly<Record<Operation, Row>> = {
  switch: MOVES,
  pin: MOVES,
  unpin: MOVES,
  close: ['done', 'done', 'done', 'done', 'failed', 'SESSION_NOT_FOUND', 'BAD_INPUT', 'unsupported'],
  cancel: ['done', 'done', 'done', 'failed', 'failed', 'SESSION_NOT_FOUND', 'BAD_INPUT', 'unsupported'],
  set_input: ['done', 'done', 'done', 'failed', 'failed', 'SESSION_NOT_FOUND', 'done', 'unsupported'],
  set_model: SETS,
  set_scene: SETS,
  send_message: ['stored', 'stored', 'stored', 'stored', 'stored', 'SESSION_NOT_FOUND', 'stored', 'stored'],
  rename: ['done', 'done', 'SESSION_CLOSED', 'named', 'named', 'SESSION_NOT_FOUND', 'done', 'named'],
}

const HANDED: Row = ['handed', 'handed', 'handed', 'failed', 'failed', 'SESSION_NOT_FOUND', 'handed', 'unsupported']
const HANDED_SET: Row = [
  'handed',
  'handed',
  'SESSION_CLOSED',
  'failed',
  'failed',
  'SESSION_NOT_FOUND',
  'handed',
  'unsupported',
]

const IN_AN_IDE: Readonly<Record<Exclude<Operation, 'send_message'>, Row>> = {
  switch: HANDED,
  pin: HANDED,
  unpin: HANDED,
  close: HANDED,
  cancel: HANDED,
  set_input: HANDED,
  set_model: HANDED_SET,
  set_scene: HANDED_SET,
  rename: ['handed', 'handed', 'SESSION_CLOSED', 'named', 'named', 'SESSION_NOT_FOUND', 'handed', 'named'],
}

async function reach(state: State, world: World, lead: Talk, other: Talk): Promise<string> {
  if (state === 'working') await other.prompt()
  if (state === 'closed') await other.tools.complete({ result: 'done' })
  if (state === 'ended') await other.end('closed')
  if (state === 'gone') world.kill(other.process)
  if (state === 'unknown') return 'nobody-of-that-name'
  if (state === 'nobody') {
    await openHost(world, { ...KEPT, kind: 'alone' })
      .talk('loner', { title: 'loner' })
      .start()
    return 'loner'
  }
  return state === 'itself' ? lead.conversation.hostKey : 'other'
}

/** The call, and what it left behind beside its answer. */
async function attempt(operation: Operation, state: State, traits = KEPT) {
  const isTerminal = traits === KEPT
  // A terminal reaches whatever has a pane.
  const tabs = executor({ offer: () => (isTerminal && state !== 'nobody' ? { can: true } : undefined) })
  const world = createWorld({ executors: [tabs] })
  const host = openHost(world, traits)
  const [lead, other] = [host.talk('lead', { title: 'lead' }), host.talk('other', { title: 'reviewer' })]
  for (const talk of [lead, other]) {
    await talk.start()
    await talk.prompt()
    await talk.stop()
  }
  await lead.tools.list() // from now on its record names the server that speaks for it
  const target = await reach(state, world, lead, other)
  const facts = async () => (state === 'unknown' ? undefined : (await world.store.sessions.read(target))?.session)
  const before = await facts()
  const answer = await lead.tools
    .manage(target, operation, INPUT[operation])
    .catch((fault: unknown) => (fault instanceof BusError ? fault : Promise.reject(fault)))
  const waiting = isTerminal ? [] : await world.store.actions.waiting('msun')
  return { answer, before, after: await facts(), performed: tabs.performed, waiting, world, target }
}

function saysWhatIsTrueAndNext(answer: ManageAnswer | BusError): void {
  if (answer instanceof BusError) {
    if (answer.code !== 'SESSION_NOT_FOUND') expect(answer.message).toContain('Nothing was changed.')
    expect(answer.hint).not.toBe('')
    return
  }
  expect(answer.action.evidence).not.toBe('')
  expect(answer.action.next ?? answer.action.byHand).toEqual(expect.any(String))
}

const cases = (table: Readonly<Partial<Record<Operation, Row>>>) =>
  OPERATIONS.flatMap((operation) =>
    STATES.flatMap((state, n) => {
      const what = table[operation]?.[n]
      return what === undefined ? [] : [{ operation, state, what }]
    }),
  )

const EXTRA = { ...IDE, executor: { id: 'msun', watches: false, kinds: ['create' as const, ...OPERATIONS] } }

describe.each([
  ['in a terminal', KEPT, cases(IN_A_TERMINAL)],
  ['in an IDE', EXTRA, cases(IN_AN_IDE)],
])('an operation %s', (_, traits, table) => {
  it.each(table)('$operation of a session that is $state: $what', async ({ operation, state, what }) => {
    const { answer, before, after, performed, waiting, world, target } = await attempt(operation, state, traits)
    if (answer instanceof BusError) {
      expect(answer.code).toBe(what)
      saysWhatIsTrueAndNext(answer)
    } else if (what === 'done' || what === 'handed') {
      expect(answer.action).toMatchObject({ kind: operation, state: what === 'done' ? 'done' : 'requested' })
      expect(performed.map(({ kind }) => kind)).toEqual(what === 'done' ? [operation] : [])
      expect(waiting).toHaveLength(what === 'handed' ? 1 : 0)
      return
    } else if (what === 'stored') {
      const { ids } = await world.store.inbox.unread(target)
      expect(ids).toEqual([answer.messageId])
    } else if (what === 'named') {
      expect(answer.action).toMatchObject({
        state: 'done',
        evidence: expect.stringMatching(/^renamed on the bus; its tab/),
      })
      expect(after).toMatchObject({ name: 'critic' })
    } else {
      expect(answer.action).toMatchObject({ kind: operation, state: what })
      saysWhatIsTrueAndNext(answer)
    }
    expect(performed).toEqual([])
    expect(waiting).toEqual([])
    if (what !== 'named') expect(after).toEqual(before)
  })
})

describe('two operations at once', () => {
  async function busy() {
    let release = () => {}
    const running: string[] = []
    const tabs = executor({
      outcome: async (action) => {
        running.push(action.kind)
        await new Promise<void>((resolve) => {
          release = resolve
        })
        return { state: 'done', evidence: `${action.kind} was seen` }
      },
    })
    const world = createWorld({ executors: [tabs] })
    const host = openHost(world)
    const lead = host.talk('lead', { title: 'lead' })
    const peer = host.talk('peer', { title: 'peer' })
    for (const talk of [lead, peer, host.talk('other', { title: 'reviewer' })]) await talk.start()
    return { world, lead: lead.tools, peer: peer.tools, running, release: () => release() }
  }

  it('on one tab are done one after the other, also where two servers are asked', async () => {
    const { world, lead, peer, running, release } = await busy()
    const first = lead.manage('reviewer', 'set_input', { text: 'one' })
    await world.clock.advance(1)
    const second = peer.manage('reviewer', 'rename', { name: 'critic' })
    await world.clock.advance(1_000)
    expect(running).toEqual(['set_input'])
    release()
    await world.clock.advance(1_000)
    expect((await first).action).toMatchObject({ state: 'done' })
    expect(running).toEqual(['set_input', 'rename'])
    release()
    expect((await second).action).toMatchObject({ state: 'done' })
  })

  it('do not wait for ever: the second one says what is in the way, and did nothing', async () => {
    const { world, lead, peer, running, release } = await busy()
    const first = lead.manage('reviewer', 'set_input', { text: 'one' })
    await world.clock.advance(1)
    const second = peer.manage('reviewer', 'set_input', { text: 'two' })
    await world.clock.advance(6_000)
    expect((await second).action).toMatchObject({
      state: 'failed',
      evidence: 'nothing was done: set_input, asked for by "lead", is being done to it',
    })
    expect(running).toEqual(['set_input'])
    release()
    expect((await first).action).toMatchObject({ state: 'done' })
  })

  it('on two tabs do not wait for each other', async () => {
    const { world, lead, peer, running } = await busy()
    const calls = [lead.manage('reviewer', 'pin'), peer.manage('lead', 'pin')]
    await world.clock.advance(1)
    expect(running).toEqual(['pin', 'pin'])
    void calls
  })

  it('whoever was killed over one is not waited for', async () => {
    const { world, lead, running } = await busy()
    const { unfinished } = world.store.actions
    // As the files tell it of a process that is gone.
    world.store.actions.unfinished = async () =>
      (await unfinished()).map((each) => ({ ...each, taker: 'gone' as const }))
    void lead.manage('reviewer', 'pin')
    await world.clock.advance(1)
    void lead.manage('reviewer', 'unpin')
    await world.clock.advance(1)
    expect(running).toEqual(['pin', 'unpin'])
  })
})
