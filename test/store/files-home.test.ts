import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { BusError } from '../../src/core/errors.ts'
import { aMessage, anActivity, aSession } from '../contract/records.ts'
import { CAN_GIVE_AWAY, freshPlace, HAS_OWNERS } from './place.ts'

const place = freshPlace()

function refusal(open: () => unknown): BusError {
  try {
    open()
  } catch (fault) {
    if (fault instanceof BusError) return fault
    throw fault
  }
  throw new Error('expected a refusal, but home was opened')
}

describe('a home', () => {
  it('is made when it is not there, parents too', async () => {
    place.home = path.join(place.root, 'a', 'b', 'home')
    await place.open().sessions.change('a', () => ({ session: aSession('a') }))
    expect(JSON.parse(fs.readFileSync(place.at('format.json'), 'utf8'))).toEqual({ version: 1 })
  })

  it('C007 can be opened and filled by many at once', async () => {
    const stores = Array.from({ length: 8 }, () => place.open())
    await Promise.all(stores.map((s, n) => s.sessions.change(`s${n}`, () => ({ session: aSession(`s${n}`) }))))
    expect((await place.open().sessions.list()).entries).toHaveLength(8)
  })

  it('that was removed while running is made again by the next write, and is empty until then', async () => {
    const writes: [string, (store: ReturnType<typeof place.open>) => Promise<unknown>][] = [
      ['change', (s) => s.sessions.change('a', () => ({ session: aSession('a'), activity: anActivity('a') }))],
      ['deliver', (s) => s.inbox.deliver(aMessage('b', 1))],
      ['name', (s) => s.names.take('lead', 'a')],
      ['follow', (s) => s.follow.add('a', 'b')],
      ['shown', (s) => s.shown.change('a', (shown) => ({ ...shown, holds: 1 }))],
      ['wakes', (s) => s.sent.setWakes('a', {})],
      ['wake', (s) => s.hosts.touchWake('a')],
    ]
    for (const [what, write] of writes) {
      const store = place.open()
      await store.sessions.change('old', () => ({ session: aSession('old') }))
      await store.inbox.deliver(aMessage('old', 1))
      fs.rmSync(place.home, { recursive: true })
      expect(await store.sessions.read('old'), what).toBeUndefined()
      expect((await store.sessions.list()).entries, what).toEqual([])
      await write(store)
      expect(fs.existsSync(place.at('format.json')), what).toBe(true)
      fs.rmSync(place.home, { recursive: true })
    }
  })

  it('that was replaced by a file is a clear refusal, for reads as for writes, never "empty"', async () => {
    const store = place.open()
    await store.sessions.change('a', () => ({ session: aSession('a') }))
    fs.renameSync(place.home, `${place.home}-before`)
    fs.writeFileSync(place.home, 'not a directory')
    const calls = {
      change: () => store.sessions.change('a', () => ({ session: aSession('a') })),
      deliver: () => store.inbox.deliver(aMessage('b', 1)),
      wake: () => store.hosts.touchWake('a'),
      read: () => store.sessions.read('a'),
      list: () => store.sessions.list(),
      unread: () => store.inbox.unread('b'),
    }
    for (const [what, call] of Object.entries(calls)) {
      await expect(call(), what).rejects.toBeInstanceOf(BusError)
      await expect(call(), what).rejects.toMatchObject({ code: 'STORE_UNREADABLE', hint: expect.any(String) })
    }
    expect(fs.readFileSync(place.home, 'utf8')).toBe('not a directory')
    fs.rmSync(place.home)
    fs.renameSync(`${place.home}-before`, place.home)
    expect((await store.sessions.read('a'))?.session.id).toBe('a')
  })

  it.each([
    ['is a file', 'home'],
    ['lies below a file', path.join('home', 'below')],
  ])('that %s cannot be opened', (_, home) => {
    fs.writeFileSync(path.join(place.root, 'home'), 'not a directory')
    place.home = path.join(place.root, home)
    expect(refusal(() => place.open())).toMatchObject({ code: 'HOME_UNWRITABLE' })
  })

  it.each(['{"version":2}', '{"version":"1"}', '{}', 'null'])('of layout %s is refused with advice', (format) => {
    place.write(format, 'format.json')
    const fault = refusal(() => place.open())
    expect(fault).toMatchObject({ code: 'HOME_NEWER', hint: expect.stringContaining('--home') })
    expect(fs.readdirSync(place.home)).toEqual(['format.json'])
  })

  it('whose format is damaged is refused, and not written over', () => {
    place.write('{"vers', 'format.json')
    expect(refusal(() => place.open())).toMatchObject({ code: 'STORE_UNREADABLE' })
    expect(fs.readFileSync(place.at('format.json'), 'utf8')).toBe('{"vers')
  })
})

describe.runIf(HAS_OWNERS)('a home that others could change', () => {
  const parent = () => path.join(place.root, 'shared')
  const inShared = (mode: number) => {
    fs.mkdirSync(parent())
    fs.chmodSync(parent(), mode)
    place.home = path.join(parent(), 'home')
  }

  it.each([0o777, 0o770, 0o722])('because of a parent with mode %o is refused, and nothing is written', (mode) => {
    inShared(mode)
    const fault = refusal(() => place.open())
    expect(fault).toMatchObject({ code: 'HOME_UNSAFE', message: expect.stringContaining(parent()) })
    expect(fault.hint).toContain('--allow-foreign-home')
    expect(fs.readdirSync(parent())).toEqual([])
  })

  it('C254 is fine where the parent is sticky, as /tmp is', () => {
    inShared(0o1777)
    expect(place.open().warnings).toEqual([])
  })

  it('because it is open itself is refused', () => {
    fs.mkdirSync(place.home)
    fs.chmodSync(place.home, 0o1777)
    expect(refusal(() => place.open())).toMatchObject({ code: 'HOME_UNSAFE' })
  })

  it('is accepted with allowForeignHome, and the warnings say what is wrong', async () => {
    inShared(0o777)
    const store = place.open({ allowForeignHome: true })
    expect(store.warnings).toEqual([expect.stringContaining(parent())])
    await store.sessions.change('a', () => ({ session: aSession('a') }))
    expect((await store.sessions.list()).entries).toHaveLength(1)
  })

  it.runIf(CAN_GIVE_AWAY)('because another user owns it is refused, and accepted with allowForeignHome', () => {
    fs.mkdirSync(place.home, { mode: 0o700 })
    fs.chownSync(place.home, 12_345, 12_345)
    expect(refusal(() => place.open())).toMatchObject({
      code: 'HOME_UNSAFE',
      message: expect.stringContaining('uid 12345'),
    })
    expect(place.open({ allowForeignHome: true }).warnings).toEqual([expect.stringContaining('uid 12345')])
  })

  it.runIf(CAN_GIVE_AWAY)('because another user owns a parent is refused', () => {
    inShared(0o755)
    fs.chownSync(parent(), 12_345, 12_345)
    expect(refusal(() => place.open())).toMatchObject({ code: 'HOME_UNSAFE' })
  })
})
