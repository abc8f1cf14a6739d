/** Several conversations in one client process, with one server for all of them: each call is told apart by its hook. */
import { describe, expect, it } from 'vitest'
import type { HostTraits } from '../../src/core/host-plugin.ts'
import { openHost, type Talk, who } from './hosted.ts'
import { createWorld, type World } from './world.ts'

const SHARED: HostTraits = { kind: 'many', injection: 'per-request', doors: ['prompt'], sharesClient: true }

async function two(): Promise<{ world: World; first: Talk; second: Talk }> {
  const world = createWorld()
  const host = openHost(world, SHARED)
  const first = host.talk('o1')
  const second = host.talk('o2', { client: first.process })
  await first.start()
  await second.start()
  return { world, first, second }
}

describe('two conversations of one client process', () => {
  it('are two sessions; neither is a fork, and each is told of its own mail only', async () => {
    const { world, first, second } = await two()
    await world.human.send('o2', 'for the second')
    expect(who(await first.prompt())?.id).toBe('o1')
    expect(await first.afterTools()).not.toContain('for the second')
    expect(await second.prompt()).toContain('"for the second"')
    for (const id of ['o1', 'o2']) expect((await world.entry(id)).session.parentSessionId).toBeUndefined()
  })

  it('each call of their one server counts for the session its hook names, never for the one that began last', async () => {
    const { world, first } = await two()
    const server = world.client({ client: first.process, ancestors: [first.process] })
    expect(await server.caller({ hookSays: 'o1' })).toMatchObject({ id: 'o1', verified: true })
    expect(await server.caller({ hookSays: 'o2' })).toMatchObject({ id: 'o2', verified: true })
    expect(await server.caller()).toMatchObject({ kind: 'nobody' })
    expect(await server.caller({ hookSays: 'never-seen' })).toMatchObject({ kind: 'nobody' })
  })

  it('a conversation that another living client has open becomes a session of its own (C047)', async () => {
    const { world, first } = await two()
    const other = openHost(world, SHARED).talk('o1')
    const id = who(await other.start('resume'))?.id ?? ''
    expect(id).toMatch(/^o1-\d+-/)
    expect((await world.entry('o1')).session.host.client).toEqual(first.process)
    // Not at its start: such a host has no request yet to say it in.
    expect(await other.prompt()).toContain(`was still open in process ${first.process.pid}`)
    expect(await first.prompt()).toContain('this conversation was opened in process')
    world.kill(first.process)
    const later = openHost(world, SHARED).talk('o1')
    expect(who(await later.start('resume'))?.id).toBe('o1')
    expect((await world.entry('o1')).session.host.client).toEqual(later.process)
  })
})

describe('a notice of a host', () => {
  it('says that work goes on after the person has answered', async () => {
    const { world, first } = await two()
    await first.prompt()
    await first.notice('needs_permission')
    expect((await world.entry('o1')).activity?.state).toBe('needs_permission')
    await first.notice('working')
    expect((await world.entry('o1')).activity?.state).toBe('working')
  })

  it('says that a turn was broken off: no turn is started for the mail of that turn, and one for the next', async () => {
    const { world, first } = await two()
    await first.prompt()
    await world.human.send('o1', 'meanwhile', { intent: 'request' })
    const before = world.wakes.length
    await first.notice('idle')
    expect((await world.entry('o1')).activity?.state).toBe('idle')
    expect(world.wakes.length).toBe(before)
    await world.human.send('o1', 'afterwards')
    expect(world.wakes.length).toBe(before + 1)
    expect(await first.wake()).toContain('2 unread messages')
  })
})

describe('followed sessions, where the text is made anew for each request', () => {
  it('are told in each of them as they stand', async () => {
    const { world, first } = await two()
    const b = await world.session('b')
    await first.tools.as('o1').watch('b')
    await b.update({ progress: 'half done' })
    for (const moment of [first.prompt, first.afterTools]) {
      expect(await moment()).toContain('Followed session "b" is active, unknown: "half done"')
    }
  })
})
