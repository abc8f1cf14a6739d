/** A host whose tabs share one MCP server: its plugin makes the sessions, an argument tells them apart. */

import { describe, expect, it } from 'vitest'
import type { HostTraits } from '../../src/core/host-plugin.ts'
import { openHost } from './hosted.ts'
import { createWorld, MINUTE_MS, refusalOf } from './world.ts'

const IDE: HostTraits = { kind: 'tabbed', injection: 'per-request', doors: [], sharesClient: true, sharedServer: true }

/** Two tabs of one program that its plugin has seen, and the one server that both use. */
async function open() {
  const world = createWorld()
  const program = world.process()
  const host = openHost(world, IDE)
  const tabs = ['tab-1', 'tab-2'].map((id) => host.talk(id, { client: undefined, title: id }))
  for (const tab of tabs) await tab.prompt()
  const server = world.client({ client: program, kind: 'tabbed' })
  return { world, host, tabs, server, program }
}

describe('a server that all tabs share', () => {
  it('speaks for each tab that a call names, marked as not verified', async () => {
    const { server } = await open()
    await server.update({ task: 'one' }, 'tab-1')
    await server.update({ task: 'two' }, 'tab-2')
    const { to } = await server.as('tab-1').send('tab-2', 'hello')
    expect(to).toHaveLength(1)
    const { messages } = await server.as('tab-2').read({ inbox: 'tab-2' })
    expect(messages.map(({ from }) => from)).toMatchObject([{ id: 'tab-1', verified: false }])
  })

  it('takes no call that does not say whose it is: not even with one tab registered', async () => {
    const { server } = await open()
    await server.update({ task: 'one' }, 'tab-1')
    expect(await refusalOf(server.read())).toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('tab-1'),
    })
    expect((await server.as('tab-1').read()).messages).toEqual([])
  })

  it('goes on for the others when one tab registered without its id', async () => {
    const { server } = await open()
    const { id } = await server.update({ task: 'forgot its id', projectPath: '/p/shop' })
    await server.update({ task: 'two' }, 'tab-2')
    expect((await server.as('tab-2').caller()).kind).toBe('session')
    expect(await refusalOf(server.read())).toMatchObject({ code: 'BAD_INPUT' })
    expect((await server.as(id).read()).messages).toEqual([])
  })

  it('keeps a tab from other programs once it speaks for it', async () => {
    const { world, server } = await open()
    const stranger = world.client()
    await server.update({ task: 'one' }, 'tab-1')
    expect(await refusalOf(stranger.update({ task: 'mine' }, 'tab-1'))).toMatchObject({ code: 'SESSION_IN_USE' })
  })

  it('goes on with the tabs of a program that is gone, also while the server of that one has not ended yet', async () => {
    const { world, server, program } = await open()
    await server.update({ task: 'one' }, 'tab-1')
    world.kill(program)
    const restarted = world.client({ kind: 'tabbed', shared: true })
    await restarted.as('tab-1').list()
    expect((await world.entry('tab-1')).session.host).toMatchObject({
      client: restarted.process,
      server: restarted.server,
    })
    expect((await restarted.as('tab-1').query('tab-1')).activity).not.toBe('ended')
  })

  it('is not confused by a plugin that names the program: the last tab is not every caller', async () => {
    const { world, host, server, program } = await open()
    for (const id of ['tab-3', 'tab-4']) await host.talk(id, { client: program }).prompt()
    await server.update({ task: 'three' }, 'tab-3')
    expect((await world.entry('tab-3')).session.task).toBe('three')
    expect((await world.entry('tab-4')).session.task).toBe('')
  })

  it('is known from the start where the host is: registering without an id is refused with what to do', async () => {
    const world = createWorld()
    const refusal = await refusalOf(world.client({ shared: true }).update({ task: 'x', projectPath: '/p' }))
    expect(refusal).toMatchObject({ code: 'BAD_INPUT', hint: expect.stringContaining('sessionId') })
    expect((await world.store.sessions.list()).entries).toEqual([])
  })
})

describe('what a tab is told', () => {
  it('is its id, that calls take it, and how to register, each time until it has said its task', async () => {
    const { tabs, server } = await open()
    const [tab] = tabs
    for (const moment of [tab?.prompt, tab?.afterTools, tab?.prompt]) {
      const text = await moment?.()
      expect(text).toContain('(id tab-1)')
      expect(text).toContain('each call says whose it is with sessionId "tab-1"')
      expect(text).toContain('update_session takes sessionId "tab-1", task and projectPath.')
    }
    await server.update({ task: 'one' }, 'tab-1')
    const text = await tab?.prompt()
    expect(text).toContain('sessionId "tab-1"')
    expect(text).not.toContain('update_session')
  })

  it('is the state of followed sessions in every block, changed or not', async () => {
    const { world, tabs, server } = await open()
    const other = await world.session('other')
    await server.update({ task: 'one' }, 'tab-1')
    await server.as('tab-1').watch('other')
    const [tab] = tabs
    for (const moment of [tab?.prompt, tab?.afterTools, tab?.afterTools])
      expect(await moment?.()).toContain('Followed session "other" is active')
    await other.complete({ result: 'done' })
    for (const moment of [tab?.afterTools, tab?.prompt])
      expect(await moment?.()).toContain('Followed session "other" is completed: "done"')
  })
})

describe('what is known of a tab', () => {
  it('that was working and fell silent is unknown, though its program lives; one that is idle stays idle', async () => {
    const { world, host, tabs, server } = await open()
    for (const id of ['tab-1', 'tab-2']) await server.update({ task: id }, id)
    await tabs[1]?.stop()
    await world.clock.advance(11 * MINUTE_MS)
    const { sessions } = await world.human.list()
    const states = Object.fromEntries(sessions.map(({ id, activity }) => [id, activity]))
    expect(states).toEqual({ 'tab-1': 'unknown', 'tab-2': 'idle' })
    await host.talk('tab-1', { client: undefined }).afterTools()
    expect((await world.human.query('tab-1')).activity).toBe('working')
  })
})

describe('scene and model', () => {
  it('are kept in the record as the host says them, and change nothing else', async () => {
    const world = createWorld()
    const host = openHost(world, IDE)
    const say = (more: object) => host.talk('tab-1', { client: undefined, ...more }).prompt()
    await say({ model: 'm-1', scene: 'review' })
    const { session: before } = await world.entry('tab-1')
    expect(before).toMatchObject({ model: 'm-1', scene: 'review' })
    await say({ model: 'm-2\n', scene: undefined })
    expect((await world.entry('tab-1')).session).toEqual({ ...before, model: 'm-2' })
    await say({ scene: '' })
    expect((await world.entry('tab-1')).session.scene).toBeUndefined()
  })
})
