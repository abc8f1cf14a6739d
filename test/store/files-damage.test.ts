import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { BusError } from '../../src/core/errors.ts'
import { LIMITS } from '../../src/core/limits.ts'
import { NOTHING_SHOWN } from '../../src/core/shown.ts'
import { aMessage, anActivity, aSent, aSession } from '../contract/records.ts'
import { CAN_GIVE_AWAY, freshPlace, HAS_OWNERS, IS_ROOT } from './place.ts'

const place = freshPlace()
const WRONG: [string, string][] = [
  ['empty', ''],
  ['cut short', JSON.stringify(aSession('bad')).slice(0, 90)],
  ['not JSON', '}}garbage'],
  ['null', 'null'],
  ['a list', '[]'],
  ['without a field it needs', '{"id":"bad"}'],
  ['that of another session', JSON.stringify(aSession('good'))],
  ['one whose name is no text', JSON.stringify({ ...aSession('bad'), name: { a: 1 } })],
  ['one whose groupId is no text', JSON.stringify({ ...aSession('bad'), groupId: 5 })],
  ['one whose branch is no text', JSON.stringify({ ...aSession('bad'), branch: ['x'] })],
  ['one whose tags are no texts', JSON.stringify({ ...aSession('bad'), tags: ['x', null] })],
  ['one whose aliases are no texts', JSON.stringify({ ...aSession('bad'), aliases: [{}] })],
  ['one whose host is no text', JSON.stringify({ ...aSession('bad'), host: { kind: {}, hostKey: 'bad', doors: [] } })],
  [
    'one whose doors are no texts',
    JSON.stringify({ ...aSession('bad'), host: { ...aSession('bad').host, doors: [1] } }),
  ],
  ['one whose spawn is damaged', JSON.stringify({ ...aSession('bad'), spawn: { token: 1 } })],
]

async function withGood() {
  const store = place.open()
  await store.sessions.change('good', () => ({ session: aSession('good'), activity: anActivity('good') }))
  return store
}

describe('a damaged session file', () => {
  it.each(WRONG)('that is %s is unreadable, never absent, and the others are listed', async (_, text) => {
    const store = await withGood()
    place.write(text, 'sessions', 'bad.json')
    await expect(store.sessions.read('bad')).rejects.toMatchObject({ code: 'STORE_UNREADABLE' })
    for (let n = 0; n < 2; n++) {
      const { entries, skipped } = await store.sessions.list()
      expect(entries.map(({ session }) => session.id)).toEqual(['good'])
      expect(skipped).toEqual([{ what: 'bad', why: expect.stringMatching(/./) }])
    }
    expect(fs.readFileSync(place.at('sessions', 'bad.json'), 'utf8')).toBe(text)
  })

  it('is not written over by a change and not removed by the sweep', async () => {
    const store = await withGood()
    place.write('}}garbage', 'sessions', 'bad.json')
    const change = store.sessions.change('bad', () => ({ session: aSession('bad') }))
    await expect(change).rejects.toMatchObject({ code: 'STORE_UNREADABLE' })
    await expect(store.sessions.remove('bad', () => false)).rejects.toMatchObject({ code: 'STORE_UNREADABLE' })
    expect(fs.readFileSync(place.at('sessions', 'bad.json'), 'utf8')).toBe('}}garbage')
  })

  it('that was put right in its place is read again, also by who has listed it before', async () => {
    const store = await withGood()
    const file = place.write('}}garbage', 'sessions', 'bad.json')
    // As it is for a person, who takes longer for it than the clock of a file system is coarse.
    const old = new Date(Date.now() - 60_000)
    for (const each of [file, place.at('sessions'), place.at('activity')]) fs.utimesSync(each, old, old)
    expect((await store.sessions.list()).skipped).toHaveLength(1)
    expect(await store.sessions.list()).toBe(await store.sessions.list())
    place.write(JSON.stringify(aSession('bad')), 'sessions', 'bad.json')
    fs.utimesSync(file, new Date(old.getTime() + 1_000), new Date(old.getTime() + 1_000))
    expect((await store.sessions.read('bad'))?.session.id).toBe('bad')
    expect((await store.sessions.list()).entries).toHaveLength(2)
  })

  it('that was too large to be read is listed once it is not, though its folder did not change', async () => {
    const store = await withGood()
    const text = JSON.stringify(aSession('bad'))
    const file = place.write(text.padEnd(LIMITS.sessionBytes * 5), 'sessions', 'bad.json')
    const old = new Date(Date.now() - 60_000)
    for (const each of [file, place.at('sessions'), place.at('activity')]) fs.utimesSync(each, old, old)
    expect((await store.sessions.list()).skipped).toEqual([{ what: 'bad', why: 'EFBIG' }])
    fs.truncateSync(file, text.length)
    expect((await store.sessions.list()).skipped).toEqual([])
  })

  it('of observations is forgotten observations: the session is there, and they are made again', async () => {
    const store = await withGood()
    place.write('}}garbage', 'activity', 'good.json')
    expect(await store.sessions.read('good')).toEqual({ session: aSession('good'), activity: undefined })
    expect((await store.sessions.list()).entries).toEqual([{ session: aSession('good'), activity: undefined }])
    const activity = anActivity('good', { state: 'idle' })
    await store.sessions.change('good', () => ({ activity }))
    expect(await store.sessions.read('good')).toEqual({ session: aSession('good'), activity })
  })
})

