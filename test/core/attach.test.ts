/** Which session a conversation is: through clears, resumes, forks and two clients at once. */
import { describe, expect, it } from 'vitest'
import { openHost, who } from './hosted.ts'
import { createWorld, DAY_MS, only, refusalOf } from './world.ts'

const QUOTE = (text: string) => `"${text}"`

async function ids(world: ReturnType<typeof createWorld>): Promise<string[]> {
  return (await world.store.sessions.list()).entries.map(({ session }) => session.id).sort()
}

describe('a start', () => {
  it('registers with a free name made from the folder', async () => {
    const world = createWorld()
    const host = openHost(world)
    const text = await host.talk('one').start()
    expect(who(text)).toEqual({ name: 'shop', id: 'one' })
    expect(text).toContain('No other session is open in this project. It has not said yet what it works on')
    const second = await host.talk('two').start()
    expect(who(second)).toEqual({ name: 'shop-2', id: 'two' })
    expect(second).toContain('Open in this project too: "shop".')
    const { session, activity } = await world.entry('two')
    expect(session).toMatchObject({
      projectPath: '/p/shop',
      status: 'active',
      task: '',
      selfNamed: false,
      host: { kind: 'hosted', hostKey: 'two', doors: ['file-watch'], hooked: true },
    })
    expect(session.host.server).toBeUndefined()
    expect(activity?.state).toBe('idle')
  })

  it('takes the title of the conversation for a name where it can be one', async () => {
    const world = createWorld()
    const host = openHost(world)
    expect(who(await host.talk('one', { title: 'Fix: the <bug>' }).start())?.name).toBe('Fix- the -bug-')
    expect(who(await host.talk('two', { title: '***' }).start())?.name).toBe('shop')
    expect(who(await host.talk('three', { projectPath: '/p/user' }).start())?.name).toBe('session')
    const [, longest] = [await host.talk('4', { title: 'x'.repeat(90) }).start(), (await world.entry('4')).session.name]
    expect(longest).toBe('x'.repeat(40))
  })

  it('cleans a key that is no id, and finds the same session by it', async () => {
    const world = createWorld()
    const talk = openHost(world).talk('ws://x/../y z')
    const id = who(await talk.start())?.id ?? ''
    expect(id).toMatch(/^[A-Za-z0-9][A-Za-z0-9_-]+$/)
    expect((await world.entry(id)).session.host).toMatchObject({ hostKey: id, hostSessionId: 'ws://x/../y z' })
    await talk.prompt()
    expect(await ids(world)).toEqual([id])
  })

  it.each(['human', 'me', 'All', 'system'])('of a conversation that its host calls %j is nobody else', async (key) => {
    const world = createWorld()
    const talk = openHost(world).talk(key)
    const id = who(await talk.start())?.id ?? ''
    expect(id).toMatch(new RegExp(`^${key}-[a-z0-9]+$`))
    await (await world.session('peer')).send('human', 'for the person')
    await talk.tools.read()
    expect(await world.store.inbox.count('human')).toBe(1)
    expect((await talk.prompt()) ?? '').not.toContain('for the person')
    const registering = world.client().update({ task: 'x', projectPath: '/p' }, key)
    expect(await refusalOf(registering)).toMatchObject({ code: 'BAD_ID' })
  })

  it('without a project registers nothing; a prompt of an unknown conversation makes up for a missed start', async () => {
    const world = createWorld()
    const host = openHost(world)
    const blind = host.talk('blind', { projectPath: undefined })
    expect(await blind.started()).toBeUndefined()
    expect(await blind.prompt()).toBeUndefined()
    expect(await blind.stop()).toBeUndefined()
    expect(await ids(world)).toEqual([])
    const late = host.talk('late')
    expect(who(await late.prompt())).toEqual({ name: 'shop', id: 'late' })
    expect(await late.prompt()).toBeUndefined()
  })

  it('the calls of its server are its own, without a word of the model', async () => {
    const world = createWorld()
    const talk = openHost(world).talk('one')
    await talk.start()
    expect(await talk.tools.update({ task: 'sell', projectPath: '/p/shop' })).toMatchObject({
      id: 'one',
      name: 'shop',
      registered: false,
    })
  })
})

