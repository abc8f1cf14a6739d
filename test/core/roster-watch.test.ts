/** Word of another set of sessions: when it comes, when it does not, and that it ends. */
import { describe, expect, it } from 'vitest'
import type { Store } from '../../src/core/ports.ts'
import { onRosterChange } from '../../src/core/roster-watch.ts'
import { createWorld } from './world.ts'

function watched() {
  const seen = { open: 0, lists: 0 }
  const store = (inner: Store): Store => ({
    ...inner,
    sessions: {
      ...inner.sessions,
      list: () => {
        seen.lists += 1
        return inner.sessions.list()
      },
      watch: (hint) => {
        seen.open += 1
        const watch = inner.sessions.watch(hint)
        return {
          ...watch,
          close() {
            seen.open -= 1
            watch.close()
          },
        }
      },
    },
  })
  return { seen, world: createWorld({ store }) }
}

describe('word of another roster', () => {
  it('comes when a session came, closed, opened again or went, and for nothing else', async () => {
    const { world } = watched()
    const a = await world.session('a')
    let told = 0
    const watch = await onRosterChange(world.context(), () => {
      told += 1
    })
    const toldAfter = async (change: Promise<unknown>) => {
      told = 0
      await change
      await world.clock.advance(1_000)
      return told
    }
    expect(await toldAfter(a.update({ progress: 'half' }))).toBe(0)
    const b = await world.session('b')
    expect(await toldAfter(Promise.resolve())).toBe(1)
    expect(await toldAfter(b.update({ status: 'blocked' }))).toBe(0)
    expect(await toldAfter(b.complete())).toBe(1)
    expect(await toldAfter(b.update({ status: 'active' }))).toBe(1)
    expect(await toldAfter(world.store.sessions.remove(b.id, () => false))).toBe(1)
    watch.close()
    await world.session('c')
    expect(await toldAfter(Promise.resolve())).toBe(0)
  })

  it('comes once for what happens within a second, and looks at no session that did not change', async () => {
    const { world, seen } = watched()
    let told = 0
    const watch = await onRosterChange(world.context(), () => {
      told += 1
    })
    const before = seen.lists
    for (let n = 0; n < 20; n++) await world.session(`s-${n}`)
    const lists = seen.lists - before
    await world.clock.advance(1_000)
    expect(told).toBe(1)
    expect(seen.lists - before).toBe(lists)
    watch.close()
  })

  it('comes for what happens while it looks, after that look', async () => {
    let slow: Promise<void> | undefined
    let go = () => {}
    const world = createWorld({
      store: (inner) => ({
        ...inner,
        sessions: {
          ...inner.sessions,
          async read(id) {
            const entry = await inner.sessions.read(id)
            if (id === 'a') await slow
            return entry
          },
        },
      }),
    })
    let told = 0
    const watch = await onRosterChange(world.context(), () => {
      told += 1
    })
    const add = (id: string) => world.client({ hostSays: id }).update({ task: 'x', projectPath: '/p/shop' })
    await add('a')
    slow = new Promise((resolve) => {
      go = resolve
    })
    await world.clock.advance(1_000)
    await add('b')
    await world.clock.advance(1_000)
    expect(told).toBe(0)
    slow = undefined
    go()
    await world.clock.advance(1_000)
    expect(told).toBe(2)
    // Both are known now: nothing is told of what was there before.
    await world.client({ hostSays: 'b' }).update({ progress: 'half' })
    await world.clock.advance(1_000)
    expect(told).toBe(2)
    watch.close()
  })

  it('leaves no watch and no timer behind', async () => {
    const { world, seen } = watched()
    const timers = world.clock.timers
    const watch = await onRosterChange(world.context(), () => {})
    expect(seen.open).toBe(1)
    await world.session('a')
    watch.close()
    expect(seen.open).toBe(0)
    expect(world.clock.timers).toBe(timers)
  })
})