describe('what does not belong into sessions/', () => {
  it('is skipped, and the list says so: foreign names, links, directories', async () => {
    const store = await withGood()
    const outside = place.write(JSON.stringify(aSession('link')), '..', 'outside.json')
    for (const name of ['notes.txt', '.DS_Store', 'UPPER.json', 'nul.json', 'a b.json', '..json', 'x.json.tmp'])
      place.write('{}', 'sessions', name)
    fs.symlinkSync(outside, place.at('sessions', 'link.json'))
    fs.mkdirSync(place.at('sessions', 'folder.json'))
    const { entries, skipped } = await store.sessions.list()
    expect(entries.map(({ session }) => session.id)).toEqual(['good'])
    expect(skipped.map(({ what }) => what).sort()).toEqual(
      ['notes.txt', '.DS_Store', 'UPPER.json', 'nul.json', 'a b.json', '..json', 'x.json.tmp', 'link', 'folder'].sort(),
    )
    for (const id of ['link', 'folder'])
      await expect(store.sessions.read(id)).rejects.toMatchObject({ code: 'STORE_UNREADABLE' })
    expect(fs.readFileSync(outside, 'utf8')).toBe(JSON.stringify(aSession('link')))
  })

  it.runIf(CAN_GIVE_AWAY)('files of another user are skipped, and the list says whose', async () => {
    const store = await withGood()
    fs.chownSync(place.write(JSON.stringify(aSession('theirs')), 'sessions', 'theirs.json'), 12_345, 12_345)
    const { entries, skipped } = await store.sessions.list()
    expect(entries.map(({ session }) => session.id)).toEqual(['good'])
    expect(skipped).toEqual([{ what: 'theirs', why: expect.stringContaining('12345') }])
    await expect(store.sessions.read('theirs')).rejects.toMatchObject({
      code: 'STORE_UNREADABLE',
      message: expect.stringContaining('12345'),
    })
  })
})

describe('a damaged message', () => {
  const broken = aMessage('b', 2)
  const texts: [string, string][] = [
    ['empty', ''],
    ['cut short', JSON.stringify(broken).slice(0, 100)],
    ['not JSON', '}}garbage'],
    ['without a sender', JSON.stringify({ ...broken, from: undefined })],
    ['that of another inbox', JSON.stringify({ ...broken, to: 'c' })],
    ['that of another message', JSON.stringify(aMessage('b', 7))],
    ['larger than any message', JSON.stringify({ ...broken, content: 'x'.repeat(600 * 1024) })],
  ]
  it.each(texts)('that is %s is kept under damaged/, said once, and the others are read', async (_, text) => {
    const store = place.open()
    const [first, third] = [aMessage('b', 1), aMessage('b', 3)]
    await store.inbox.deliver(first)
    await store.inbox.deliver(third)
    place.write(text, 'inboxes', 'b', `${broken.id}.json`)
    const ids = (await store.inbox.unread('b')).ids
    expect(ids).toEqual([first.id, broken.id, third.id])
    const claims = await Promise.all(ids.map((id) => store.inbox.claim('b', id)))
    expect(claims).toMatchObject([{ message: first }, { what: broken.id, why: expect.any(String) }, { message: third }])
    expect(await store.inbox.damaged('b')).toEqual([`${broken.id}.json`])
    expect(fs.readFileSync(place.at('inboxes', 'b', 'damaged', `${broken.id}.json`), 'utf8')).toBe(text)
    expect(await store.inbox.unread('b')).toMatchObject({ ids: [], claimed: 2 })
  })

  it('is not taken for a message that is not there', async () => {
    const store = place.open()
    place.write('}}garbage', 'inboxes', 'b', `${broken.id}.json`)
    await expect(store.inbox.find('b', broken.id)).rejects.toMatchObject({ code: 'STORE_UNREADABLE' })
  })

  it('C011 C017 of a send that was stopped before its message was in place is never a message', async () => {
    const store = place.open()
    await store.inbox.deliver(aMessage('b', 1))
    const whole = aMessage('b', 2)
    place.write(JSON.stringify(whole), 'tmp', `${'1.2.aaaaaaaa.bbbbbbbb'}~0~0`)
    place.write(JSON.stringify(whole), 'tmp', `${whole.id}.json`)
    expect((await store.inbox.unread('b')).ids).toHaveLength(1)
    expect(await store.inbox.find('b', whole.id)).toBeUndefined()
    expect(await store.inbox.owners()).toEqual(['b'])
    expect((await store.sessions.list()).skipped).toEqual([])
    expect(await store.inbox.deliver(whole)).toBe('stored')
    expect((await store.inbox.unread('b')).ids).toHaveLength(2)
  })
})

