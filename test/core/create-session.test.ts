/** create_session: a record at once, and exactly one conversation that becomes it. */
import { describe, expect, it } from 'vitest'
import { BusError } from '../../src/core/errors.ts'
import { SPAWN_ENV, spawnLine } from '../../src/core/spawn.ts'
import { openHost, PER_REQUEST } from './hosted.ts'
import { done, executor, IDE } from './tabs.ts'
import { createWorld, only, refusalOf, type WorldOptions } from './world.ts'

async function lead(options: Pick<WorldOptions, 'executors' | 'store'> = {}) {
  const tabs = executor()
  const world = createWorld({ executors: [tabs], ...options })
  const talk = openHost(world).talk('lead', { title: 'lead' })
  await talk.start()
  const open = async (more = {}) => {
    const answer = await talk.tools.create({ prompt: 'Review the diff.', host: 'hosted', name: 'reviewer', ...more })
    return { answer, action: only(tabs.performed.splice(0)) }
  }
  return { world, talk, tabs, open }
}

describe('opening a session', () => {
  it('gives it a record at once, with its creator, its task and its name', async () => {
    const { world, open } = await lead()
    const { answer, action } = await open({ task: 'Review', groupId: 'shop', model: 'opus' })
    expect(answer).toMatchObject({
      name: 'reviewer',
      projectPath: '/p/shop',
      action: { kind: 'create', state: 'done' },
    })
    const { session } = await world.entry(answer.sessionId ?? '')
    expect(session).toMatchObject({
      name: 'reviewer',
      task: 'Review',
      spawnedBy: 'lead',
      groupId: 'shop',
      model: 'opus',
    })
    expect(session.host).toMatchObject({ kind: 'hosted', pane: '%7' })
    expect(session.host.server).toBeUndefined()
    expect(action).toMatchObject({ by: { name: 'lead' }, params: { host: 'hosted', name: 'reviewer', model: 'opus' } })
  })

  it('C151: its first prompt says who asks, and that is not the user', async () => {
    const { open } = await lead()
    const { action } = await open()
    expect(action.params.prompt).toMatch(
      /^Session "lead" opened this session through session-mcp and asks:\n\nReview the diff\./,
    )
  })

  it('C055: its first hook binds it, and its creator stays who it is', async () => {
    const { world, talk, open } = await lead()
    const { answer, action } = await open()
    const child = openHost(world).talk('child-key', { spawn: action.params.spawn ?? '' })
    expect((await child.started())?.sessionId).toBe(answer.sessionId)
    expect(await child.tools.caller()).toMatchObject({ kind: 'session', id: answer.sessionId, verified: true })
    expect(await talk.tools.caller()).toMatchObject({ id: 'lead' })
    expect((await world.entry(answer.sessionId ?? '')).session).toMatchObject({
      name: 'reviewer',
      host: { hostKey: 'child-key' },
    })
    expect((await talk.tools.query('reviewer')).opened).toMatchObject({ state: 'done' })
  })

  it('C055: what is started inside the new session inherits the token and is a session of its own', async () => {
    const { world, open } = await lead()
    const { action } = await open()
    const spawn = action.params.spawn ?? ''
    const host = openHost(world)
    const child = host.talk('child-key', { spawn })
    await child.start()
    expect((await host.talk('nested-key', { spawn }).started())?.sessionId).toBe('nested-key')
    expect(await world.client({ spawn }).caller()).toMatchObject({ kind: 'nobody' })
    const fork = host.talk('fork-key', { ...child.conversation, hostKey: 'fork-key' })
    expect((await fork.started('fork'))?.sessionId).toBe('fork-key')
  })

  it('C055: of two conversations that show its token at once, one becomes it', async () => {
    const { world, open } = await lead()
    const { answer, action } = await open()
    const host = openHost(world)
    const talks = ['first', 'second'].map((key) => host.talk(key, { spawn: action.params.spawn ?? '' }))
    const ids = (await Promise.all(talks.map((talk) => talk.started()))).map((started) => started?.sessionId)
    expect(ids.filter((id) => id === answer.sessionId)).toHaveLength(1)
    const { host: bound } = (await world.entry(answer.sessionId ?? '')).session
    expect(bound.client).toEqual(talks[ids.indexOf(answer.sessionId)]?.process)
  })

  it('C057: the tab keeps its session over a clear', async () => {
    const { world, open } = await lead()
    const { answer, action } = await open()
    const host = openHost(world)
    const child = host.talk('child-key', { spawn: action.params.spawn ?? '' })
    await child.start()
    await world.human.send('reviewer', 'waiting', { activate: 'never' })
    const cleared = host.talk('clear-key', { ...child.conversation, hostKey: 'clear-key' })
    expect((await cleared.started('clear'))?.sessionId).toBe(answer.sessionId)
    expect((await cleared.tools.read()).messages).toHaveLength(1)
  })

  it('its tab is asked for by the id its host has for it now, also where the opening told another', async () => {
    const place = { hostSessionId: 'child-key' }
    const tabs = executor({ outcome: ({ kind }) => ({ state: 'done', evidence: `${kind} was seen`, place }) })
    const { world, talk } = await lead({ executors: [tabs] })
    await talk.tools.create({ prompt: 'Review the diff.', host: 'hosted', name: 'reviewer' })
    const host = openHost(world)
    const child = host.talk('child-key', { spawn: only(tabs.performed).params.spawn ?? '' })
    await child.start()
    await host.talk('clear-key', { ...child.conversation, hostKey: 'clear-key' }).start('clear')
    await talk.tools.manage('reviewer', 'switch')
    expect(tabs.performed.at(-1)).toMatchObject({ kind: 'switch', target: { hostSessionId: 'clear-key' } })
  })

  it('a host without hooks is bound by its first call', async () => {
    const { world, open } = await lead()
    const { answer, action } = await open()
    const child = world.client({ spawn: action.params.spawn ?? '', kind: 'gemini' })
    await child.update({ progress: 'half' })
    expect((await world.entry(answer.sessionId ?? '')).session).toMatchObject({
      progress: 'half',
      name: 'reviewer',
      host: { kind: 'gemini' },
    })
    expect((await child.list()).sessions).toHaveLength(2)
    const again = world.client({ spawn: action.params.spawn ?? '', client: child.process ?? null })
    expect(await again.caller()).toMatchObject({ id: answer.sessionId })
  })

  it('a host that passes on no environment is bound by the end of its first prompt', async () => {
    const { world, open } = await lead()
    const { answer, action } = await open()
    const child = openHost(world, PER_REQUEST).talk('tab-9')
    expect(await child.prompt(action.params.prompt ?? '')).toContain('"reviewer"')
    expect((await world.entry(answer.sessionId ?? '')).session.host.hostKey).toBe('tab-9')
  })

  it.each(['', 'x', 'lead.00000000000000000000', `${'a'.repeat(200)}.x`, '__proto__.00000000000000000000'])(
    'a token %o that nobody gave out binds nothing',
    async (spawn) => {
      const { world } = await lead()
      expect((await openHost(world).talk('stranger', { spawn }).started())?.sessionId).toBe('stranger')
      expect(await world.client({ spawn }).caller()).toMatchObject({ kind: 'nobody' })
      expect(await openHost(world, PER_REQUEST).talk('other').prompt(spawnLine(spawn))).toContain('other')
    },
  )

  it('its creator hears of its changes without asking', async () => {
    const { world, talk, open } = await lead()
    const { action } = await open()
    const child = openHost(world).talk('child-key', { spawn: action.params.spawn ?? '' })
    await child.start()
    await child.tools.complete({ result: 'no findings' })
    expect(await talk.prompt()).toContain('"reviewer" is completed: "no findings"')
  })
})

