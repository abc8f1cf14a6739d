import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ListAnswer, openBus, type UpdateAnswer } from '../../src/lib.ts'
import { createProcesses, processTag } from '../../src/system/process.ts'
import { makePlace, type Place } from './lab/place.ts'
import { endAll } from './lab/processes.ts'
import { startRemote } from './lab/remote.ts'
import { startClient, startSession } from './lab/server.ts'
import { until } from './lab/until.ts'
import { runRecords } from './scenarios/records.ts'

let place: Place
beforeEach(() => {
  place = makePlace('records')
})
afterEach(() => {
  endAll()
  place.remove()
})

describe('records that several processes change', () => {
  test('C007: two servers that open a fresh home in the same moment both register, ten times', async () => {
    const client = await startClient(undefined)
    for (let round = 0; round < 10; round++) {
      const home = path.join(place.directory, `fresh-${round}`)
      const servers = [`a${round}`, `b${round}`]
      await Promise.all(servers.map((server) => client.startServer({ server, home })))
      const register = (server: string) =>
        client.call<UpdateAnswer>('update_session', { task: server, projectPath: '/project' }, server)
      const answers = await Promise.all(servers.map(register))
      const listed = await client.call<ListAnswer>('list_sessions', {}, servers[0])
      expect(listed.sessions.map(({ id }) => id).sort()).toEqual(answers.map(({ id }) => id).sort())
      expect(listed.partial).toBeUndefined()
      expect(JSON.parse(fs.readFileSync(path.join(home, 'format.json'), 'utf8'))).toEqual({ version: 1 })
      // What a server does after its answer has a file there for a moment.
      await until('nothing is left', () => fs.readdirSync(path.join(home, 'tmp')).length === 0)
      for (const server of servers) await client.ask('endInput', { server })
    }
  })

  test('C009: writers and heartbeats killed at random leave every acknowledged change, whole files and no lock', async () => {
    const { home, directory } = place
    // A run without kills, or that nobody looked at, would prove nothing.
    const least = { changes: 200, kills: 8, looks: 1_000 }
    const result = await runRecords({ home, directory, seed: 9, writers: 3, ...least, killEveryMs: [30, 120] })
    expect(result.violations).toEqual([])
  }, 240_000)

  test.each([
    ['an earlier start of the machine', (self: Ref) => ({ ...self, boot: '00000000-0000-0000-0000-000000000000' })],
    ['a process whose pid another program has now', (self: Ref) => ({ ...self, start: '1' })],
    ['a process that is gone', (self: Ref) => ({ ...self, pid: 4_194_301, start: '1' })],
  ])('C066: a lock left by %s is taken over at once', async (_, holder) => {
    const session = await startSession(place.home, 'worker')
    const lock = path.join(place.home, 'locks', session.id)
    fs.writeFileSync(lock, `${processTag(holder(createProcesses().self))} ${Date.now()} 0`)
    // Else it would be refused after a second: STORE_BUSY.
    expect(await session.call('update_session', { progress: 'went on' })).toMatchObject({ id: session.id })
    await until('the lock is gone', () => !fs.existsSync(lock))
  })

  test('a lock whose holder lives is respected: the other is told that the store is busy', async () => {
    const session = await startSession(place.home, 'worker')
    const lock = path.join(place.home, 'locks', session.id)
    fs.writeFileSync(lock, `${processTag(createProcesses().self)} ${Date.now()} 0`)
    await expect(session.call('update_session', { progress: 'no' })).rejects.toMatchObject({ code: 'STORE_BUSY' })
    fs.unlinkSync(lock)
    expect(await session.call('update_session', { progress: 'yes' })).toMatchObject({ id: session.id })
  })

  test('C258: status files held open by a reader are updated all the same, and the reader keeps what it opened', async () => {
    const session = await startSession(place.home, 'worker')
    const file = path.join(place.home, 'sessions', `${session.id}.json`)
    for (let n = 0; n < 20; n++) {
      const before = fs.openSync(file, 'r')
      const text = fs.readFileSync(before, 'utf8')
      await session.call('update_session', { progress: `step ${n}` })
      expect(fs.readFileSync(file, 'utf8')).toContain(`step ${n}`)
      const again = Buffer.alloc(text.length)
      fs.readSync(before, again, 0, text.length, 0)
      expect(again.toString()).toBe(text)
      fs.closeSync(before)
    }
  })

  test('C013: a log line torn by a kill spoils only itself', async () => {
    const { log, home, close } = await openBus({ home: place.home, logLevel: 'warn' })
    const file = path.join(home, 'log', 'bus.log')
    fs.writeFileSync(file, '{"t":"2026-11-30T00:00:00.000Z","level":"warn","ev')
    log.warn('after', { n: 1 })
    close()
    const lines = fs
      .readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.includes('after'))
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ event: 'after', n: 1 }])
  })

  test('what a killed process left half done in tmp/ is removed by the next sweep, and what others are writing is not', async () => {
    const remote = await startRemote('library', { args: [place.home] })
    await remote.ask('join', { id: 'a' })
    const processes = createProcesses()
    const names = {
      dead: `${processTag({ ...processes.self, pid: 4_194_301, start: '1' })}~0~0`,
      alive: `${processTag(processes.self)}~0~0`,
    }
    for (const name of Object.values(names)) fs.writeFileSync(path.join(place.home, 'tmp', name), '{"half":')
    await remote.ask('sweep')
    expect(fs.readdirSync(path.join(place.home, 'tmp'))).toEqual([names.alive])
  })
})

type Ref = ReturnType<typeof createProcesses>['self']
