/** Openings that meet trouble half-way: what a tab may do already is not taken back, and a conversation is one session. */
import { describe, expect, it } from 'vitest'
import { BusError } from '../../src/core/errors.ts'
import type { Store } from '../../src/core/ports.ts'
import { spawnTokenIn, withoutSpawnLine } from '../../src/core/spawn.ts'
import { openHost } from './hosted.ts'
import { executor } from './tabs.ts'
import { createWorld, only, refusalOf } from './world.ts'

const busy = () => new BusError('STORE_BUSY', 'It is busy.', 'Try again.')

/** A lead on a bus whose store fails where `fails` says so, once `trouble.on` is set. */
async function lead(fails: (inner: Store, trouble: { on: boolean }) => Partial<Store>) {
  const tabs = executor()
  const trouble = { on: false }
  const world = createWorld({ executors: [tabs], store: (inner) => ({ ...inner, ...fails(inner, trouble) }) })
  const talk = openHost(world).talk('lead', { title: 'lead' })
  await talk.start()
  return { world, talk, tabs, trouble }
}

const WANTED = { prompt: 'Review.', host: 'hosted', name: 'reviewer' } as const

describe('an opening whose tab is there already', () => {
  it('keeps its record where how it went cannot be written down', async () => {
    const { world, talk, tabs, trouble } = await lead((inner, trouble) => ({
      actions: {
        ...inner.actions,
        finish: async (...args) => {
          if (trouble.on) throw busy()
          return inner.actions.finish(...args)
        },
      },
    }))
    trouble.on = true
    const answer = await talk.tools.create(WANTED)
    expect(answer).toMatchObject({ name: 'reviewer', action: { state: 'done' } })
    const { params } = only(tabs.performed)
    const child = openHost(world).talk('child', { spawn: params.spawn ?? '' })
    expect((await child.started())?.sessionId).toBe(answer.sessionId)
  })

  it('keeps its record where its creator’s own cannot be changed', async () => {
    const { world, talk, tabs, trouble } = await lead((inner, trouble) => ({
      sessions: {
        ...inner.sessions,
        change: async (id, decide) => {
          if (trouble.on && id === 'lead') throw busy()
          return inner.sessions.change(id, decide)
        },
      },
    }))
    trouble.on = true
    const answer = await talk.tools.create(WANTED)
    expect(answer).toMatchObject({ name: 'reviewer', action: { state: 'done' } })
    const { params } = only(tabs.performed)
    const child = openHost(world).talk('child', { spawn: params.spawn ?? '' })
    expect((await child.started())?.sessionId).toBe(answer.sessionId)
    expect((await world.human.query('reviewer')).id).toBe(answer.sessionId)
  })
})

describe('an opening that cannot be read', () => {
  it('says so, and all else of the session is told', async () => {
    const { world, talk, trouble } = await lead((inner, trouble) => ({
      actions: {
        ...inner.actions,
        find: async (...args) => {
          if (trouble.on) throw new BusError('STORE_UNREADABLE', 'The action is damaged.', 'Look at it.')
          return inner.actions.find(...args)
        },
      },
    }))
    const { sessionId } = await talk.tools.create(WANTED)
    trouble.on = true
    expect(await world.human.query('reviewer')).toMatchObject({
      id: sessionId,
      opened: { state: 'unknown', evidence: expect.stringContaining('damaged') },
    })
  })
})

describe('a tab that was closed', () => {
  it('is said to be closed where that cannot be written down', async () => {
    const { talk, world, trouble } = await lead((inner, trouble) => ({
      actions: {
        ...inner.actions,
        finish: async (...args) => {
          if (trouble.on) throw busy()
          return inner.actions.finish(...args)
        },
      },
    }))
    await openHost(world).talk('other', { title: 'other' }).start()
    trouble.on = true
    expect(await talk.tools.manage('other', 'close')).toMatchObject({ action: { state: 'done' } })
  })
})

