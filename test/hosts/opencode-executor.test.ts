/** The plugin performs what is asked of its sessions: out of the real queue, on a client that answers as the recorded one. */

import fs from 'node:fs'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { type Caller, HUMAN } from '../../src/core/caller.ts'
import { modeOf } from '../../src/hosts/opencode/executor.ts'
import { createOpenings } from '../../src/hosts/opencode/openings.ts'
import { anActivity, aSession } from '../contract/records.ts'
import { answeringClient, type Client } from './opencode-client.ts'
import { MAIN, openPlace, type Place, type PlaceOptions } from './opencode-place.ts'

let place: Place
afterEach(() => place.close())

const OTHER = 'ses_000000000000OtherOtherOth'

/** An OpenCode with one session on the bus; what its client makes, it says so as OpenCode does. */
async function open(options: PlaceOptions = {}): Promise<Client> {
  const client: Client = answeringClient({
    created: (info) => place.call('event', { event: { type: 'session.created', properties: { info } } }),
  })
  place = await openPlace({ ...options, client })
  client.add({ id: MAIN, directory: path.join(path.dirname(place.home), 'project') })
  await place.play('event.session.created')
  return client
}

async function lead(): Promise<Caller> {
  const entry = await place.bus.store.sessions.read(MAIN)
  return { kind: 'session', id: MAIN, session: entry?.session, verified: true, connection: {}, host: {} } as Caller
}
const manage = async (operation: 'rename' | 'close' | 'cancel' | 'set_model' | 'set_input' | 'switch', more = {}) =>
  (await place.bus.bus.manage(HUMAN, { session: MAIN, operation, ...more })).action
const records = async () => (await place.bus.store.sessions.list()).entries.map(({ session }) => session)

describe('an operation on a session of OpenCode', () => {
  it('is done by its plugin, and what was seen of it is the answer', async () => {
    const client = await open()
    expect(await manage('rename', { name: 'reviewer' })).toEqual({
      id: expect.any(String),
      kind: 'rename',
      state: 'done',
      evidence: 'renamed on the bus; the tab: Its title is "reviewer".',
    })
    expect(client.info(MAIN)).toMatchObject({ title: 'reviewer' })
    expect(await manage('set_model', { model: 'p/n' })).toMatchObject({ state: 'done' })
    expect((await records())[0]).toMatchObject({ name: 'reviewer', model: 'p/n' })
    expect(await manage('cancel')).toMatchObject({ state: 'done', evidence: 'No turn was running.' })
    expect(await manage('switch')).toMatchObject({
      state: 'unsupported',
      evidence: expect.stringContaining(`opencode attach URL -s ${MAIN}`),
    })
    expect(await manage('close')).toMatchObject({ state: 'done', evidence: expect.stringMatching(/^Archived/) })
    expect((await place.bus.store.sessions.read(MAIN))?.activity?.state).toBe('ended')
    expect(place.log().filter(({ fault }) => !String(fault).includes('no answer within'))).toEqual([])
  })

  it('types one line that says whose it is, into a terminal', async () => {
    const client = await open({ argv: ['/opencode', '/$bunfs/root/src/cli/cmd/tui/worker.js'] })
    expect(await manage('set_input', { text: 'look here' })).toMatchObject({ state: 'done' })
    expect(client.drafts).toEqual(['[from the person at this machine] look here'])
    expect(await manage('set_input', { text: 'one\ntwo' })).toMatchObject({
      state: 'failed',
      evidence: 'One line of text is needed.',
    })
    expect(client.drafts).toHaveLength(1)
  })

  it('waits in a queue of its own process and folder, which a plugin that is loaded again goes on with', async () => {
    await open()
    const [session] = await records()
    const { executor } = session?.host ?? {}
    expect(executor).toMatchObject({
      id: expect.stringMatching(new RegExp(`^opencode-${process.pid}-`)),
      watches: true,
    })
    await place.call('dispose', undefined)
    const asking = manage('rename', { name: 'later' })
    await place.reload()
    await place.play('event.session.created')
    expect(await asking).toMatchObject({ state: 'done' })
    expect((await records())[0]?.host.executor?.id).toBe(executor?.id)
  })

  it('leaves no queue behind where the plugin was only loaded', async () => {
    place = await openPlace()
    expect(fs.readdirSync(path.join(place.home, 'actions'))).toEqual([])
  })
})

