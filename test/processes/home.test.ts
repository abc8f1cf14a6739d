import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { InboxAnswer, ListAnswer, SendAnswer, SessionView, UpdateAnswer, WaitAnswer } from '../../src/lib.ts'
import { noRoot, testUnless } from './lab/limits.ts'
import { makePlace, type Place } from './lab/place.ts'
import { endAll } from './lab/processes.ts'
import { SERVER, startClient, startSession } from './lab/server.ts'
import { until } from './lab/until.ts'
import { LONG_WAIT } from './lab/waits.ts'
import { runHomeLost } from './scenarios/home-lost.ts'

let place: Place
beforeEach(() => {
  place = makePlace('home')
})
afterEach(() => {
  endAll()
  place.remove()
})

describe('a home that comes and goes while servers run', () => {
  test('removed: whoever was registered is told that it is not any more, registers again, and goes on', async () => {
    const [a, b] = [await startSession(place.home, 'a'), await startSession(place.home, 'b')]
    fs.rmSync(place.home, { recursive: true })
    await expect(a.call('update_session', { progress: 'x' })).rejects.toMatchObject({ code: 'NOT_REGISTERED' })
    await expect(a.call('send_message', { to: ['b'], content: 'x' })).rejects.toMatchObject({ code: 'NOT_REGISTERED' })
    await expect(a.call('read_inbox')).rejects.toMatchObject({ code: 'NOT_REGISTERED' })
    await again(a, b)
  })

  test('replaced by another: the same', async () => {
    const [a, b] = [await startSession(place.home, 'a'), await startSession(place.home, 'b')]
    const waited = a.call<WaitAnswer>('wait_for_sessions', { sessions: ['b'], timeout: LONG_WAIT })
    await until(
      'it waits',
      async () => (await b.call<SessionView>('query_session', { session: 'a' })).waitingFor.length > 0,
    )
    fs.renameSync(place.home, `${place.home}.old`)
    fs.mkdirSync(place.home, { mode: 0o700 })
    expect(await waited).toMatchObject({ done: true, sessions: [{ finished: 'gone' }] })
    await again(a, b)
  })

  test('replaced by a file: every call says that something is in the way, until it is gone', async () => {
    const [a, b] = [await startSession(place.home, 'a'), await startSession(place.home, 'b')]
    fs.renameSync(place.home, `${place.home}.old`)
    fs.writeFileSync(place.home, '')
    await expect(a.call('update_session', { progress: 'x' })).rejects.toMatchObject({ code: 'STORE_UNREADABLE' })
    await expect(a.call('list_sessions')).rejects.toMatchObject({ code: 'STORE_UNREADABLE' })
    await expect(a.call('read_inbox')).rejects.toMatchObject({ code: 'STORE_UNREADABLE' })
    fs.unlinkSync(place.home)
    fs.renameSync(`${place.home}.old`, place.home)
    await b.call('send_message', { to: ['a'], content: 'x' })
    expect((await a.call<InboxAnswer>('read_inbox')).messages).toMatchObject([{ content: 'x' }])
  })

  test('again and again, under three who talk: every refusal says what is wrong, and in the end all is well', async () => {
    const result = await runHomeLost({ place, seed: 5, rounds: 12 })
    expect(result.violations).toEqual([])
  }, 300_000)

  async function again(a: Session, b: Session): Promise<void> {
    for (const each of [a, b]) {
      const name = each === a ? 'a' : 'b'
      const answer = await each.call<UpdateAnswer>('update_session', { task: 'again', projectPath: '/project', name })
      expect(answer.registered).toBe(true)
    }
    const waited = b.call<WaitAnswer>('wait_for_sessions', { sessions: ['a'], until: ['paused'], timeout: LONG_WAIT })
    await a.call('send_message', { to: ['b'], content: 'again' })
    await a.call('update_session', { status: 'paused' })
    expect(await waited).toMatchObject({ done: true, reason: 'reached' })
    expect((await b.call<InboxAnswer>('read_inbox')).messages).toMatchObject([{ content: 'again' }])
  }
})

type Session = Awaited<ReturnType<typeof startSession>>

describe('other users', () => {
  const NOBODY = 65_534

  testUnless(noRoot, 'files of another user are left out, left alone, and told about', async () => {
    const [a, b] = [await startSession(place.home, 'a'), await startSession(place.home, 'b')]
    const planted = await a.call<SendAnswer>('send_message', { to: ['b'], content: 'planted' })
    const own = await a.call<SendAnswer>('send_message', { to: ['b'], content: 'own' })
    const message = path.join(place.home, 'inboxes', b.id, `${planted.messageId}.json`)
    fs.writeFileSync(path.join(place.home, 'sessions', 'strange.json'), '{}')
    for (const file of [message, path.join(place.home, 'sessions', 'strange.json')]) fs.chownSync(file, NOBODY, NOBODY)

    const read = await b.call<InboxAnswer>('read_inbox')
    const listed = await b.call<ListAnswer>('list_sessions')
    expect(read.messages.map(({ id }) => id)).toEqual([own.messageId])
    expect(read.partial).toMatchObject([{ what: planted.messageId, why: expect.stringMatching(/another user/) }])
    expect(listed.total).toBe(2)
    expect(listed.partial).toMatchObject([{ what: 'strange', why: expect.stringMatching(/another user/) }])
    fs.chownSync(message, 0, 0)
    expect((await b.call<InboxAnswer>('read_inbox')).messages.map(({ id }) => id)).toEqual([planted.messageId])
  })

  testUnless(
    noRoot,
    'C254: two users of one TMPDIR with default settings work apart, and cannot read each other',
    async () => {
      fs.chmodSync(place.directory, 0o711)
      const homes = { root: path.join(place.directory, 'root'), nobody: path.join(place.directory, 'nobody') }
      for (const home of Object.values(homes)) fs.mkdirSync(home, { mode: 0o700 })
      fs.chownSync(homes.nobody, NOBODY, NOBODY)
      const client = await startClient(undefined)
      await client.startServer({ server: 'root', env: { HOME: homes.root, TMPDIR: place.directory } })
      await client.startServer({ server: 'nobody', env: { HOME: homes.nobody, TMPDIR: place.directory }, uid: NOBODY })
      for (const server of ['root', 'nobody']) {
        await client.call('update_session', { task: 'x', projectPath: '/project', name: server }, server)
        const { sessions } = await client.call<ListAnswer>('list_sessions', {}, server)
        expect(sessions.map(({ name }) => name)).toEqual([server])
      }
      const bus = path.join(homes.root, '.session-mcp')
      for (const directory of [bus, path.join(bus, 'inboxes'), path.join(bus, 'sessions')]) {
        expect(fs.statSync(directory).mode & 0o077).toBe(0)
      }
      // Pointed to a home of someone else, even one it could enter, the server refuses to run.
      fs.chmodSync(homes.root, 0o755)
      fs.chmodSync(bus, 0o755)
      const stranger = spawnSync(process.execPath, [SERVER, 'list', `--home=${bus}`], { uid: NOBODY, encoding: 'utf8' })
      expect(stranger.status).not.toBe(0)
      expect(stranger.stderr).toMatch(/belongs to another user/)
    },
  )
})