describe('a created session that never registers', () => {
  it('has failed after 60 s, wherever one looks, and its mail is still there', async () => {
    const { world, talk, open } = await lead()
    await open()
    const sent = await talk.tools.send('reviewer', 'are you there?')
    await world.clock.advance(59_000)
    const waiting = talk.tools.wait({ sessions: ['reviewer'], timeout: '30s' })
    expect((await talk.tools.query('reviewer')).opened).toMatchObject({ state: 'requested' })
    await world.clock.advance(6_000)
    expect(await waiting).toMatchObject({ done: true, sessions: [{ finished: 'ended' }] })
    const view = await talk.tools.query('reviewer')
    expect(view.opened).toMatchObject({ state: 'failed', evidence: 'never registered within 60 s' })
    expect(view).toMatchObject({ activity: 'ended', finished: 'ended', unread: 1 })
    expect(only((await talk.tools.receipt(sent.messageId)).recipients)).toMatchObject({ place: 'unread' })
    expect(await talk.prompt()).toContain(
      'Followed session "reviewer" never registered within 60 s; 1 unread message is kept for it',
    )
  })

  it('is alive again when it comes after all', async () => {
    const { world, talk, open } = await lead()
    const { answer, action } = await open()
    await world.clock.advance(300_000)
    await openHost(world)
      .talk('slow', { spawn: action.params.spawn ?? '' })
      .start()
    expect(await talk.tools.query('reviewer')).toMatchObject({
      id: answer.sessionId,
      activity: 'idle',
      opened: { state: 'done' },
    })
  })
})

