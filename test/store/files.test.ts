import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../src/core/limits.ts'
import type { Store } from '../../src/core/ports.ts'
import { fileName, idOf } from '../../src/store/files/layout.ts'
import { errorCode, renamePatiently } from '../../src/system/atomic-file.ts'
import { aMessage, anActivity, aSent, aSession } from '../contract/records.ts'
import { describeStore } from '../contract/store.ts'
import { filesIn, freshPlace, HAS_OWNERS } from './place.ts'

const place = freshPlace()

describeStore('files', async (options) => ({
  store: place.open(options),
  another: async () => place.open(options),
  close: async () => undefined,
}))

async function fill(store: Store): Promise<void> {
  await store.sessions.change('a', () => ({ session: aSession('a'), activity: anActivity('a') }))
  for (const n of [1, 2, 3]) await store.inbox.deliver(aMessage('a', n))
  const [first = '', second = ''] = (await store.inbox.unread('a')).ids
  const settled = await store.inbox.claim('a', first)
  if (settled !== undefined && 'settle' in settled) await settled.settle()
  await store.inbox.claim('a', second)
  await store.sent.record(aSent('a', 4, { replyTo: first }))
  await store.sent.setWakes('a', { b: [1] })
  await store.names.take('lead', 'a')
  await store.names.take('größe', 'a')
  await store.follow.add('a', 'b')
  await store.shown.change('a', (shown) => ({ ...shown, sessions: { b: '1.1' } }))
  await store.hosts.bind({ hostKey: 'a', sessionId: 'a', boundAt: '2026-01-01T00:00:00.000Z' })
  await store.hosts.mark('a')
  await store.hosts.touchWake('a')
}

describe('the files of a home', () => {
  it.each(['power', 'process'] as const)(
    'with durability %s lie where the layout says, and nothing is left in tmp/ or locks/',
    async (durability) => {
      await fill(place.open({ durability }))
      const [read = '', claimed = '', unread = ''] = filesIn(place.at('inboxes', 'a'))
        .map((file) => path.basename(file).slice(0, 24))
        .sort()
      expect(filesIn(place.home).map((file) => file.replace(/~[^/\\]*$/, '~…'))).toEqual(
        [
          'activity/a.json',
          'format.json',
          `inboxes/a/${unread}.json`,
          `inboxes/a/claimed/${claimed}~…`,
          `inboxes/a/read/${read}.json`,
          'hosts/a.json',
          'names/gr-e~…',
          'names/lead',
          `sent/a/${aSentId()}.json`,
          'sent/a/re~…',
          'sent/a/wakes.json',
          'sessions/a.json',
          'pending/a',
          'shown/a.json',
          'wakes/a',
          'watchers/a/b',
        ]
          .map((file) => file.split('/').join(path.sep))
          .sort(),
      )
      function aSentId() {
        return filesIn(place.at('sent', 'a'))[0]?.replace('.json', '')
      }
    },
  )

  it.runIf(HAS_OWNERS)('are closed to others: directories 0700, files 0600, whatever the umask is', async () => {
    const umask = process.umask(0)
    try {
      await fill(place.open())
    } finally {
      process.umask(umask)
    }
    const entries = fs.readdirSync(place.home, { recursive: true, withFileTypes: true })
    expect(entries.length).toBeGreaterThan(20)
    for (const entry of [...entries.map((e) => path.join(e.parentPath, e.name)), place.home]) {
      const { mode } = fs.statSync(entry)
      expect(`${entry} ${(mode & 0o777).toString(8)}`).toBe(`${entry} ${fs.statSync(entry).isDirectory() ? 700 : 600}`)
    }
  })

  it('C142 no two ids share a file, also where case is folded, and each is read back', () => {
    const ids = ['ab', 'Ab', 'aB', 'AB', 'a-b', 'a_b', 'A', 'a', 'aBc', 'a-bc', 'Z9_-', `A${'b'.repeat(127)}`]
    const names = ids.map((id) => fileName(id))
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(ids.length)
    expect(names.map((name) => idOf(name))).toEqual(ids)
    for (const name of ['AB', '~', '~~a', 'a~', 'a~1', 'a.b', '..', '', 'nul', 'c~on', 'a b']) {
      expect(idOf(name), name).toBeUndefined()
    }
  })

  it('C142 an id of capitals alone has its full life, or is refused before anything is written', async () => {
    const store = place.open()
    const long = 'A'.repeat(60) + 'b'.repeat(60)
    await store.sessions.change(long, () => ({ session: aSession(long), activity: anActivity(long) }))
    await store.inbox.deliver(aMessage(long, 1))
    await store.sent.record(aSent(long, 1))
    expect((await store.sessions.list()).entries).toHaveLength(1)
    expect(await store.sessions.remove(long, () => false)).toBe(true)
    await expect(store.sessions.change('A'.repeat(128), () => undefined)).rejects.toThrow('not an id')
  })

  it('a record over its limit is refused and the old one kept', async () => {
    const store = place.open()
    await store.sessions.change('a', () => ({ session: aSession('a') }))
    const big = aSession('a', { result: 'x'.repeat(LIMITS.sessionBytes) })
    await expect(store.sessions.change('a', () => ({ session: big }))).rejects.toMatchObject({
      code: 'RECORD_TOO_LARGE',
    })
    expect((await store.sessions.read('a'))?.session).toEqual(aSession('a'))
  })

  it('a half that did not change is not written again', async () => {
    const store = place.open()
    await store.sessions.change('a', () => ({ session: aSession('a'), activity: anActivity('a') }))
    const inode = (file: string) => fs.statSync(place.at(file, 'a.json')).ino
    const before = [inode('sessions'), inode('activity')]
    await store.sessions.change('a', (current) => current && { session: current.session, activity: anActivity('a') })
    expect(inode('sessions')).toBe(before[0])
    expect(inode('activity')).not.toBe(before[1])
    const after = inode('activity')
    await store.sessions.change('a', (current) => ({
      session: aSession('a'),
      ...(current?.activity && { activity: current.activity }),
    }))
    expect(inode('sessions')).not.toBe(before[0])
    expect(inode('activity')).toBe(after)
  })

  it('a record changed twice within one tick of the clock is never served stale', async () => {
    const [writer, reader] = [place.open(), place.open()]
    // The same size each time, so that only inode and time could tell two versions apart.
    const version = (n: number) => aSession('a', { task: String(1000 + n), statusSeq: 1 })
    for (let n = 0; n < 300; n++) {
      await writer.sessions.change('a', () => ({ session: version(n) }))
      expect((await reader.sessions.read('a'))?.session.task).toBe(String(1000 + n))
      expect((await reader.sessions.list()).entries[0]?.session.task).toBe(String(1000 + n))
    }
  })

  it('two versions that the system cannot tell apart, because both are younger than its clock is coarse, are', async () => {
    const store = place.open()
    await store.sessions.change('a', () => ({ session: aSession('a', { task: '1' }) }))
    // Ahead of the clock: as young as can be, and they stay that for as long as the test takes.
    const now = new Date(Date.now() + 3_600_000)
    for (const task of ['2', '3', '4']) {
      // The same inode, size and times each time.
      fs.writeFileSync(place.at('sessions', 'a.json'), JSON.stringify(aSession('a', { task })))
      for (const file of ['sessions/a.json', 'sessions']) fs.utimesSync(place.at(file), now, now)
      expect((await store.sessions.read('a'))?.session.task).toBe(task)
      expect((await store.sessions.list()).entries[0]?.session.task).toBe(task)
    }
  })

  it('a list that was served from memory sees a session come and go', async () => {
    const [writer, reader] = [place.open(), place.open()]
    await writer.sessions.change('a', () => ({ session: aSession('a') }))
    const old = new Date(Date.now() - 60_000)
    for (const directory of ['sessions', 'activity']) fs.utimesSync(place.at(directory), old, old)
    const first = await reader.sessions.list()
    expect(await reader.sessions.list()).toBe(first)
    await writer.sessions.change('b', () => ({ session: aSession('b') }))
    expect((await reader.sessions.list()).entries).toHaveLength(2)
    await writer.sessions.remove('a', () => false)
    expect((await reader.sessions.list()).entries).toHaveLength(1)
  })
})