describe('a spawn token', () => {
  it('C055: shown by two conversations at the same moment makes one of them the session', async () => {
    const { world, talk, tabs } = await lead(() => ({}))
    const { sessionId } = await talk.tools.create(WANTED)
    const spawn = only(tabs.performed).params.spawn ?? ''
    const children = ['first', 'second', 'third'].map((key) => openHost(world).talk(key, { spawn }))
    const ids = (await Promise.all(children.map((child) => child.started()))).map((started) => started?.sessionId)
    expect(ids.filter((id) => id === sessionId)).toHaveLength(1)
    expect(new Set(ids).size).toBe(3)
    const again = await Promise.all(children.map((child) => child.tools.caller()))
    expect(again.map((caller) => caller.kind === 'session' && caller.id)).toEqual(ids)
  })

  it('C055: of a session that was closed or forgotten makes a session of its own', async () => {
    const { world, talk, tabs } = await lead(() => ({}))
    const { sessionId = '' } = await talk.tools.create(WANTED)
    const spawn = only(tabs.performed).params.spawn ?? ''
    const child = openHost(world).talk('child', { spawn })
    expect((await child.started())?.sessionId).toBe(sessionId)
    await child.tools.complete({ result: 'done' })
    expect((await openHost(world).talk('late', { spawn }).started())?.sessionId).toBe('late')
    await world.store.sessions.remove(sessionId, () => false)
    expect((await openHost(world).talk('later', { spawn }).started())?.sessionId).toBe('later')
  })
})

describe('a prompt that quotes the token of another opening', () => {
  it('binds the session it opens, and its model is shown the quote and no token of its own', async () => {
    const { talk, tabs, world } = await lead(() => ({}))
    await talk.tools.create({ ...WANTED, name: 'first' })
    const quoted = only(tabs.performed.splice(0)).params.prompt ?? ''
    const { sessionId } = await talk.tools.create({ ...WANTED, prompt: quoted })
    const { prompt = '', spawn } = only(tabs.performed).params
    expect(spawnTokenIn(prompt)).toBe(spawn)
    expect(withoutSpawnLine(prompt)).not.toContain(spawn)
    expect(withoutSpawnLine(prompt)).toContain(spawnTokenIn(quoted))
    const child = openHost(world).talk('child')
    await child.start()
    await child.prompt(prompt)
    expect((await child.tools.caller()).kind).toBe('session')
    expect(await child.tools.caller()).toMatchObject({ id: sessionId })
  })
})

describe('two openings with one name at the same moment', () => {
  it('open one session; the other is refused with the name of the owner and opens no tab', async () => {
    const { talk, tabs } = await lead(() => ({}))
    const [one, two] = await Promise.allSettled([talk.tools.create(WANTED), talk.tools.create(WANTED)])
    const ends = [one, two].map((end) => (end?.status === 'rejected' ? (end.reason as BusError).code : 'made'))
    expect(ends.sort()).toEqual(['NAME_TAKEN', 'made'])
    expect(tabs.performed).toHaveLength(1)
  })
})

describe('renaming', () => {
  it('a session whose record goes meanwhile is refused, and its new name stays free', async () => {
    const { world, talk, trouble } = await lead((inner, trouble) => ({
      names: {
        ...inner.names,
        take: async (folded, id) => {
          const owner = await inner.names.take(folded, id)
          if (trouble.on) await inner.sessions.remove('other', () => false)
          return owner
        },
      },
    }))
    await openHost(world).talk('other', { title: 'other' }).start()
    trouble.on = true
    const refusal = await refusalOf(talk.tools.manage('other', 'rename', { name: 'fresh' }))
    expect(refusal.code).toBe('SESSION_NOT_FOUND')
    trouble.on = false
    expect(await world.store.names.owner('fresh')).toBeUndefined()
  })

  it('a session that is closed is refused: it keeps its name, and the new one stays free', async () => {
    const { world, talk } = await lead(() => ({}))
    const other = openHost(world).talk('other', { title: 'other' })
    await other.start()
    await other.tools.complete({ result: 'done' })
    const before = await world.entry('other')
    const refusal = await refusalOf(talk.tools.manage('other', 'rename', { name: 'fresh' }))
    expect(refusal.code).toBe('SESSION_CLOSED')
    expect((await world.entry('other')).session).toEqual(before.session)
    expect(await world.store.names.owner('fresh')).toBeUndefined()
  })

  it('takes the name of a session that has expired', async () => {
    const { world, talk } = await lead(() => ({}))
    const old = await world.session('veteran', { more: { ttl: '1m' } })
    world.kill(old.process ?? world.process())
    await world.clock.advance(5 * 60_000)
    await openHost(world).talk('other', { title: 'other' }).start()
    expect(await talk.tools.manage('other', 'rename', { name: 'Veteran' })).toMatchObject({ name: 'Veteran' })
    expect((await world.human.query('veteran')).id).toBe('other')
  })
})