describe('a tab that is open', () => {
  it('keeps its record and its name where what follows cannot be written', async () => {
    let isBusy = false
    const busy = async () => {
      throw new BusError('STORE_BUSY', 'The lock is held.', 'Try again.')
    }
    const tabs = executor({
      outcome(action) {
        isBusy = true
        return done(action)
      },
    })
    const { world, talk } = await lead({
      executors: [tabs],
      store: (inner) => ({
        ...inner,
        sessions: { ...inner.sessions, change: (...asked) => (isBusy ? busy() : inner.sessions.change(...asked)) },
        actions: { ...inner.actions, finish: (...asked) => (isBusy ? busy() : inner.actions.finish(...asked)) },
      }),
    })
    const answer = await talk.tools.create({ prompt: 'Review the diff.', host: 'hosted', name: 'reviewer' })
    isBusy = false
    expect(answer).toMatchObject({ name: 'reviewer', action: { state: 'done' } })
    expect(world.logged).toEqual(expect.arrayContaining(['error action', 'warn create']))
    const child = openHost(world).talk('child-key', { spawn: only(tabs.performed).params.spawn ?? '' })
    expect((await child.started())?.sessionId).toBe(answer.sessionId)
  })
})

describe('what cannot be opened', () => {
  it('C101: leaves no session, no name and no inbox behind', async () => {
    const failing = executor({ outcome: () => ({ state: 'failed', evidence: 'no such window', byHand: 'type it' }) })
    const { world, talk } = await lead({ executors: [failing] })
    const answer = await talk.tools.create({ prompt: 'x', host: 'hosted', name: 'demo.site.example' })
    expect(answer).toEqual({
      host: 'hosted',
      action: {
        id: expect.any(String),
        kind: 'create',
        state: 'failed',
        evidence: 'no such window',
        byHand: 'type it',
      },
    })
    expect((await talk.tools.list()).sessions.map(({ id }) => id)).toEqual(['lead'])
    expect(await world.store.names.owner('demo.site.example')).toBeUndefined()
  })

  it('an executor that throws has failed, and says with what', async () => {
    const broken = executor({ outcome: () => Promise.reject(new Error('spawn ENOENT')) })
    const { talk } = await lead({ executors: [broken] })
    expect((await talk.tools.create({ prompt: 'x' })).action).toMatchObject({
      state: 'failed',
      evidence: 'spawn ENOENT',
    })
  })

  it('without anyone who can is unsupported, with what a person can do', async () => {
    const refusing = executor({ offer: () => ({ can: false, reason: 'not inside tmux', byHand: 'cd /p && host' }) })
    for (const executors of [[], [refusing]]) {
      const { talk } = await lead({ executors })
      const { action, sessionId } = await talk.tools.create({ prompt: 'x', host: 'hosted' })
      expect(sessionId).toBeUndefined()
      expect(action.state).toBe('unsupported')
      if (executors.length > 0) expect(action).toMatchObject({ evidence: 'not inside tmux', byHand: 'cd /p && host' })
    }
  })

  it.each([
    [{ prompt: undefined }, 'BAD_INPUT'],
    [{ prompt: ' ' }, 'BAD_INPUT'],
    [{ prompt: 'a\u001b[2Jb' }, 'BAD_INPUT'],
    [{ host: '-x' }, 'BAD_INPUT'],
    [{ host: 'Claude Code' }, 'BAD_INPUT'],
    [{ model: '--dangerously-skip-permissions' }, 'BAD_INPUT'],
    [{ model: 'opus;rm' }, 'BAD_INPUT'],
    [{ model: '$(touch x)' }, 'BAD_INPUT'],
    [{ name: '#(touch x)' }, 'BAD_NAME'],
    [{ name: '-n' }, 'BAD_NAME'],
    [{ name: 'lead' }, 'NAME_TAKEN'],
    [{ projectPath: 'relative' }, 'BAD_PATH'],
    [{ groupId: '"' }, 'BAD_NAME'],
    [{ scene: 'a\nb' }, 'BAD_INPUT'],
  ])('%o is refused and changes nothing', async (more, code) => {
    const { talk, tabs } = await lead()
    expect((await refusalOf(talk.tools.create({ prompt: 'x', ...more }))).code).toBe(code)
    expect(tabs.performed).toEqual([])
    expect((await talk.tools.list()).sessions).toHaveLength(1)
  })

  it('a subagent and a stranger are refused', async () => {
    const { world, tabs } = await lead()
    const agent = await world.client({ hostSays: 'lead' }).caller({ isSubagent: true })
    expect((await refusalOf(world.bus.create(agent, { prompt: 'x' }))).code).toBe('SUBAGENT')
    expect((await refusalOf(world.client().create({ prompt: 'x' }))).code).toBe('NOT_REGISTERED')
    expect(tabs.performed).toEqual([])
  })

  it('the person may open one too, and says for where', async () => {
    const { world, tabs } = await lead()
    await world.human.create({ prompt: 'x', host: 'hosted', projectPath: '/p/shop' })
    expect(only(tabs.performed).params.prompt).toMatch(/^The person at this machine opened/)
  })
})