describe('what does not belong into an inbox', () => {
  it('is skipped and said: foreign names; and what only looks like a message is never delivered', async () => {
    const store = place.open()
    const real = aMessage('b', 1)
    await store.inbox.deliver(real)
    for (const name of ['notes.txt', 'msg-1.json', `${real.id}.json.tmp`, 'README.md'])
      place.write('x', 'inboxes', 'b', name)
    const [link, folder] = [aMessage('b', 2), aMessage('b', 3)]
    const outside = place.write(JSON.stringify(link), '..', 'outside.json')
    fs.symlinkSync(outside, place.at('inboxes', 'b', `${link.id}.json`))
    fs.mkdirSync(place.at('inboxes', 'b', `${folder.id}.json`))
    const { skipped } = await store.inbox.unread('b')
    expect(skipped.map(({ what }) => what).sort()).toEqual(
      ['README.md', 'msg-1.json', 'notes.txt', `${real.id}.json.tmp`].sort(),
    )
    for (const { id } of [link, folder]) {
      expect(await store.inbox.claim('b', id)).toMatchObject({ what: id, why: expect.any(String) })
      await expect(store.inbox.find('b', id)).rejects.toMatchObject({ code: 'STORE_UNREADABLE' })
    }
    expect(await store.inbox.claim('b', real.id)).toMatchObject({ message: real })
    expect(fs.existsSync(outside)).toBe(true)
  })

  it.runIf(CAN_GIVE_AWAY)('a file of another user is neither delivered nor shown, and that is said', async () => {
    const store = place.open()
    const theirs = aMessage('b', 1)
    fs.chownSync(place.write(JSON.stringify(theirs), 'inboxes', 'b', `${theirs.id}.json`), 12_345, 12_345)
    expect(await store.inbox.claim('b', theirs.id)).toMatchObject({
      what: theirs.id,
      why: expect.stringContaining('12345'),
    })
    await expect(store.inbox.find('b', theirs.id)).rejects.toMatchObject({
      code: 'STORE_UNREADABLE',
      message: expect.stringContaining('12345'),
    })
  })

  it('folders that are no inbox have no owner', async () => {
    const store = place.open()
    await store.inbox.deliver(aMessage('b', 1))
    for (const name of ['UPPER', 'a b', 'nul', '.git']) fs.mkdirSync(place.at('inboxes', name))
    expect(await store.inbox.owners()).toEqual(['b'])
  })
})

describe('other damaged files', () => {
  it.each(['', '}}', 'null', '{}', '{"id":7}', '{"id":"../../evil"}'])(
    'a name whose owner reads %j is unreadable: nobody takes it and nobody is named',
    async (text) => {
      const store = place.open()
      await store.names.take('free', 'a')
      place.write(text, 'names', 'lead')
      await expect(store.names.owner('lead')).rejects.toMatchObject({ code: 'STORE_UNREADABLE' })
      await expect(store.names.take('lead', 'a')).rejects.toMatchObject({ code: 'STORE_UNREADABLE' })
      expect(await store.names.owner('free')).toBe('a')
    },
  )

  it('a torn record of a send is unreadable; lost wakes and marks are none', async () => {
    const store = place.open()
    const sent = aSent('a', 1)
    await store.sent.record(sent)
    place.write('{"id":', 'sent', 'a', `${sent.id}.json`)
    place.write('{"id":', 'sent', 'a', 'wakes.json')
    place.write('[1', 'shown', 'a.json')
    await expect(store.sent.find('a', sent.id)).rejects.toMatchObject({ code: 'STORE_UNREADABLE' })
    expect({ ...(await store.sent.wakes('a')) }).toEqual({})
    expect(await store.shown.read('a')).toEqual(NOTHING_SHOWN)
    expect(await store.sent.drop('a', () => false)).toBe(1)
  })

  it.runIf(HAS_OWNERS && !IS_ROOT)('what may not be read is not taken for empty', async () => {
    const store = place.open()
    await store.inbox.deliver(aMessage('b', 1))
    fs.chmodSync(place.at('inboxes', 'b'), 0)
    try {
      await expect(store.inbox.unread('b')).rejects.toBeInstanceOf(BusError)
    } finally {
      fs.chmodSync(place.at('inboxes', 'b'), 0o700)
    }
  })

  it('a file where a folder belongs is not taken for an empty folder', async () => {
    const store = place.open()
    place.write('', 'inboxes', 'b')
    for (const call of [
      () => store.inbox.unread('b'),
      () => store.inbox.history('b', 5),
      () => store.inbox.damaged('b'),
      () => store.inbox.find('b', aMessage('b', 1).id),
      () => store.inbox.drop('b', () => true, { unreadToo: true, dryRun: false }),
      () => store.inbox.deliver(aMessage('b', 1)),
    ])
      await expect(call(), call.toString()).rejects.toMatchObject({ code: 'STORE_UNREADABLE' })
    fs.rmSync(place.at('sessions'), { recursive: true })
    place.write('', 'sessions')
    await expect(store.sessions.list()).rejects.toMatchObject({ code: 'STORE_UNREADABLE' })
  })
})
