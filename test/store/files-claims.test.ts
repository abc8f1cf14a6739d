import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../src/core/limits.ts'
import { processTag } from '../../src/system/process.ts'
import { aMessage } from '../contract/records.ts'
import { deadTag, filesIn, freshPlace, HAS_OWNERS, IS_ROOT, livingTag, self } from './place.ts'

const place = freshPlace()
const message = aMessage('b', 1)

/** The message in the hands of `owner` since `ageMs`. */
function held(owner: string, ageMs = 0): void {
  const since = (Date.now() - ageMs).toString(36)
  place.write(JSON.stringify(message), 'inboxes', 'b', 'claimed', `${message.id}~${owner}~${since}~0`)
}

describe('a claim', () => {
  it('whose owner was killed goes back to its old place, and its next delivery says so', async () => {
    const store = place.open()
    const [before, after] = [aMessage('b', -1), aMessage('b', 2)]
    await store.inbox.deliver(before)
    await store.inbox.deliver(after)
    held(await deadTag())
    expect(await store.inbox.find('b', message.id)).toMatchObject({ place: 'claimed' })
    expect(await store.inbox.unread('b')).toEqual({ ids: [before.id, message.id, after.id], claimed: 0, skipped: [] })
    const claim = await store.inbox.claim('b', message.id)
    if (claim === undefined || 'what' in claim) throw new Error('not claimed')
    expect(claim).toMatchObject({ message, redelivered: true })
    await claim.settle()
    expect(await store.inbox.find('b', message.id)).toMatchObject({ place: 'read' })
    expect(filesIn(place.at('inboxes', 'b', 'claimed'))).toEqual([])
  })

  it('that was given back by its reader after a kill still says redelivered', async () => {
    const store = place.open()
    held(await deadTag())
    await store.inbox.unread('b')
    const first = await store.inbox.claim('b', message.id)
    if (first === undefined || 'what' in first) throw new Error('not claimed')
    await first.release()
    expect(await place.open().inbox.claim('b', message.id)).toMatchObject({ redelivered: true })
  })

  it('of a living process stays its own within the lease', async () => {
    const { tag } = await livingTag()
    held(tag, LIMITS.claimLeaseMs / 2)
    const store = place.open()
    expect(await store.inbox.unread('b')).toEqual({ ids: [], claimed: 1, skipped: [] })
    expect(await store.inbox.claim('b', message.id)).toBeUndefined()
  })

  it.each([
    ['a process that cannot be checked', processTag({ pid: 7, start: '1', node: 'elsewhere' })],
    ['this very process', processTag(self)],
  ])('of %s goes back when its lease ran out', async (_, tag) => {
    held(tag, LIMITS.claimLeaseMs + 1)
    const store = place.open()
    expect(await store.inbox.unread('b')).toEqual({ ids: [message.id], claimed: 0, skipped: [] })
    expect(await store.inbox.claim('b', message.id)).toMatchObject({ redelivered: true })
  })

  it('of an unknown process within its lease is left alone', async () => {
    held(processTag({ pid: 7, start: '1', node: 'elsewhere' }))
    expect(await place.open().inbox.unread('b')).toMatchObject({ ids: [], claimed: 1 })
  })

  it('that was lost meanwhile cannot be ended by the one who lost it', async () => {
    const [one, two] = [place.open(), place.open()]
    await one.inbox.deliver(message)
    const lost = await one.inbox.claim('b', message.id)
    if (lost === undefined || 'what' in lost) throw new Error('not claimed')
    // As if a minute had passed: the claim is older than its lease.
    const [name = ''] = fs.readdirSync(place.at('inboxes', 'b', 'claimed'))
    const aged = name.split('~')
    aged[2] = (Date.now() - LIMITS.claimLeaseMs - 1).toString(36)
    fs.renameSync(place.at('inboxes', 'b', 'claimed', name), place.at('inboxes', 'b', 'claimed', aged.join('~')))
    expect((await two.inbox.unread('b')).ids).toEqual([message.id])
    const next = await two.inbox.claim('b', message.id)
    if (next === undefined || 'what' in next) throw new Error('not claimed')
    await lost.settle()
    await lost.release()
    expect(await one.inbox.unread('b')).toMatchObject({ ids: [], claimed: 1 })
    await next.settle()
    expect(await one.inbox.find('b', message.id)).toMatchObject({ place: 'read' })
  })

  it('that came back from its readers more than five times is set aside: it kills them', async () => {
    const store = place.open()
    const dead = await deadTag()
    const after = aMessage('b', 2)
    await store.inbox.deliver(after)
    for (let n = 1; n <= LIMITS.claimReturns; n++) {
      fs.rmSync(place.at('inboxes', 'b', `${message.id}.json`), { force: true })
      held(dead)
      expect((await store.inbox.unread('b')).ids, `return ${n}`).toEqual([message.id, after.id])
    }
    fs.rmSync(place.at('inboxes', 'b', `${message.id}.json`))
    held(dead)
    expect(await store.inbox.unread('b')).toEqual({ ids: [after.id], claimed: 0, skipped: [] })
    expect(await store.inbox.damaged('b')).toEqual([`${message.id}.json`])
    expect(await store.inbox.find('b', message.id)).toMatchObject({ message, place: 'damaged' })
    expect(filesIn(place.at('inboxes', 'b', 'claimed'))).toEqual([])
  })

  it('is returned once by two readers that find it abandoned at once', async () => {
    const [one, two] = [place.open(), place.open()]
    held(await deadTag())
    const seen = await Promise.all([one.inbox.unread('b'), two.inbox.unread('b')])
    expect(seen.map(({ ids }) => ids)).toEqual([[message.id], [message.id]])
    const claims = await Promise.all([one.inbox.claim('b', message.id), two.inbox.claim('b', message.id)])
    expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1)
  })
})

describe.runIf(HAS_OWNERS && !IS_ROOT)('C252 a claim in a home that cannot be written', () => {
  it('stays held, and the rest can still be read', async () => {
    const store = place.open()
    const other = aMessage('b', 2)
    await store.inbox.deliver(other)
    held(await deadTag())
    const locked = [place.at('inboxes', 'b', 'claimed'), place.at('inboxes', 'b')]
    for (const directory of locked) fs.chmodSync(directory, 0o500)
    try {
      expect(await store.inbox.unread('b')).toEqual({ ids: [other.id], claimed: 1, skipped: [] })
      expect(await store.inbox.find('b', other.id)).toMatchObject({ place: 'unread' })
      await expect(store.inbox.claim('b', other.id)).rejects.toMatchObject({ code: 'HOME_UNWRITABLE' })
    } finally {
      for (const directory of locked) fs.chmodSync(directory, 0o700)
    }
    expect((await store.inbox.unread('b')).ids).toEqual([message.id, other.id])
  })
})

describe('an inbox without a session', () => {
  it('C081 can be emptied and closed though a reader was killed and another message came back before', async () => {
    const store = place.open()
    held(await deadTag())
    await store.inbox.unread('b')
    const other = aMessage('b', 2)
    place.write(
      JSON.stringify(other),
      'inboxes',
      'b',
      'claimed',
      `${other.id}~${await deadTag()}~${Date.now().toString(36)}~0`,
    )
    const dropped = await store.inbox.drop('b', () => true, { unreadToo: true, dryRun: false })
    expect(dropped).toEqual({ read: 0, unread: 2 })
    await store.inbox.close('b')
    expect(await store.inbox.owners()).toEqual([])
  })
})