describe('a session that is opened in OpenCode', () => {
  it('becomes the record that was made for it, under its name, and its model is not shown the token', async () => {
    const client = await open()
    const made = await place.bus.bus.create(await lead(), { prompt: 'Review it.', name: 'helper', model: 'p/n' })
    expect(made).toMatchObject({ name: 'helper', host: 'opencode', action: { kind: 'create', state: 'done' } })
    const id = made.sessionId ?? ''
    const { session } = (await place.bus.store.sessions.read(id)) ?? {}
    expect(session).toMatchObject({ name: 'helper', spawnedBy: MAIN, model: 'p/n', host: { kind: 'opencode' } })
    expect(client.info(session?.host.hostKey ?? '')).toMatchObject({ title: 'helper', model: { id: 'n' } })
    expect(client.prompts).toEqual([
      'Session "project" opened this session through session-mcp and asks:\n\nReview it.',
    ])
    expect((await records()).map(({ name }) => name).sort()).toEqual(['helper', 'project'])
    expect(await place.bus.bus.query(HUMAN, id)).toMatchObject({ opened: { state: 'done' } })
    expect(place.log().filter(({ fault }) => !String(fault).includes('no answer within'))).toEqual([])
  })

  it('that OpenCode refuses leaves no record', async () => {
    await open()
    const made = await place.bus.bus.create(await lead(), { prompt: 'Review it.', name: 'helper', model: 'p/none' })
    expect(made.action).toMatchObject({ state: 'failed', evidence: expect.stringContaining('no model "p/none"') })
    expect(await records()).toHaveLength(1)
  })

  it('whose prompt is refused is there, and keeps its name', async () => {
    const client = await open()
    client.refusal = { name: 'BadRequest' }
    const made = await place.bus.bus.create(await lead(), { prompt: 'Review it.', name: 'helper' })
    expect(made.action).toMatchObject({
      state: 'failed',
      evidence: expect.stringMatching(/was made, but .*BadRequest/),
    })
    const left = (await records()).find(({ name }) => name === 'helper')
    expect(await place.bus.bus.query(HUMAN, 'helper')).toMatchObject({ id: left?.id })
    const next = await place.bus.bus.create(await lead(), { prompt: 'Again.', name: 'helper' }).catch((fault) => fault)
    expect(next).toMatchObject({ code: 'NAME_TAKEN' })
  })

  it('is not opened by a process that ends with its turn', async () => {
    await open({ argv: ['bun', '/opencode', 'run', 'Begin.'] })
    const made = await place.bus.bus.create(await lead(), { prompt: 'Review it.' })
    expect(made.action).toMatchObject({ state: 'unsupported' })
  })
})

describe('an OpenCode that was started for a record', () => {
  const token = `ses-made.${'t'.repeat(20)}`

  it('is that session with its first conversation, and with no later one', async () => {
    place = await openPlace({ spawn: token })
    const now = new Date().toISOString()
    const spawn = { token, action: 'act-0000000000', executor: 'tmux', at: now }
    const host = { kind: 'opencode', hostKey: 'ses-made', doors: [] }
    const session = aSession('ses-made', { name: 'window', host, spawn, createdAt: now, updatedAt: now })
    await place.bus.store.sessions.change('ses-made', () => ({ session, activity: anActivity('ses-made') }))
    for (const id of [MAIN, OTHER]) await place.play('event.session.created', id)
    const all = await records()
    expect(all.map(({ id }) => id).sort()).toEqual([OTHER, 'ses-made'].sort())
    const bound = all.find(({ id }) => id === 'ses-made')
    expect(bound).toMatchObject({ name: 'window', host: { hostKey: MAIN }, spawn: { boundAt: expect.any(String) } })
  })

  it('may be asked again for the same conversation, and one that is resumed is not meant', async () => {
    place = await openPlace()
    const openings = createOpenings(token)
    expect(await openings.tokenOf('resumed', false)).toBeUndefined()
    for (const _ of ['once', 'and again']) expect(await openings.tokenOf('first', true)).toBe(token)
    expect(await openings.tokenOf('second', true)).toBeUndefined()
  })
})

describe('how OpenCode was started', () => {
  it.each([
    [['/opencode', '/$bunfs/root/src/cli/cmd/tui/worker.js'], 'terminal'],
    [['/opencode', 'B:\\~BUN\\root\\tui\\worker.js', '--prompt', 'serve'], 'terminal'],
    [['bun', '/$bunfs/root/opencode', 'serve', '--port', '0'], 'server'],
    [['bun', '/opencode', '--print-logs', 'run', 'Begin.'], 'run'],
    [['bun', '/opencode', 'acp'], 'server'],
    [['bun', '/opencode'], undefined],
  ])('%j is %s', async (argv, mode) => {
    place = await openPlace()
    expect(modeOf(argv)).toBe(mode)
  })
})
