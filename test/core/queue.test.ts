/** A queue that is worked off: what waits and what comes, each once, whatever the host makes of it. */
import { describe, expect, it } from 'vitest'
import type { Action, Outcome } from '../../src/core/action.ts'
import { LIMITS } from '../../src/core/limits.ts'
import { workOff } from '../../src/core/queue.ts'
import { anAction } from '../contract/actions.ts'
import { createWorld } from './world.ts'

function working(perform: (action: Action) => Outcome | Promise<Outcome>) {
  const world = createWorld()
  const performed: string[] = []
  const faults: unknown[] = []
  const { actions } = world.store
  return {
    world,
    performed,
    faults,
    ask: (n: number) => actions.request(anAction(n)),
    found: (n: number) => actions.find('ide', anAction(n).id),
    /** Until nothing is left to do. */
    settle: () => world.clock.advance(1),
    start: () =>
      workOff(world.context(), {
        id: 'ide',
        perform: async (action) => {
          performed.push(action.id)
          return perform(action)
        },
        report: (fault) => faults.push(fault),
      }),
  }
}

const seen = (): Outcome => ({ state: 'done', evidence: 'seen' })
const ids = (...ns: number[]) => ns.map((n) => anAction(n).id)

describe('a queue', () => {
  it('is looked into at once, and again at each hint; each action is performed once, the oldest first', async () => {
    const { start, ask, settle, performed, found } = working(seen)
    for (const n of [2, 1]) await ask(n)
    start()
    await settle()
    expect(performed).toEqual(ids(1, 2))
    await ask(3)
    await settle()
    expect(performed).toEqual(ids(1, 2, 3))
    expect(await found(3)).toMatchObject({ state: 'done', evidence: 'seen' })
  })

  it('goes on after a fault, which is how that action ended', async () => {
    const { start, ask, settle, found, faults } = working((action) => {
      if (action.id === anAction(1).id) throw new Error('no such tab')
      return seen()
    })
    for (const n of [1, 2]) await ask(n)
    start()
    await settle()
    expect(await found(1)).toMatchObject({ state: 'failed', evidence: 'no such tab' })
    expect(await found(2)).toMatchObject({ state: 'done' })
    expect(faults).toEqual([])
  })

  it('goes on after a host that never answers: how that ended nobody knows', async () => {
    const { world, start, ask, settle, found } = working((action) =>
      action.id === anAction(1).id ? new Promise<Outcome>(() => {}) : seen(),
    )
    for (const n of [1, 2]) await ask(n)
    start()
    await settle()
    expect(await found(2)).toMatchObject({ state: 'requested' })
    await world.clock.advance(LIMITS.actionLimitMs)
    await settle()
    expect(await found(1)).toMatchObject({ state: 'unknown', evidence: 'its host has not answered for 60 s' })
    expect(await found(2)).toMatchObject({ state: 'done' })
    expect(world.clock.timers).toBe(0)
  })

  it('reports what cannot be read, and goes on with the next', async () => {
    const { world, start, ask, settle, performed, faults } = working(seen)
    const { claim } = world.store.actions
    world.store.actions.claim = async (executor, id) => {
      if (id === anAction(1).id) throw new Error('damaged')
      return claim(executor, id)
    }
    for (const n of [1, 2]) await ask(n)
    start()
    await settle()
    expect(performed).toEqual(ids(2))
    expect(faults).toEqual([new Error('damaged')])
  })

  it('that is closed is left alone', async () => {
    const { start, ask, settle, performed } = working(seen)
    start().close()
    await ask(1)
    await settle()
    expect(performed).toEqual([])
  })
})
