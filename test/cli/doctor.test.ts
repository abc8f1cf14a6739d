import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkMail, checkSessions } from '../../src/cli/doctor/bus.ts'
import { checkEvents, checkInotify } from '../../src/cli/doctor/events.ts'
import { checkDisk, checkFormat, checkPlace, checkWriting } from '../../src/cli/doctor/home.ts'
import { openBus } from '../../src/open.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(path.join(os.tmpdir(), 'session-mcp-doctor-'))
  mkdirSync(path.join(home, 'tmp'), { mode: 0o700 })
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

describe('the place', () => {
  it.skipIf(process.platform === 'win32').each([
    [0o700, 'ok', 'yours alone'],
    [0o755, 'warn', 'can be read by other users'],
    [0o770, 'fail', 'can be changed by other users'],
    [0o777, 'fail', 'can be changed by other users'],
  ])('with mode %o is %s', (mode, level, text) => {
    chmodSync(home, mode)
    const check = checkPlace(home, false)
    expect(check.level).toBe(level)
    expect(check.text).toContain(text)
    if (level !== 'ok') expect(check.fix).toBe(`Run chmod 700 ${home}.`)
  })

  it.skipIf(process.platform === 'win32')('only warns where the person accepted the risk', () => {
    chmodSync(home, 0o777)
    expect(checkPlace(home, true).level).toBe('warn')
  })

  it('may be missing, but not be a file; a link is followed and named', () => {
    expect(checkPlace(path.join(home, 'a', 'b'), false)).toMatchObject({ level: 'ok' })
    writeFileSync(path.join(home, 'file'), '')
    expect(checkPlace(path.join(home, 'file'), false)).toMatchObject({ level: 'fail' })
    symlinkSync(home, path.join(home, 'tmp', 'link'))
    expect(checkPlace(path.join(home, 'tmp', 'link'), false).text).toContain(`a link to`)
  })

  it('is tried with a real file, of which nothing is left', () => {
    expect(checkWriting(home).level).toBe('ok')
    expect(readdirSync(path.join(home, 'tmp'))).toEqual([])
    expect(checkWriting(path.join(home, 'none'))).toMatchObject({
      level: 'fail',
      text: expect.stringContaining('ENOENT'),
    })
  })

  it('has a layout that can be read', () => {
    expect(checkFormat(home).level).toBe('fail')
    writeFileSync(path.join(home, 'format.json'), '{"version":1}')
    expect(checkFormat(home)).toMatchObject({ level: 'ok', text: 'Its layout has version 1.' })
  })

  it('lies on a disk with room', () => {
    expect(checkDisk(home)[0]?.text).toMatch(/ free on it \(/)
    expect(checkDisk(path.join(home, 'none'))[0]?.level).toBe('warn')
  })
})

describe('events', () => {
  it('are tried with a real watch, of which nothing is left', async () => {
    expect((await checkEvents(home)).area).toBe('events')
    expect(readdirSync(path.join(home, 'tmp'))).toEqual([])
    expect(await checkEvents(path.join(home, 'none'))).toMatchObject({
      level: 'warn',
      text: expect.stringContaining('ENOENT'),
    })
  })

  it('count the watchers in use, and warn before there is none left', () => {
    const proc = path.join(home, 'proc')
    mkdirSync(path.join(proc, '42', 'fd'), { recursive: true })
    mkdirSync(path.join(proc, 'sys/fs/inotify'), { recursive: true })
    for (const fd of ['3', '4', '5', '6']) symlinkSync('anon_inode:inotify', path.join(proc, '42', 'fd', fd))
    symlinkSync('/dev/null', path.join(proc, '42', 'fd', '0'))
    writeFileSync(path.join(proc, 'sys/fs/inotify/max_user_instances'), '128\n')
    expect(checkInotify(proc)).toMatchObject({ level: 'ok', text: '4 of 128 inotify instances are in use.' })
    writeFileSync(path.join(proc, 'sys/fs/inotify/max_user_instances'), '5\n')
    expect(checkInotify(proc)).toMatchObject({ level: 'warn' })
    expect(checkInotify(path.join(proc, 'none'))).toBeUndefined()
  })
})

describe('what is on the bus', () => {
  it('is counted, and what cannot be read is named', async () => {
    const opened = await openBus({ home, durability: 'process' })
    try {
      expect((await checkSessions(opened)).map(({ text }) => text)).toEqual([
        'No session is on the bus.',
        'No mail waits for a session.',
      ])
      const host = { kind: 'generic', doors: [] }
      const caller = await opened.bus.identify({
        connection: { named: new Set() },
        argument: 'a',
        argumentMeans: 'registers',
        host,
      })
      await opened.bus.update(caller, { task: 'T', projectPath: home, name: 'code reviewer' })
      const { messageId } = await opened.bus.send({ kind: 'human' }, { to: ['a'], content: 'x' })
      await opened.bus.send({ kind: 'human' }, { to: ['a'], content: 'y' })
      writeFileSync(path.join(home, 'sessions', 'broken.json'), '{"id":')
      const checks = await checkSessions(opened)
      expect(checks[0]?.text).toBe('1 session: 1 running.')
      expect(checks[1]).toMatchObject({
        level: 'warn',
        text: expect.stringMatching(/^1 file left out of every list: .*broken/),
      })
      expect(checks[2]?.text).toMatch(/^2 messages unread; the oldest, \d+[sm] old, waits for code reviewer\.$/)

      expect((await checkMail(opened)).map(({ level }) => level)).toEqual(['ok'])
      writeFileSync(path.join(home, 'inboxes', 'a', `${messageId}.json`), '{"id":')
      const again = await opened.bus.identify({ connection: { named: new Set(), own: 'a' }, host })
      await (await opened.bus.read(again, {})).notHandedOver()
      expect((await checkMail(opened))[0]).toMatchObject({
        level: 'warn',
        text: 'Messages that could not be read: 1 in the inbox of a.',
      })
    } finally {
      opened.close()
    }
  })
})
