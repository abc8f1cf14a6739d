/** One conversation open in two clients: two sessions, each with its own mail, and both know (C047). */
import { describe, expect, it } from 'vitest'
import { openHost, type Talk, who } from './hosted.ts'
import { createWorld, only, type World } from './world.ts'

async function twice(): Promise<{ world: World; first: Talk; second: Talk; text: string; id: string }> {
  const world = createWorld()
  const host = openHost(world)
  const first = host.talk('X', { transcript: '/t/x' })
  await first.start()
  await world.human.send('shop', 'for the first')
  const second = host.talk('X', { transcript: '/t/x' })
  const text = (await second.start('resume')) ?? ''
  return { world, first, second, text, id: who(text)?.id ?? '' }
}

describe('a conversation resumed while another client has it open', () => {
  it('becomes a session of its own with the first as its parent; the first keeps client, name and mail', async () => {
    const { world, first, second, text, id } = await twice()
    expect(who(text)).toEqual({ name: 'shop-2', id: expect.stringMatching(/^X-\d+-/) })
    expect(text).not.toContain('for the first')
    expect((await world.entry(id)).session).toMatchObject({ parentSessionId: 'X', host: { client: second.process } })
    expect((await world.entry('X')).session.host.client).toEqual(first.process)
    expect((await second.tools.read()).messages).toEqual([])
    expect(only((await first.tools.read()).messages).content).toBe('for the first')
  })

  it('is told to both, once', async () => {
    const { first, second, text } = await twice()
    expect(text).toContain(
      `was still open in process ${first.process.pid}, which keeps its session and mail. Here it is a session of its own`,
    )
    const told = await first.afterTools()
    expect(told).toContain(`this conversation was opened in process ${second.process.pid} too.`)
    expect(told).toContain('this one keeps its name and mail.')
    for (const talk of [first, second]) expect((await talk.prompt()) ?? '').not.toContain('process')
  })

  it('each moment counts for the session of its client', async () => {
    const { world, first, second, id } = await twice()
    const states = async () => [(await world.human.query('X')).activity, (await world.human.query(id)).activity]
    await second.prompt()
    expect(await states()).toEqual(['idle', 'working'])
    await first.prompt()
    await second.notice('needs_permission')
    expect(await states()).toEqual(['working', 'needs_permission'])
    await first.stop()
    await world.human.send('shop-2', 'for the second')
    expect(await first.prompt()).not.toContain('for the second')
    expect(await second.prompt()).toContain('"for the second"')
    expect(await second.tools.update({ progress: 'mine' })).toMatchObject({ id, registered: false })
    expect(await first.tools.update({ task: 't', projectPath: '/p/shop' })).toMatchObject({ id: 'X' })
  })

  it('ends alone: the first lives on, whichever way the second ends', async () => {
    for (const how of ['hook', 'killed']) {
      const { world, second, id } = await twice()
      if (how === 'hook') await second.end()
      else world.kill(second.process)
      expect((await world.human.query(id)).activity).toBe('ended')
      expect((await world.human.query('X')).activity).toBe('idle')
    }
  })

  it('and the other way round', async () => {
    const { world, first, second, id } = await twice()
    await first.end()
    world.kill(first.process)
    await second.prompt()
    expect((await world.human.query('X')).activity).toBe('ended')
    expect((await world.human.query(id)).activity).toBe('working')
    // A third one comes when the first is gone: it is the first, which has come back.
    const third = openHost(world).talk('X', { transcript: '/t/x' })
    expect(who(await third.start('resume'))).toEqual({ name: 'shop', id: 'X' })
    await third.prompt()
    await third.stop()
    expect((await world.human.query(id)).activity).toBe('working')
  })

  it('stays the same session when it is compacted, cleared and resumed again', async () => {
    const { world, second, id } = await twice()
    const host = openHost(world)
    expect(who(await second.start('compact'))?.id).toBe(id)
    const cleared = host.talk('Y', { client: second.process })
    await second.end('clear')
    expect(who(await cleared.start('clear'))?.id).toBe(id)
    await cleared.end('resume')
    expect(who(await second.start('resume'))?.id).toBe(id)
    expect((await world.store.sessions.list()).entries).toHaveLength(2)
  })

  it('is woken for its own mail only', async () => {
    const { world, first, second } = await twice()
    await first.prompt()
    await first.tools.read()
    await first.stop()
    await world.human.send('shop-2', 'wake up')
    expect(world.wakes.at(-1)).toBe('X')
    expect(await first.wake()).toBeUndefined()
    expect(await second.wake()).toMatch(/^session-mcp wake \w+: 1 unread message\./)
  })

  it('under another key it needs no new one', async () => {
    const { world } = await twice()
    const other = openHost(world).talk('Z', { transcript: '/t/x' })
    expect(who(await other.start('resume'))).toMatchObject({ id: 'Z' })
  })

  it('outlives the record of the first', async () => {
    const { world, first, second, id } = await twice()
    await first.end()
    world.kill(first.process)
    await world.store.hosts.drop(({ sessionId }) => sessionId === 'X')
    expect(who(await second.prompt())).toBeUndefined()
    expect((await world.human.query(id)).activity).toBe('working')
  })
})

describe('no clash', () => {
  it('with a client that is gone, has ended the conversation, or went on to another one', async () => {
    for (const how of ['gone', 'ended', 'went on', 'unknown']) {
      const world = createWorld()
      const host = openHost(world)
      const first = host.talk('X')
      await first.start()
      if (how === 'gone') world.kill(first.process)
      if (how === 'unknown') world.hide(first.process)
      if (how === 'ended') await first.end()
      if (how === 'went on') {
        await first.end('resume')
        await world.clock.advance(1000)
        await host.talk('W', { client: first.process }).start('resume')
      }
      const second = host.talk('X')
      expect([how, who(await second.start('resume'))?.id]).toEqual([how, 'X'])
      expect((await world.entry('X')).activity?.clash).toBeUndefined()
    }
  })

  it('where the host does not say its client', async () => {
    const world = createWorld()
    const { plugin } = openHost(world)
    const blind = { hostKey: 'X', projectPath: '/p/shop' }
    await plugin.onStart(blind, 'startup')
    expect((await plugin.onStart(blind, 'resume'))?.sessionId).toBe('X')
  })
})
