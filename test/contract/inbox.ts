import { describe, expect, it } from 'vitest'
import type { Message } from '../../src/core/message.ts'
import type { Claim, Store } from '../../src/core/ports.ts'
import { twoHandles } from './opening.ts'
import { aMessage, aSent, aSession } from './records.ts'
import type { Open } from './store.ts'

/** The claim, where the test knows that there is something to claim. */
async function mustClaim(store: Store, { to, id }: Message): Promise<Claim> {
  const claim = await store.inbox.claim(to, id)
  if (claim === undefined || 'what' in claim) throw new Error(`message ${id} could not be claimed`)
  return claim
}

export function describeInbox(open: Open): void {
  describe('inboxes', () => {
    const at = twoHandles(open)
    const deliver = async (...messages: Message[]) => {
      for (const message of messages) await at.one.inbox.deliver(message)
    }
    const read = async (...messages: Message[]) => {
      for (const message of messages) await (await mustClaim(at.one, message)).settle()
    }
    const three = () => [1, 2, 3].map((n) => aMessage('b', n)) as [Message, Message, Message]

    it('an inbox that does not exist is empty', async () => {
      expect(await at.one.inbox.unread('b')).toEqual({ ids: [], claimed: 0, skipped: [] })
      expect(await at.one.inbox.find('b', aMessage('b', 1).id)).toBeUndefined()
      expect(await at.one.inbox.claim('b', aMessage('b', 1).id)).toBeUndefined()
      expect(await at.one.inbox.history('b', 10)).toEqual([])
      expect(await at.one.inbox.damaged('b')).toEqual([])
      expect(await at.one.inbox.owners()).toEqual([])
      await at.one.inbox.close('b')
    })

    it('a delivered message is whole for everyone who looks', async () => {
      const content = `— 🎯测试 "quoted" \u2028\t\n`.repeat(5_000)
      const message = aMessage('b', 1, { content, via: 'group:g', replyTo: 'x', activationMessage: 'look' })
      expect(await at.one.inbox.deliver(message)).toBe('stored')
      expect(await at.two.inbox.find('b', message.id)).toEqual({ message, place: 'unread' })
      expect(await at.two.inbox.unread('b')).toEqual({ ids: [message.id], claimed: 0, skipped: [] })
      expect((await mustClaim(at.two, message)).message).toEqual(message)
    })

    it('counting says how many are unread, and changes nothing', async () => {
      expect(await at.one.inbox.count('b')).toBe(0)
      const [first, second] = three()
      await deliver(first, second)
      expect(await at.two.inbox.count('b')).toBe(2)
      const claim = await mustClaim(at.one, first)
      expect(await at.two.inbox.count('b')).toBe(1)
      await claim.release()
      await read(second)
      expect(await at.two.inbox.count('b')).toBe(1)
    })

    it('a message reaches the inbox it names and no other', async () => {
      await deliver(aMessage('b', 1), aMessage('c', 2))
      expect((await at.two.inbox.unread('b')).ids).toHaveLength(1)
      expect((await at.two.inbox.unread('a')).ids).toEqual([])
      expect([...(await at.two.inbox.owners())].sort()).toEqual(['b', 'c'])
    })

    it('the same message again is there already, and stays one', async () => {
      const message = aMessage('b', 1)
      await deliver(message)
      expect(await at.two.inbox.deliver(message)).toBe('already')
      expect(await at.one.inbox.deliver(message)).toBe('already')
      expect((await at.one.inbox.unread('b')).ids).toEqual([message.id])
    })

    it('C001 of senders that write at once no message is lost', async () => {
      const messages = Array.from({ length: 60 }, (_, n) => aMessage('b', n))
      const both = [at.one, at.two]
      await Promise.all(messages.map((message, n) => both[n % 2]?.inbox.deliver(message)))
      expect((await at.one.inbox.unread('b')).ids).toEqual(messages.map(({ id }) => id))
    })

    it('unread messages come oldest first, in whatever order they arrived', async () => {
      const [first, second, third] = three()
      await deliver(third, first, second)
      expect((await at.two.inbox.unread('b')).ids).toEqual([first.id, second.id, third.id])
    })

    it('of two readers that claim one message exactly one gets it', async () => {
      const messages = Array.from({ length: 20 }, (_, n) => aMessage('b', n))
      await deliver(...messages)
      for (const { id } of messages) {
        const claims = await Promise.all([at.one.inbox.claim('b', id), at.two.inbox.claim('b', id)])
        expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1)
      }
      expect(await at.one.inbox.unread('b')).toEqual({ ids: [], claimed: 20, skipped: [] })
    })

    it('a claimed message is not unread, is counted, and can be found', async () => {
      const [first, second] = three()
      await deliver(first, second)
      const claim = await mustClaim(at.one, first)
      expect(claim).toMatchObject({ message: first, redelivered: false })
      expect(await at.two.inbox.unread('b')).toEqual({ ids: [second.id], claimed: 1, skipped: [] })
      expect(await at.two.inbox.find('b', first.id)).toEqual({ message: first, place: 'claimed' })
    })

    it('a released message is unread again, in its old place, and was not delivered', async () => {
      const [first, second, third] = three()
      await deliver(first, second, third)
      await (await mustClaim(at.one, second)).release()
      expect(await at.two.inbox.unread('b')).toEqual({ ids: [first.id, second.id, third.id], claimed: 0, skipped: [] })
      expect((await mustClaim(at.two, second)).redelivered).toBe(false)
    })

    it('a settled message is read, with the time, and nobody can claim it', async () => {
      const [first, second] = three()
      await deliver(first, second)
      const before = Date.now()
      await (await mustClaim(at.one, first)).settle()
      const found = await at.two.inbox.find('b', first.id)
      expect(found).toMatchObject({ message: first, place: 'read' })
      const readMs = Date.parse(found?.readAt ?? '')
      expect(readMs).toBeGreaterThanOrEqual(before - 1)
      expect(readMs).toBeLessThanOrEqual(Date.now() + 1)
      expect(await at.two.inbox.claim('b', first.id)).toBeUndefined()
      expect(await at.two.inbox.unread('b')).toEqual({ ids: [second.id], claimed: 0, skipped: [] })
    })

    it('C032 history shows the last messages that were read, newest last, and takes none', async () => {
      const messages = three()
      await deliver(...messages)
      await read(messages[1], messages[0])
      expect(await at.two.inbox.history('b', 10)).toEqual([messages[0].id, messages[1].id])
      expect(await at.two.inbox.history('b', 1)).toEqual([messages[1].id])
      expect((await at.two.inbox.unread('b')).ids).toEqual([messages[2].id])
    })

    it('history is in the order of the messages, however many there are and in whatever order they were read', async () => {
      const messages = Array.from({ length: 30 }, (_, n) => aMessage('b', n))
      await deliver(...messages)
      await read(...[...messages].sort((a, b) => (a.id.slice(-1) < b.id.slice(-1) ? -1 : 1)))
      expect(await at.two.inbox.history('b', 20)).toEqual(messages.slice(10).map(({ id }) => id))
    })

    it('C146 what is no message id finds nothing, takes nothing, and is not delivered', async () => {
      await deliver(aMessage('b', 1))
      await at.one.sessions.change('a', () => ({ session: aSession('a') }))
      const [real = ''] = (await at.one.inbox.unread('b')).ids
      for (const id of [
        `./${real}`,
        `../b/${real}`,
        '',
        '.',
        '../b',
        '../../sessions/a',
        '/abs',
        'constructor',
        'msg-',
        'a/../../evil',
      ]) {
        expect(await at.one.inbox.find('b', id), id).toBeUndefined()
        expect(await at.one.inbox.claim('b', id), id).toBeUndefined()
      }
      for (const id of ['../../sessions/evil', '../evil', '/abs/evil', '.', '']) {
        await expect(at.one.inbox.deliver(aMessage('b', 2, { id })), id).rejects.toThrow()
        await expect(at.one.sent.record(aSent('b', 2, { id })), id).rejects.toThrow()
      }
      expect(await at.two.sessions.list()).toMatchObject({ entries: [{ session: { id: 'a' } }], skipped: [] })
      expect(await at.one.inbox.unread('b')).toMatchObject({ ids: [expect.any(String)], skipped: [] })
      expect(await at.one.inbox.damaged('b')).toEqual([])
    })

    it('a drop takes the oldest first and stops at the first that is kept', async () => {
      const messages = [1, 2, 3, 4].map((n) => aMessage('b', n))
      await deliver(...messages)
      await read(...messages)
      const [first, second, third, fourth] = messages.map(({ id }) => id)
      const dropped = await at.one.inbox.drop('b', ({ id }) => id !== third, { unreadToo: false, dryRun: false })
      expect(dropped).toEqual({ read: 2, unread: 0 })
      expect(await at.two.inbox.history('b', 10)).toEqual([third, fourth])
      expect(await at.two.inbox.find('b', first ?? '')).toBeUndefined()
      expect(await at.two.inbox.find('b', second ?? '')).toBeUndefined()
    })

    it('a drop takes unread messages only where it is told to', async () => {
      const messages = three()
      await deliver(...messages)
      await read(messages[2])
      const all = () => true
      expect(await at.one.inbox.drop('b', all, { unreadToo: false, dryRun: false })).toEqual({ read: 1, unread: 0 })
      expect((await at.one.inbox.unread('b')).ids).toHaveLength(2)
      expect(await at.one.inbox.drop('b', all, { unreadToo: true, dryRun: false })).toEqual({ read: 0, unread: 2 })
      expect((await at.two.inbox.unread('b')).ids).toEqual([])
    })

    it('a dry run only counts', async () => {
      const messages = three()
      await deliver(...messages)
      await read(messages[0])
      const counted = await at.one.inbox.drop('b', () => true, { unreadToo: true, dryRun: true })
      expect(counted).toEqual({ read: 1, unread: 2 })
      expect((await at.two.inbox.unread('b')).ids).toHaveLength(2)
      expect(await at.two.inbox.history('b', 10)).toHaveLength(1)
    })

    it('what a reader holds is never dropped', async () => {
      const [first] = three()
      await deliver(first)
      const claim = await mustClaim(at.one, first)
      expect(await at.two.inbox.drop('b', () => true, { unreadToo: true, dryRun: false })).toEqual({
        read: 0,
        unread: 0,
      })
      await claim.release()
      expect((await at.two.inbox.unread('b')).ids).toEqual([first.id])
    })

    it('an inbox is closed only when it is empty', async () => {
      const [first] = three()
      await deliver(first)
      await at.one.inbox.close('b')
      expect((await at.two.inbox.unread('b')).ids).toEqual([first.id])
      const claim = await mustClaim(at.one, first)
      await at.two.inbox.close('b')
      expect((await at.two.inbox.unread('b')).claimed).toBe(1)
      await claim.settle()
      await at.one.inbox.close('b')
      expect(await at.two.inbox.history('b', 1)).toEqual([first.id])
      await at.one.inbox.drop('b', () => true, { unreadToo: true, dryRun: false })
      await at.one.inbox.close('b')
      expect(await at.two.inbox.owners()).toEqual([])
      await deliver(aMessage('b', 9))
      expect((await at.two.inbox.unread('b')).ids).toHaveLength(1)
    })

    it('C092 a watcher hears of a message, also in an inbox that was not there when it began', async () => {
      const heard: string[] = []
      const watches = ['b', 'later'].map((id) => at.one.inbox.watch(id, () => heard.push(id)))
      try {
        await at.two.inbox.deliver(aMessage('b', 1))
        await at.two.inbox.deliver(aMessage('later', 2))
        await expect.poll(() => new Set(heard)).toEqual(new Set(['b', 'later']))
        const before = heard.length
        await at.two.inbox.deliver(aMessage('b', 3))
        await expect.poll(() => heard.length).toBeGreaterThan(before)
      } finally {
        for (const watch of watches) watch.close()
      }
    })
  })

  describe('an inbox of two messages at most', () => {
    const at = twoHandles(open, { inboxLimit: 2 })

    it('INBOX_FULL keeps what is there, refuses the rest, and ends once something was read', async () => {
      const [first, second, third] = [1, 2, 3].map((n) => aMessage('b', n)) as [Message, Message, Message]
      await at.one.inbox.deliver(first)
      await at.one.inbox.deliver(second)
      for (const _ of [1, 2]) {
        await expect(at.two.inbox.deliver(third)).rejects.toMatchObject({ code: 'INBOX_FULL' })
      }
      expect((await at.one.inbox.unread('b')).ids).toEqual([first.id, second.id])
      expect(await at.two.inbox.deliver(aMessage('c', 4))).toBe('stored')
      await (await mustClaim(at.two, first)).settle()
      expect(await at.two.inbox.deliver(third)).toBe('stored')
    })
  })
}