describe('a conversation that goes on', () => {
  it('C057: after a clear in the same client it is the same session, and no mail is stranded', async () => {
    const world = createWorld()
    const host = openHost(world)
    const before = host.talk('A')
    await before.start()
    await world.human.send('shop', 'for you')
    await before.end('clear')
    const after = host.talk('B', { client: before.process })
    const text = await after.start('clear')
    expect(who(text)).toEqual({ name: 'shop', id: 'A' })
    expect(text).toContain(QUOTE('for you'))
    expect(await ids(world)).toEqual(['A'])
    expect((await world.entry('A')).session.host.hostKey).toBe('B')
    expect(only((await after.tools.read()).messages).content).toBe('for you')
    // What still comes from the old key says nothing of the session.
    await before.end('other')
    expect((await world.entry('A')).activity?.state).toBe('idle')
  })

  it('C043: resumed under another key it is found by its transcript, with its mail', async () => {
    const world = createWorld()
    const host = openHost(world)
    const before = host.talk('A', { transcript: '/t/1' })
    await before.start()
    await before.end()
    world.kill(before.process)
    for (const text of ['one', 'two']) await world.human.send('shop', text)
    const after = host.talk('B', { transcript: '/t/1' })
    const text = await after.start('resume')
    expect(who(text)).toEqual({ name: 'shop', id: 'A' })
    for (const each of ['one', 'two']) expect(text).toContain(QUOTE(each))
    expect((await after.tools.read()).messages).toHaveLength(2)
    expect(await ids(world)).toEqual(['A'])
    // The old client is no sign of life of it any more, the new one is.
    expect((await world.human.query('A')).activity).toBe('idle')
    world.kill(after.process)
    expect((await world.human.query('A')).activity).toBe('ended')
  })

  it('a resumed one is the same, and what it was told already is only counted', async () => {
    const world = createWorld()
    const host = openHost(world)
    const before = host.talk('A')
    await before.start()
    await world.human.send('shop', 'told once')
    expect(await before.prompt()).toContain(QUOTE('told once'))
    await before.end()
    const after = host.talk('A')
    const text = await after.start('resume')
    expect(who(text)?.id).toBe('A')
    expect(text).toContain('1 unread message in the inbox of this session, the oldest')
    expect(text).not.toContain('told once')
  })

  it.each(['compact', 'clear'] as const)('after a %s everything unread is told again', async (source) => {
    const world = createWorld()
    const talk = openHost(world).talk('A')
    await talk.start()
    await talk.prompt()
    await world.human.send('shop', 'again')
    expect(await talk.afterTools()).toContain(QUOTE('again'))
    expect(await talk.afterTools()).toBeUndefined()
    const text = await talk.start(source)
    expect(who(text)).toEqual({ name: 'shop', id: 'A' })
    expect(text).toContain(QUOTE('again'))
    // A compaction comes in the middle of a turn.
    expect((await world.entry('A')).activity?.state).toBe(source === 'compact' ? 'working' : 'idle')
  })

  it('a fork is new, knows its parent, and has none of its mail', async () => {
    const world = createWorld()
    const host = openHost(world)
    const parent = host.talk('A', { transcript: '/t/1' })
    await parent.start()
    await world.human.send('shop', 'for the parent')
    const fork = host.talk('B', { client: parent.process, transcript: '/t/2' })
    const text = await fork.start('fork')
    expect(who(text)).toEqual({ name: 'shop-2', id: 'B' })
    expect(text).not.toContain('for the parent')
    expect((await world.entry('B')).session.parentSessionId).toBe('A')
    expect((await world.human.list()).sessions).toHaveLength(2)
  })

  it('that expired begins anew under the same key', async () => {
    const world = createWorld()
    const host = openHost(world)
    const before = host.talk('A')
    await before.start()
    await before.tools.update({ task: 'old', projectPath: '/p/shop' })
    world.kill(before.process)
    await world.clock.advance(DAY_MS)
    await host.talk('A').start('resume')
    expect((await world.entry('A')).session.task).toBe('')
  })
})
