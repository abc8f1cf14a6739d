import { describe, expect, it } from 'vitest'
import type { Entry } from '../../src/core/ports.ts'
import type { Session } from '../../src/core/session.ts'
import { twoHandles } from './opening.ts'
import { aMessage, anActivity, aSent, aSession } from './records.ts'
import type { Open } from './store.ts'

const raised = (entry: Entry | undefined): { session: Session } => {
  if (entry === undefined) throw new Error('the record is gone')
  return { session: { ...entry.session, statusSeq: entry.session.statusSeq + 1 } }
}

export function describeSessions(open: Open): void {
  describe('sessions', () => {
    const at = twoHandles(open)
    const make = (id: string, over: Partial<Session> = {}) =>
      at.one.sessions.change(id, () => ({ session: aSession(id, over), activity: anActivity(id) }))

    it('a session that was never there is undefined, and nobody is listed', async () => {
      expect(await at.one.sessions.read('a')).toBeUndefined()
      expect(await at.one.sessions.list()).toEqual({ entries: [], skipped: [] })
    })

    it('what a change writes is what everyone reads, both halves', async () => {
      const written = await make('a', { name: 'Ängström', progress: 'line one\nline two' })
      expect(written).toEqual({
        session: aSession('a', { name: 'Ängström', progress: 'line one\nline two' }),
        activity: anActivity('a'),
      })
      expect(await at.one.sessions.read('a')).toEqual(written)
      expect(await at.two.sessions.read('a')).toEqual(written)
    })

    it('a record is found by whom it waits for, also where the wait is over', async () => {
      const owner = { pid: 1, start: '1', boot: 'b', ns: 'n', node: 'm' }
      const waitFor = (id: string, ...targets: string[]) =>
        at.one.sessions.change(id, () => ({
          session: aSession(id),
          activity: anActivity(id, {
            waitingFor: [
              { waitId: 'w', targets, mode: 'all', orMessage: false, owner, until: '2020-01-01T00:00:00.000Z' },
            ],
          }),
        }))
      await waitFor('lead', 'worker', 'other')
      await waitFor('Second', 'worker')
      await waitFor('third', 'worker-2')
      await make('worker')
      const found = async (id: string) => (await at.two.sessions.waitersOf(id)).map((each) => each.id).sort()
      expect(await found('worker')).toEqual(['Second', 'lead'])
      expect(await found('worker-2')).toEqual(['third'])
      expect(await found('lead')).toEqual([])
      expect(await found('nobody')).toEqual([])
    })

    it('decide sees the newest record, and undefined where there is none', async () => {
      await at.one.sessions.change('a', (current) => {
        expect(current).toBeUndefined()
        return { session: aSession('a') }
      })
      await at.two.sessions.change('a', raised)
      await at.one.sessions.change('a', (current) => {
        expect(current?.session.statusSeq).toBe(2)
        return undefined
      })
    })

    it('a change that decides nothing leaves the record and resolves to it', async () => {
      expect(await at.one.sessions.change('a', () => undefined)).toBeUndefined()
      expect(await at.one.sessions.read('a')).toBeUndefined()
      const entry = await make('a')
      expect(await at.two.sessions.change('a', () => undefined)).toEqual(entry)
      expect(await at.two.sessions.change('a', () => ({}))).toEqual(entry)
    })

    it('a turn that the gate noted is laid over the activity, and the next change of that writes it down', async () => {
      const hooked = { host: { kind: 'k', hostKey: 'Key', doors: [], hooked: true } } as const
      const idle = anActivity('a', { state: 'idle', activitySeq: 4 })
      await at.one.sessions.change('a', () => ({ session: aSession('a', hooked), activity: idle }))
      await make('b')
      const hints: (string | undefined)[] = []
      const watch = at.two.sessions.watch((id) => hints.push(id))
      await at.one.hosts.beginTurn('Key')
      await expect.poll(() => hints.length).toBeGreaterThan(0)
      watch.close()

      const working = { state: 'working', activitySeq: 5, trail: [{ seq: 5, state: 'working' }] }
      expect((await at.two.sessions.read('a'))?.activity).toMatchObject(working)
      const states = async () =>
        Object.fromEntries(
          (await at.two.sessions.list()).entries.map((entry) => [entry.session.id, entry.activity?.state]),
        )
      expect(await states()).toEqual({ a: 'working', b: 'unknown' })
      await at.one.sessions.change('a', (current) => {
        expect(current?.activity).toMatchObject(working)
        return current?.activity && { activity: { ...current.activity, evidence: 'looked' } }
      })
      // Written down once: neither the note that is still there nor its end changes anything.
      expect((await at.two.sessions.read('a'))?.activity).toMatchObject({ ...working, evidence: 'looked' })
      await at.two.hosts.endTurn('Key')
      expect((await at.one.sessions.read('a'))?.activity).toMatchObject({ ...working, evidence: 'looked' })
      expect(await states()).toEqual({ a: 'working', b: 'unknown' })
    })

    it('a turn that is forgotten before anyone wrote it down never was, and of a session without hooks there is none', async () => {
      const hooked = { host: { kind: 'k', hostKey: 'key', doors: [], hooked: true } } as const
      await at.one.sessions.change('a', () => ({ session: aSession('a', hooked), activity: anActivity('a') }))
      await make('key')
      await at.one.hosts.beginTurn('key')
      expect((await at.two.sessions.read('key'))?.activity).toEqual(anActivity('key'))
      expect((await at.two.sessions.read('a'))?.activity?.state).toBe('working')
      await at.one.hosts.endTurn('key')
      expect((await at.two.sessions.read('a'))?.activity).toEqual(anActivity('a'))
      const listed = (await at.two.sessions.list()).entries.map(({ activity }) => activity?.state)
      expect(listed).toEqual(['unknown', 'unknown'])
    })

    it('a change of one half keeps the other', async () => {
      await make('a')
      const activity = anActivity('a', { state: 'idle', activitySeq: 2 })
      await at.two.sessions.change('a', () => ({ activity }))
      await at.one.sessions.change('a', raised)
      expect(await at.two.sessions.read('a')).toEqual({ session: aSession('a', { statusSeq: 2 }), activity })
    })

    it('a decide that throws changes nothing, and the next change goes through', async () => {
      await make('a')
      const refused = at.one.sessions.change('a', () => {
        throw new Error('not this one')
      })
      await expect(refused).rejects.toThrow('not this one')
      expect((await at.two.sessions.read('a'))?.session.statusSeq).toBe(1)
      expect((await at.two.sessions.change('a', raised))?.session.statusSeq).toBe(2)
    })

    it('of 50 changes at once through two handles none is lost', async () => {
      await make('a')
      const both = [at.one, at.two]
      await Promise.all(Array.from({ length: 50 }, (_, i) => both[i % 2]?.sessions.change('a', raised)))
      expect((await at.one.sessions.read('a'))?.session.statusSeq).toBe(51)
      expect((await at.two.sessions.list()).entries[0]?.session.statusSeq).toBe(51)
    })

    it('fields of a newer version survive a change by one that does not know them', async () => {
      const newer = { ...aSession('a'), phase: 'plan', deep: { list: [1, { x: null }] } }
      const activity = { ...anActivity('a'), mood: 'calm' }
      await at.one.sessions.change('a', () => ({
        session: { ...newer, host: { ...newer.host, window: '%7' } } as Session,
        activity,
      }))
      await at.two.sessions.change('a', raised)
      const entry = await at.one.sessions.read('a')
      expect(entry?.session).toMatchObject({ phase: 'plan', deep: newer.deep, host: { window: '%7' }, statusSeq: 2 })
      expect(entry?.activity).toMatchObject({ mood: 'calm' })
    })

    it('a list shows both halves of every session, as they are now', async () => {
      await make('a')
      await at.two.sessions.change('b', () => ({ session: aSession('b') }))
      await at.one.sessions.list()
      await at.two.sessions.change('a', raised)
      const { entries, skipped } = await at.one.sessions.list()
      expect(skipped).toEqual([])
      expect([...entries].sort((x, y) => (x.session.id < y.session.id ? -1 : 1))).toEqual([
        { session: aSession('a', { statusSeq: 2 }), activity: anActivity('a') },
        { session: aSession('b'), activity: undefined },
      ])
    })

    it('C142 ids that differ in case alone are different sessions', async () => {
      const ids = ['ab', 'Ab', 'aB', 'AB']
      for (const id of ids) await make(id)
      await at.two.sessions.change('Ab', raised)
      for (const id of ids) expect((await at.two.sessions.read(id))?.session).toMatchObject({ id })
      expect((await at.one.sessions.read('ab'))?.session.statusSeq).toBe(1)
      expect((await at.one.sessions.list()).entries.map((entry) => entry.session.id).sort()).toEqual([...ids].sort())
      expect(await at.one.sessions.remove('AB', () => false)).toBe(true)
      expect((await at.two.sessions.list()).entries).toHaveLength(3)
    })

    it('C148 an id that is a word of the language is an id like any other', async () => {
      for (const id of ['constructor', 'toString', 'valueOf', 'hasOwnProperty']) {
        expect(await at.one.sessions.read(id)).toBeUndefined()
        await make(id)
        expect((await at.two.sessions.read(id))?.session.id).toBe(id)
      }
    })

    it('a removed session is gone with its observations; removing it again is no fault', async () => {
      await make('a')
      await make('b')
      expect(await at.one.sessions.remove('a', () => false)).toBe(true)
      expect(await at.two.sessions.read('a')).toBeUndefined()
      expect((await at.two.sessions.list()).entries).toHaveLength(1)
      expect(await at.two.sessions.remove('a', () => false)).toBe(true)
      await at.one.sessions.change('a', () => ({ session: aSession('a') }))
      expect((await at.one.sessions.read('a'))?.activity).toBeUndefined()
    })

    it('a session that came back to life is not removed: it is asked about the newest record', async () => {
      await make('a')
      await at.two.sessions.change('a', raised)
      const asked: number[] = []
      const removed = await at.one.sessions.remove('a', ({ session }) => {
        asked.push(session.statusSeq)
        return true
      })
      expect(removed).toBe(false)
      expect(asked).toEqual([2])
      expect((await at.two.sessions.read('a'))?.session.statusSeq).toBe(2)
    })

    it('a watcher hears of a change by another handle, and of nothing once it is closed', async () => {
      const heard: (string | undefined)[] = []
      const deaf: unknown[] = []
      await make('a')
      at.one.sessions.watch((id) => deaf.push(id)).close()
      const watch = at.one.sessions.watch((id) => heard.push(id))
      try {
        await at.two.sessions.change('a', raised)
        await expect.poll(() => heard.some((id) => id === 'a' || id === undefined)).toBe(true)
        expect(deaf).toEqual([])
      } finally {
        watch.close()
      }
    })

    const outside = [
      '',
      '.',
      '..',
      '../../evil',
      '..\\..\\evil',
      '/abs/evil',
      'a/../../evil',
      '%2e%2e/evil',
      'a.',
      'a ',
    ]
    it.each([...outside, 'agent:main:probe', 'nul', 'CON', '__proto__', 'x'.repeat(129)])(
      'C142 C146 %j is no id: every method refuses it',
      async (id) => {
        const { sessions, inbox, sent, follow } = at.one
        const calls = [
          () => sessions.read(id),
          () => sessions.change(id, () => ({ session: aSession(id), activity: anActivity(id) })),
          () => sessions.remove(id, () => false),
          () => inbox.deliver(aMessage(id, 1)),
          () => inbox.claim(id, aMessage(id, 1).id),
          () => inbox.unread(id),
          () => sent.record(aSent(id, 1)),
          () => sent.setWakes(id, {}),
          () => follow.add('a', id),
          () => at.one.shown.change(id, (shown) => ({ ...shown, holds: 1 })),
          () => at.one.hosts.touchWake(id),
          () => at.one.hosts.mark(id),
        ]
        for (const call of calls) await expect(call(), call.toString()).rejects.toThrow()
        expect((await sessions.list()).entries).toEqual([])
        expect(await inbox.owners()).toEqual([])
        expect(await sent.owners()).toEqual([])
      },
    )
  })
}
