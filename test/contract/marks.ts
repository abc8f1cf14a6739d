import { describe, expect, it } from 'vitest'
import type { Message } from '../../src/core/message.ts'
import { NOTHING_SHOWN } from '../../src/core/shown.ts'
import { twoHandles } from './opening.ts'
import { aMessage, aSent } from './records.ts'
import type { Open } from './store.ts'

/** Everything beside sessions and mail: names, records of sends, followers, and what was shown. */
export function describeMarks(open: Open): void {
  describe('names', () => {
    const at = twoHandles(open)

    it('of two takers one wins, and both learn who', async () => {
      for (let n = 0; n < 20; n++) {
        const owners = await Promise.all([at.one.names.take(`name ${n}`, 'a'), at.two.names.take(`name ${n}`, 'b')])
        expect(new Set(owners).size).toBe(1)
        expect(await at.two.names.owner(`name ${n}`)).toBe(owners[0])
      }
    })

    it('taking what one owns already is fine', async () => {
      expect(await at.one.names.take('lead', 'a')).toBe('a')
      expect(await at.two.names.take('lead', 'a')).toBe('a')
    })

    it('only its owner gives a name up, and then it is free', async () => {
      await at.one.names.take('lead', 'a')
      await at.two.names.drop('lead', 'b')
      expect(await at.two.names.owner('lead')).toBe('a')
      await at.one.names.drop('lead', 'a')
      expect(await at.two.names.owner('lead')).toBeUndefined()
      expect(await at.two.names.take('lead', 'b')).toBe('b')
      await at.one.names.drop('never taken', 'a')
    })

    it('C114 names in any letters are kept apart', async () => {
      const names = [
        '서울',
        '부산',
        'größe',
        'große',
        'a.b',
        'a b',
        'a_b',
        'a-b',
        'a~b',
        'nul',
        'con',
        '..',
        '__proto__',
      ]
      for (const [n, name] of names.entries()) expect(await at.one.names.take(name, `id-${n}`)).toBe(`id-${n}`)
      for (const [n, name] of names.entries()) expect(await at.two.names.owner(name)).toBe(`id-${n}`)
      expect(await at.two.names.owner('constructor')).toBeUndefined()
    })
  })

  describe('records of sends', () => {
    const at = twoHandles(open)

    it('what was sent is found by its sender, and by nobody else', async () => {
      const sent = aSent('a', 1, { to: ['b', 'c'], intent: 'request' })
      await at.one.sent.record(sent)
      expect(await at.two.sent.find('a', sent.id)).toEqual(sent)
      expect(await at.two.sent.find('b', sent.id)).toBeUndefined()
      expect(await at.two.sent.find('a', aSent('a', 2).id)).toBeUndefined()
      expect(await at.two.sent.find('a', '../b')).toBeUndefined()
      expect(await at.two.sent.owners()).toEqual(['a'])
    })

    it('a message to one recipient can be its own record, which outlives the message', async () => {
      const asked = aMessage('a', 1).id
      const message = aMessage('b', 2, { from: { id: 'a', name: 'A', verified: true }, replyTo: asked })
      expect(await at.one.inbox.deliver(message, { asRecord: true })).toBe('stored')
      const sent = { id: message.id, from: 'a', to: ['b'], sentAt: message.sentAt, intent: 'inform', replyTo: asked }
      expect(await at.two.sent.find('a', message.id)).toEqual(sent)
      expect(await at.two.sent.reply('a', asked)).toBe(message.id)
      expect(await at.two.sent.owners()).toEqual(['a'])
      await at.one.inbox.drop('b', () => true, { unreadToo: true, dryRun: false })
      expect(await at.two.sent.find('a', message.id)).toEqual(sent)
    })

    it('a second answer to the same message leaves the first one whole, in the inbox and on record', async () => {
      const asked = aMessage('a', 1).id
      const from = { id: 'a', name: 'A', verified: true }
      const [first, second] = [2, 4].map((n) => aMessage('b', n, { from, replyTo: asked })) as [Message, Message]
      await at.one.inbox.deliver(first, { asRecord: true })
      const wide = aSent('a', 3, { to: ['b', 'c'], replyTo: asked })
      await at.two.sent.record(wide)
      await at.one.inbox.deliver(second, { asRecord: true })
      expect(await at.two.inbox.find('b', first.id)).toEqual({ message: first, place: 'unread' })
      expect(await at.two.inbox.find('b', second.id)).toEqual({ message: second, place: 'unread' })
      expect(await at.one.sent.find('a', first.id)).toMatchObject({ id: first.id, to: ['b'] })
      expect(await at.one.sent.find('a', wide.id)).toEqual(wide)
      expect(await at.one.sent.reply('a', asked)).toBe(second.id)
    })

    it('a reply is found by what it answers: the last one, by this sender', async () => {
      const asked = aMessage('a', 1).id
      const replies = [aSent('a', 2, { replyTo: asked }), aSent('a', 3, { replyTo: asked })]
      for (const reply of [...replies, aSent('c', 4, { replyTo: asked })]) await at.one.sent.record(reply)
      expect(await at.two.sent.reply('a', asked)).toBe(replies[1]?.id)
      expect(await at.two.sent.reply('b', asked)).toBeUndefined()
      expect(await at.two.sent.reply('a', aMessage('a', 5).id)).toBeUndefined()
      expect(await at.two.sent.reply('a', '../../evil')).toBeUndefined()
    })

    it('wakes are what was set last; of a stranger there are none', async () => {
      expect(Object.keys(await at.one.sent.wakes('a'))).toEqual([])
      await at.one.sent.setWakes('a', { b: [1, 2], constructor: [3] })
      await at.two.sent.setWakes('a', { b: [2], toString: [3] })
      const wakes = await at.one.sent.wakes('a')
      expect({ ...wakes }).toEqual({ b: [2], toString: [3] })
      expect(wakes['constructor']).toBeUndefined()
    })

    it('a drop takes the oldest first, stops at the first that is kept, and forgets the replies', async () => {
      const asked = aMessage('a', 0).id
      const all = [aSent('a', 1, { replyTo: asked }), aSent('a', 2), aSent('a', 3), aSent('a', 4)]
      for (const sent of [...all].reverse()) await at.one.sent.record(sent)
      const [first, second, third, fourth] = all.map(({ id }) => id) as [string, string, string, string]
      expect(await at.two.sent.drop('a', ({ id }) => id !== third)).toBe(2)
      expect(await at.one.sent.find('a', first)).toBeUndefined()
      expect(await at.one.sent.find('a', second)).toBeUndefined()
      expect(await at.one.sent.find('a', fourth)).toBeDefined()
      expect(await at.one.sent.reply('a', asked)).toBeUndefined()
      expect(await at.one.sent.drop('a', () => true)).toBe(2)
      expect(await at.one.sent.owners()).toEqual([])
      expect(await at.one.sent.drop('nobody', () => true)).toBe(0)
    })
  })

  describe('followers', () => {
    const at = twoHandles(open)

    it('everyone sees who follows whom', async () => {
      expect(await at.one.follow.followers('t')).toEqual([])
      await at.one.follow.add('t', 'a')
      await at.two.follow.add('t', 'B')
      await at.two.follow.add('t', 'a')
      await at.one.follow.add('u', 'a')
      expect([...(await at.two.follow.followers('t'))].sort()).toEqual(['B', 'a'])
      await at.one.follow.drop('t', 'a')
      await at.one.follow.drop('t', 'never')
      expect(await at.two.follow.followers('t')).toEqual(['B'])
      expect(await at.two.follow.followers('u')).toEqual(['a'])
    })

    it('what was shown is what was set last; C148 nothing is inherited', async () => {
      expect(await at.one.shown.read('a')).toEqual(NOTHING_SHOWN)
      await at.one.shown.change('a', (shown) => ({ ...shown, sessions: { t: '1.1' } }))
      await at.two.shown.change('a', (shown) => ({ ...shown, sessions: { ...shown.sessions, u: '1.0' }, holds: 2 }))
      await at.one.shown.change('a', () => undefined)
      expect(await at.two.shown.read('a')).toEqual({ ...NOTHING_SHOWN, sessions: { t: '1.1', u: '1.0' }, holds: 2 })
    })

    it('of two that would tell the same, one does', async () => {
      let told = 0
      const tell = (store: typeof at.one) =>
        store.shown.change('a', (shown) => {
          if (shown.messages.includes('m')) return undefined
          told += 1
          return { ...shown, messages: [...shown.messages, 'm'] }
        })
      await Promise.all([tell(at.one), tell(at.two), tell(at.one), tell(at.two)])
      expect(told).toBe(1)
    })
  })

  describe('bindings of hosts', () => {
    const at = twoHandles(open)
    const client = { pid: 4242, start: 's', boot: 'b', ns: 'n', node: 'm' }

    it('a conversation is found by its key, the latest of a client or transcript by that', async () => {
      await at.one.hosts.bind({
        hostKey: 'k1',
        sessionId: 'a',
        client,
        transcript: '/t/1',
        boundAt: '2026-01-01T00:00:00.000Z',
      })
      await at.one.hosts.bind({
        hostKey: 'k2',
        sessionId: 'a',
        client,
        transcript: '/t/2',
        boundAt: '2026-01-01T00:00:01.000Z',
      })
      await at.one.hosts.bind({
        hostKey: 'k3',
        sessionId: 'c',
        transcript: '/t/1',
        boundAt: '2026-01-01T00:00:02.000Z',
      })
      expect((await at.two.hosts.find('k1'))?.sessionId).toBe('a')
      expect((await at.two.hosts.ofClient(client))?.hostKey).toBe('k2')
      expect((await at.two.hosts.ofTranscript('/t/1'))?.hostKey).toBe('k3')
      expect(await at.two.hosts.find('k4')).toBeUndefined()
      expect(await at.two.hosts.ofClient({ ...client, pid: 1 })).toBeUndefined()
      await at.one.hosts.drop(({ sessionId }) => sessionId === 'a')
      expect(await at.two.hosts.find('k1')).toBeUndefined()
      expect(await at.two.hosts.ofClient(client)).toBeUndefined()
      expect((await at.two.hosts.find('k3'))?.sessionId).toBe('c')
    })

    it('a mark can be left twice and taken away twice', async () => {
      await at.one.hosts.mark('key')
      await at.two.hosts.mark('key')
      await at.one.hosts.unmark('key')
      await at.two.hosts.unmark('key')
    })

    it('a prompt is left to the gate until somebody says otherwise, and whoever says so first learns it', async () => {
      expect(await at.one.hosts.gate('key')).toBe(true)
      expect(await at.two.hosts.gate('key')).toBe(false)
      expect(await at.two.hosts.gate('Key')).toBe(true)
      await at.two.hosts.ungate('key')
      await at.one.hosts.ungate('key')
      expect(await at.one.hosts.gate('key')).toBe(true)
    })

    it('what the gate noted can be forgotten twice, and before it was noted', async () => {
      await at.one.hosts.endTurn('key')
      await at.one.hosts.beginTurn('key')
      await at.two.hosts.endTurn('key')
      await at.two.hosts.endTurn('key')
    })
  })

  describe('the rest', () => {
    const at = twoHandles(open)

    it('a wake can be touched again and again, and leaves nothing to tidy', async () => {
      await at.one.hosts.touchWake('key')
      await at.two.hosts.touchWake('key')
      expect(await at.one.tidy()).toBe(0)
    })
  })
}