describe('an IDE that opens its own tabs', () => {
  it('finds the action in its queue and nowhere else, and its new tab becomes the session', async () => {
    const world = createWorld()
    const ide = openHost(world, IDE)
    const tab = ide.talk('tab-1', { title: 'lead' })
    await tab.prompt()
    const answer = await tab.tools.create({ prompt: 'Review.', name: 'reviewer' })
    expect(answer.action).toMatchObject({ state: 'requested' })
    const reply = await ide.plugin.onToolResult(tab.conversation, {
      tool: 'mcp_session-mcp_create_session',
      result: answer,
    })
    const action = only(reply?.actions)
    expect(action).toMatchObject({ kind: 'create', target: { id: answer.sessionId }, params: { name: 'reviewer' } })
    await ide.talk('tab-2').prompt(action.params.prompt ?? '')
    expect(await tab.tools.query('reviewer')).toMatchObject({ id: answer.sessionId, opened: { state: 'done' } })
  })

  it('may give the tab the id of the record', async () => {
    const world = createWorld()
    const ide = openHost(world, IDE)
    const tab = ide.talk('tab-1')
    await tab.prompt()
    const { sessionId = '' } = await tab.tools.create({ prompt: 'Review.' })
    await ide.talk(sessionId).prompt('anything')
    expect((await tab.tools.query(sessionId)).opened).toMatchObject({ state: 'done' })
  })
})

it('the token travels in one variable, whose name the environment of a server may hold without a warning', () => {
  expect(SPAWN_ENV).toBe('SESSION_MCP_SPAWN')
})