describe('C256 a rename where the target is open elsewhere', () => {
  const refusing = (times: number, code: string) => {
    let calls = 0
    const rename = (from: fs.PathLike, to: fs.PathLike) => {
      calls += 1
      if (calls <= times) throw Object.assign(new Error(code), { code })
      fs.renameSync(from, to)
    }
    return { rename, calls: () => calls }
  }
  const files = () => {
    fs.mkdirSync(place.home)
    return [place.write('new', 'from'), place.write('old', 'to')] as const
  }

  it.each(['EPERM', 'EACCES', 'EBUSY'])(
    'that is refused 3 times with %s succeeds, and no temporary file stays',
    (code) => {
      const [from, to] = files()
      const { rename, calls } = refusing(3, code)
      renamePatiently(from, to, rename, true)
      expect(calls()).toBe(4)
      expect(fs.readFileSync(to, 'utf8')).toBe('new')
      expect(fs.existsSync(from)).toBe(false)
    },
  )

  it('that is refused for ever ends with the system’s error after a few tries, and the old content stays', () => {
    const [from, to] = files()
    const { rename, calls } = refusing(Number.POSITIVE_INFINITY, 'EBUSY')
    expect(() => renamePatiently(from, to, rename, true)).toThrow('EBUSY')
    expect(calls()).toBeLessThan(10)
    expect(fs.readFileSync(to, 'utf8')).toBe('old')
  })

  it('means what it says elsewhere: EPERM is not tried again on POSIX, nor any other error on Windows', () => {
    const [from, to] = files()
    for (const [code, windows] of [
      ['EPERM', false],
      ['ENOENT', true],
    ] as const) {
      const { rename, calls } = refusing(1, code)
      let fault: unknown
      try {
        renamePatiently(from, to, rename, windows)
      } catch (cause) {
        fault = cause
      }
      expect(errorCode(fault)).toBe(code)
      expect(calls()).toBe(1)
    }
  })
})
