/** Each operation on a session, done in the real host, and what is to be seen of it. */
import { expect } from 'vitest'
import { actor, openActing } from './lab/acting.ts'
import { lastPromptOf, modelOf } from './lab/heard-opencode.ts'
import { hostTest, tabTest } from './lab/installed.ts'
import { opencode, withPlugin } from './lab/opencode.ts'
import { openSession } from './lab/opencode-session.ts'
import { inPlace, type Place } from './lab/place.ts'
import { until } from './lab/until.ts'

const done = expect.objectContaining({ state: 'done' })
const never = new Promise<never>(() => undefined)

async function stateOf(place: Place, id: string): Promise<unknown> {
  return Object.values(await place.files('activity')).find((each) => each['id'] === id)?.['state']
}

async function onServer(): Promise<void> {
  await inPlace(async (place) => {
    const all = place.model.conversation('all')
    all.play((request) =>
      lastPromptOf(request).includes('take long') ? { text: 'never', after: never } : { text: 'spoken' },
    )
    const { act, env } = await openActing(place)
    const server = await place.server(withPlugin('serve', { plugins: [actor] }), 'all', { env })
    const info = async (id: string) => (await server.call('GET', `/session/${id}`)) as Record<string, unknown>
    const hasTerminal = false
    // A server loads the plugins of a folder with the first call about it.
    await server.call('GET', '/session')

    const created = await act('create', {
      title: 'worker',
      text: 'Do it.',
      model: 'lab/other',
      directory: place.project,
    })
    expect(created).toEqual(done)
    const id = created.sessionId ?? ''
    const first = await until('its first request', () => all.requests[0])
    expect([lastPromptOf(first), modelOf(first)]).toEqual(['Do it.', 'lab/other'.slice(4)])
    expect(await place.names()).toEqual(['worker'])
    await until('it is idle', async () => (await stateOf(place, id)) === 'idle')

    expect(await act('rename', { sessionId: id, title: 'reviewer $(x) `y` #(z) "q"' })).toEqual(done)
    expect((await info(id))['title']).toBe('reviewer $(x) `y` #(z) "q"')

    expect(await act('set_model', { sessionId: id, model: 'lab/scripted', hasTerminal })).toEqual(done)
    expect(await act('set_model', { sessionId: id, model: 'lab/none', hasTerminal })).toMatchObject({ state: 'failed' })
    await server.call('POST', `/session/${id}/message`, { parts: [{ type: 'text', text: 'with which model?' }] })
    expect(modelOf(all.requests.at(-1) ?? first)).toBe('scripted')

    expect(await act('send_message', { sessionId: id, text: 'take long' })).toEqual(done)
    await until('a turn', () => lastPromptOf(all.requests.at(-1) ?? first) === 'take long')
    expect(await act('cancel', { sessionId: id })).toEqual(done)
    await until('the bus sees it', async () => (await stateOf(place, id)) === 'idle')
    expect((await act('cancel', { sessionId: id })).evidence).toBe('No turn was running.')

    const busy = await openSession(server, { title: 'busy' })
    await busy.ask('take long, too')
    await until('a turn', () => lastPromptOf(all.requests.at(-1) ?? first) === 'take long, too')
    expect((await act('close', { sessionId: busy.id })).evidence).toContain('after its turn was aborted')
    expect((await info(busy.id))['time']).toMatchObject({ archived: expect.any(Number) })
    await until('the bus sees it', async () => (await stateOf(place, busy.id)) === 'ended')
    const kept = (await server.call('GET', `/session/${busy.id}/message`)) as unknown[]
    expect(kept.length).toBeGreaterThan(0)

    for (const operation of ['switch', 'set_input', 'pin', 'unpin', 'set_scene'] as const)
      expect(await act(operation, { sessionId: id, text: 'x', hasTerminal })).toMatchObject({ state: 'unsupported' })
    expect(await act('rename', { sessionId: 'ses_none', title: 'x' })).toMatchObject({ state: 'failed' })
  })
}

async function inTerminal(): Promise<void> {
  await inPlace(async (place) => {
    place.model.conversation('tab').play(() => ({ text: 'spoken' }))
    const { act, env } = await openActing(place)
    const tab = await place.tab(withPlugin('tab', { plugins: [actor] }), 'tab', '', { env })
    await tab.shows(/Ask anything/)
    await tab.say('Begin here.')
    await tab.shows(/spoken/)
    const [first] = Object.values(await place.files('sessions'))
    const hasTerminal = true
    /** Resolves to the screen once it shows the one and not the other: a screen is drawn piece by piece. */
    const showing = (one: string, other: string) =>
      until(`the terminal shows ${one}`, async () => {
        const seen = await tab.screen()
        return seen.includes(one) && !seen.includes(other) && seen
      })

    const { sessionId = '' } = await act('create', { title: 'second', text: 'Begin there.' })
    expect(await tab.screen()).not.toContain('Begin there.')
    expect(await act('switch', { sessionId, hasTerminal })).toEqual(done)
    await showing('Begin there.', 'Begin here.')

    expect(
      await act('set_input', { sessionId: String(first?.['id']), text: '[from session x] look', hasTerminal }),
    ).toEqual(done)
    await tab.shows(/\[from session x\] look/)
    await showing('Begin here.', 'Begin there.')
    // One input line for all sessions of a terminal: what was typed stays when another one is shown.
    await act('switch', { sessionId, hasTerminal })
    expect(await showing('Begin there.', 'Begin here.')).toContain('[from session x] look')

    expect(await act('rename', { sessionId, title: 'renamed by a peer' })).toEqual(done)
    await tab.shows(/renamed by a peer/)
    expect(await act('close', { sessionId })).toEqual(done)
    expect(await tab.screen()).toContain('Begin there.')
    expect(await act('set_model', { sessionId, model: 'lab/other', hasTerminal })).toMatchObject({
      state: 'unsupported',
    })
  })
}

hostTest('does what it is asked to through its client, and says what it cannot', [opencode], onServer)
tabTest('shows, fills and renames its sessions when it is asked to', [opencode], inTerminal)
