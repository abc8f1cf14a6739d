import { describe, expect, it } from 'vitest'
import type { Action } from '../../src/core/action.ts'
import { twoHandles } from './opening.ts'
import { NOON } from './records.ts'
import type { Open } from './store.ts'

const LATER = '2026-11-30T13:00:00.000Z'

export function anAction(n: number, over: Partial<Action> = {}): Action {
  return {
    id: `act-${String(n).padStart(12, '0')}`,
    kind: 'switch',
    executor: 'ide',
    by: { id: 'a', name: 'A' },
    requestedAt: NOON,
    target: { id: 'b', hostKind: 'msun', hostSessionId: 'b' },
    params: {},
    state: 'requested',
    ...over,
  }
}

export function describeActions(open: Open): void {
  describe('actions', () => {
    const at = twoHandles(open)

    it('wait in the queue of their executor, oldest first, and in no other', async () => {
      for (const n of [3, 1, 2]) await at.one.actions.request(anAction(n))
      expect(await at.two.actions.waiting('ide')).toEqual([1, 2, 3].map((n) => anAction(n).id))
      expect(await at.two.actions.waiting('tmux')).toEqual([])
      expect(await at.two.actions.find('ide', anAction(1).id)).toEqual(anAction(1))
      expect(await at.two.actions.find('tmux', anAction(1).id)).toBeUndefined()
      expect(await at.two.actions.claim('tmux', anAction(1).id)).toBeUndefined()
    })

    it('of many takers one gets it, once', async () => {
      for (let n = 0; n < 20; n++) {
        const action = anAction(n)
        await at.one.actions.request(action)
        const takers = [at.one, at.two, at.one, at.two]
        const taken = await Promise.all(takers.map(({ actions }) => actions.claim('ide', action.id)))
        expect(taken.filter((won) => won !== undefined)).toEqual([action])
        await at.one.actions.finish(action, { state: 'done', evidence: 'seen' }, LATER)
        expect(await at.two.actions.claim('ide', action.id)).toBeUndefined()
      }
    })

    it('end as their executor says, and stay to be looked at', async () => {
      const action = anAction(1)
      await at.one.actions.request(action)
      await at.one.actions.claim('ide', action.id)
      expect(await at.two.actions.find('ide', action.id)).toMatchObject({ state: 'requested' })
      await at.one.actions.finish(action, { state: 'failed', evidence: 'no such tab' }, LATER)
      const ended = { ...action, state: 'failed', evidence: 'no such tab', finishedAt: LATER }
      expect(await at.two.actions.find('ide', action.id)).toEqual(ended)
      expect(await at.two.actions.waiting('ide')).toEqual([])
    })

    it.each(['', '..', '../../sessions/a', 'act-', 'act-A000000000', 'constructor'])('%o is no action', async (id) => {
      expect(await at.one.actions.claim('ide', id)).toBeUndefined()
      expect(await at.one.actions.find('ide', id)).toBeUndefined()
    })

    it('are dropped by the time they were asked for', async () => {
      await at.one.actions.request(anAction(1))
      await at.one.actions.request(anAction(2, { requestedAt: LATER }))
      await at.one.actions.request(anAction(3))
      await at.one.actions.claim('ide', anAction(3).id)
      await at.one.actions.finish(anAction(3), { state: 'done', evidence: 'seen' }, LATER)
      expect(await at.two.actions.drop(LATER)).toBe(2)
      expect(await at.two.actions.waiting('ide')).toEqual([anAction(2).id])
      expect(await at.two.actions.find('ide', anAction(3).id)).toBeUndefined()
    })

    it('without an end are found in all queues, with whether anybody has taken them', async () => {
      for (const n of [1, 2, 3]) await at.one.actions.request(anAction(n))
      await at.one.actions.request(anAction(4, { executor: 'tmux' }))
      for (const n of [2, 3]) await at.one.actions.claim('ide', anAction(n).id)
      await at.one.actions.finish(anAction(3), { state: 'failed', evidence: 'no such tab' }, LATER)
      const found = await at.two.actions.unfinished()
      expect(found.map(({ action, taker }) => [action.executor, action.id, taker]).sort()).toEqual([
        ['ide', anAction(1).id, undefined],
        ['ide', anAction(2).id, 'alive'],
        ['tmux', anAction(4).id, undefined],
      ])
      expect(found.find(({ action }) => action.id === anAction(1).id)?.action).toEqual(anAction(1))
    })

    it('about a session are those it asked for and those aimed at it, newest first, however they stand', async () => {
      const c = { id: 'c', name: 'C' }
      const target = { id: 'c', hostKind: 'msun', hostSessionId: 'c' }
      await at.one.actions.request(anAction(1))
      await at.one.actions.request(anAction(2, { target }))
      await at.one.actions.request(anAction(3, { by: c, executor: 'tmux' }))
      await at.one.actions.claim('tmux', anAction(3).id)
      await at.one.actions.request(anAction(4, { by: c }))
      await at.one.actions.claim('ide', anAction(4).id)
      await at.one.actions.finish(anAction(4, { by: c }), { state: 'done', evidence: 'seen' }, LATER)
      const found = await at.two.actions.about('c')
      expect(found.map(({ id, state }) => [id, state])).toEqual([
        [anAction(4).id, 'done'],
        [anAction(3).id, 'requested'],
        [anAction(2).id, 'requested'],
      ])
      expect(await at.two.actions.about('nobody')).toEqual([])
    })

    it('a watch hints at what comes', async () => {
      let hints = 0
      let seen = () => {}
      const hinted = new Promise<void>((resolve) => {
        seen = resolve
      })
      const watch = at.one.actions.watch('ide', () => {
        hints += 1
        seen()
      })
      await at.two.actions.request(anAction(1))
      await hinted
      watch.close()
      expect(hints).toBeGreaterThan(0)
    })
  })
}
