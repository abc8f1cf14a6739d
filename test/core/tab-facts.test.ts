/** What an executor is told of a tab, and what its answers say of the session. */
import { describe, expect, it } from 'vitest'
import type { ActionParams, ActionTarget } from '../../src/core/action.ts'
import type { Executor } from '../../src/core/ports-actions.ts'
import { KEPT, openHost } from './hosted.ts'
import { executor } from './tabs.ts'
import { createWorld, only } from './world.ts'

async function two(tabs: Executor = executor(), traits = KEPT) {
  const world = createWorld({ executors: [tabs] })
  const host = openHost(world, traits)
  const lead = host.talk('lead', { title: 'lead', pane: '%1', terminal: '/tmp/tmux/default' })
  await lead.start()
  const other = host.talk('other', { title: 'reviewer', pane: '%3', terminal: '/tmp/tmux/default' })
  await other.start()
  return { world, lead, other }
}

describe('an executor', () => {
  it('C103: is told what the session was last seen doing', async () => {
    const tabs = executor()
    const { lead, other } = await two(tabs)
    const told = async () => {
      await lead.tools.manage('reviewer', 'switch')
      return only(tabs.performed.splice(0)).target.activity
    }
    expect(await told()).toBe('idle')
    await other.prompt('Go.')
    expect(await told()).toBe('working')
    await other.notice('needs_permission')
    expect(await told()).toBe('needs_permission')
  })

  it('is asked with the parameters, and of a create with the terminal of whoever asks', async () => {
    const asked: { target: ActionTarget; params: ActionParams }[] = []
    const { lead } = await two({
      ...executor(),
      async offers(_kind, target, params) {
        asked.push({ target, params })
        return { can: false, reason: 'just looking', byHand: `type ${params.prompt}` }
      },
    })
    const { action } = await lead.tools.create({ prompt: 'Review it.', host: 'hosted', name: 'critic', model: 'opus' })
    expect(action).toMatchObject({ state: 'unsupported', evidence: 'just looking', byHand: 'type Review it.' })
    const { target, params } = only(asked)
    expect(target.beside).toEqual({ pane: '%1', terminal: '/tmp/tmux/default' })
    expect(params).toEqual({
      host: 'hosted',
      projectPath: '/p/shop',
      prompt: 'Review it.',
      name: 'critic',
      model: 'opus',
    })
  })
})

describe('the folder of a host', () => {
  it('is told of a session, and of a create where whoever asks is of the same host', async () => {
    const asked: [string, ActionTarget][] = []
    const { world, lead } = await two({
      ...executor(),
      async offers(kind, target) {
        asked.push([kind, target])
        return { can: false, reason: 'just looking' }
      },
    })
    const own = openHost(world).talk('with-folder', { title: 'keeper', folder: '/home/me/.hosted' })
    await own.start()
    await lead.tools.manage('keeper', 'close')
    await own.tools.create({ prompt: 'Go.', host: 'hosted' })
    await own.tools.create({ prompt: 'Go.', host: 'another' })
    expect(asked.map(([kind, { folder, beside }]) => [kind, folder, beside?.folder])).toEqual([
      ['close', '/home/me/.hosted', undefined],
      ['create', undefined, '/home/me/.hosted'],
      ['create', undefined, undefined],
    ])
  })
})

describe('C155: what is typed into a tab', () => {
  it('has a record that says who asked for what, and when', async () => {
    const { world, lead } = await two()
    const { action } = await lead.tools.manage('reviewer', 'set_input', { text: 'look here' })
    expect(await world.store.actions.find('panes', action.id ?? '')).toMatchObject({
      kind: 'set_input',
      by: { id: 'lead', name: 'lead' },
      target: { id: 'other' },
      params: { text: 'look here' },
      requestedAt: expect.any(String),
      state: 'done',
    })
  })
})

describe('a cancelled turn', () => {
  it('leaves the session idle, since its host reports no end of the turn', async () => {
    const { lead, other } = await two()
    await other.prompt('Go.')
    expect((await lead.tools.query('reviewer')).activity).toBe('working')
    await lead.tools.manage('reviewer', 'cancel')
    expect(await lead.tools.query('reviewer')).toMatchObject({
      activity: 'idle',
      evidence: 'its turn was cancelled by lead',
    })
  })

  it('that only the gate noted is over as well, and the next prompt is looked at', async () => {
    const { world, lead } = await two(executor(), { ...KEPT, gated: true })
    await world.store.hosts.beginTurn('other')
    expect((await lead.tools.query('reviewer')).activity).toBe('working')
    await lead.tools.manage('reviewer', 'cancel')
    expect((await lead.tools.query('reviewer')).activity).toBe('idle')
    // True where nobody had left it to the gate.
    expect(await world.store.hosts.gate('other')).toBe(true)
  })

  it('that could not be cancelled goes on', async () => {
    const { lead, other } = await two(
      executor({ outcome: () => ({ state: 'failed', evidence: 'no key was pressed' }) }),
    )
    await other.prompt('Go.')
    await lead.tools.manage('reviewer', 'cancel')
    expect((await lead.tools.query('reviewer')).activity).toBe('working')
  })
})

describe('an opening nobody knows the end of', () => {
  it('is unknown until the session registers or 60 s have passed', async () => {
    const { world, lead } = await two(
      executor({ outcome: () => ({ state: 'unknown', evidence: 'tmux did not answer' }) }),
    )
    const { sessionId, action } = await lead.tools.create({ prompt: 'Review.', host: 'hosted', name: 'critic' })
    expect(action).toMatchObject({ state: 'unknown', evidence: 'tmux did not answer' })
    const view = await lead.tools.query('critic')
    expect(view.opened).toMatchObject({ state: 'unknown', evidence: 'tmux did not answer; not registered yet' })
    await world.clock.advance(61_000)
    expect((await lead.tools.query(sessionId ?? '')).opened).toMatchObject({
      state: 'failed',
      evidence: 'never registered within 60 s',
    })
  })
})
