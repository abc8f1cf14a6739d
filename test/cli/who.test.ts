import { describe, expect, it } from 'vitest'
import { actingCaller, closingCaller, onBehalfOf, type Surroundings, shellOf as shellAmong } from '../../src/cli/who.ts'
import { HUMAN } from '../../src/core/caller.ts'
import type { Listing, ProcessRef } from '../../src/core/ports.ts'
import { decodeSession, type Session } from '../../src/core/session.ts'

const process = (pid: number, start = String(pid)): ProcessRef => ({ pid, start, boot: 'b', ns: 'n', node: 'm' })

function session(id: string, client: ProcessRef | undefined, more: Partial<Session> = {}): Session {
  const times = { createdAt: '2026-11-30T12:00:00.000Z', updatedAt: '2026-11-30T12:00:00.000Z', ttl: '4h' }
  const host = { kind: 'claude-code', hostKey: id, doors: ['door'], ...(client && { client }) }
  return decodeSession({ id, task: 't', projectPath: '/p', status: 'active', ...times, host, ...more })
}

const listing = (...sessions: Session[]): Listing => ({
  entries: sessions.map((s) => ({ session: s, activity: undefined })),
  skipped: [],
})

const shellOf = (sessions: Listing, ancestors: readonly ProcessRef[], more: Partial<Surroundings> = {}) =>
  shellAmong(sessions, { ancestors, signs: [], isSeen: () => false, ...more })

const shell = process(30)
const agent = process(20)
const outer = process(10)

describe('shellOf', () => {
  it('is the session whose client is an ancestor', () => {
    const mine = session('mine', agent)
    const found = shellOf(listing(session('other', process(99)), mine), [shell, agent, outer])
    expect(found.session?.id).toBe('mine')
    expect(found.caller).toMatchObject({
      kind: 'session',
      id: 'mine',
      verified: true,
      host: { kind: 'claude-code', client: agent, doors: ['door'] },
    })
  })

  it('is the person where no session is an ancestor, or only closed ones', () => {
    expect(shellOf(listing(session('other', process(99))), [shell]).caller).toBe(HUMAN)
    expect(shellOf(listing(session('unknown', undefined)), [shell]).caller).toBe(HUMAN)
    const closed = session('closed', agent, { closedAt: '2026-11-30T12:00:00.000Z' })
    expect(shellOf(listing(closed), [shell, agent]).caller).toBe(HUMAN)
  })

  it('is the inner agent inside a nested one', () => {
    const found = shellOf(listing(session('outer', outer), session('inner', agent)), [shell, agent, outer])
    expect(found.session?.id).toBe('inner')
  })

  it('takes no pid for a process: start, boot and namespace must agree', () => {
    const ancestors = [agent]
    for (const client of [
      process(20, 'later'),
      { ...agent, boot: 'another' },
      { ...agent, ns: 'another' },
      { ...agent, node: 'another' },
      { pid: 20 },
    ]) {
      expect(shellOf(listing(session('mine', client)), ancestors).caller).toBe(HUMAN)
    }
  })

  describe('where a client has several open sessions', () => {
    const tabs = listing(session('tab-1', agent), session('tab-2', agent, { name: 'reviewer' }))

    it('may look as nobody in particular, but not act', () => {
      const found = shellOf(tabs, [shell, agent])
      expect(found.session).toBeUndefined()
      expect(() => actingCaller(found)).toThrow(/2 open sessions: tab-1 and reviewer/)
    })

    it('--session-id says which', () => {
      const found = shellOf(tabs, [agent], { wanted: { sessionId: 'tab-2', isFlag: true } })
      expect(found.session?.id).toBe('tab-2')
      expect(actingCaller(found)).toBe(found.caller)
    })
  })

  it('--session-id makes nobody somebody else; a variable left over from elsewhere is no claim', () => {
    const other = listing(session('other', process(99)), session('mine', agent))
    expect(() => shellOf(other, [agent], { wanted: { sessionId: 'other', isFlag: true } })).toThrow(
      /not run inside the session "other"/,
    )
    expect(shellOf(other, [agent], { wanted: { sessionId: 'other', isFlag: false } }).session?.id).toBe('mine')
  })
})

describe('a shell whose ancestors lead to no session', () => {
  const sign = { kind: 'claude-code', by: 'claude-code', variable: 'CLAUDECODE' }
  const mine = session('mine', agent)
  const other = session('other', process(99))

  it('is that of the session its host names there, which is not verified by it', () => {
    const found = shellOf(listing(other, mine), [shell], { signs: [{ ...sign, sessionId: 'mine' }] })
    expect(found.session?.id).toBe('mine')
    expect(actingCaller(found)).toMatchObject({ kind: 'session', id: 'mine', verified: false })
  })

  it('is nobody where that leads to none that is open, or to one of another host', () => {
    const closed = session('closed', agent, { closedAt: '2026-11-30T12:00:00.000Z' })
    const elsewhere = { ...mine, host: { ...mine.host, kind: 'codex' } }
    for (const [sessions, sessionId] of [
      [listing(other), undefined],
      [listing(other), 'unheard-of'],
      [listing(closed), 'closed'],
      [listing(elsewhere), 'mine'],
    ] as const) {
      const found = shellOf(sessions, [shell], { signs: [{ ...sign, ...(sessionId && { sessionId }) }] })
      expect(found.caller.kind).toBe('nobody')
      expect(() => actingCaller(found)).toThrow(/that claude-code opened this shell .*CLAUDECODE is set/)
      expect(() => closingCaller(found, 'other', 'other', { session: other, activity: undefined })).toThrow(
        /does not speak as the person/,
      )
    }
  })

  it('has to say which it is where two hosts name one each', () => {
    const inner = { ...other, host: { ...other.host, kind: 'codex' } }
    const signs = [
      { ...sign, sessionId: 'mine' },
      { kind: 'codex', by: 'codex', variable: 'CODEX_THREAD_ID', sessionId: 'other' },
    ]
    const found = shellOf(listing(mine, inner), [], { signs })
    expect(found.caller.kind).toBe('nobody')
    expect(() => actingCaller(found)).toThrow(/2 open sessions/)
    const named = shellOf(listing(mine, inner), [], { signs, wanted: { sessionId: 'other', isFlag: true } })
    expect(named.caller).toMatchObject({ id: 'other', verified: false })
  })

  it('may say with --session-id which session of its host it is, but none that runs where it would be seen', () => {
    const wanted = { sessionId: 'other', isFlag: true }
    const found = shellOf(listing(other, mine), [shell], { signs: [sign], wanted })
    expect(found.caller).toMatchObject({ id: 'other', verified: false })
    expect(() => shellOf(listing(other), [shell], { signs: [sign], wanted, isSeen: () => true })).toThrow(
      /not run inside/,
    )
    expect(() => shellOf(listing(other), [shell], { signs: [{ ...sign, kind: 'gemini' }], wanted })).toThrow(
      /not run inside/,
    )
    expect(() => shellOf(listing(other), [shell], { wanted })).toThrow(/not run inside/)
  })

  it('is the nearest session all the same where an ancestor leads to one', () => {
    const found = shellOf(listing(other, mine), [shell, agent], { signs: [{ ...sign, sessionId: 'other' }] })
    expect(found.caller).toMatchObject({ id: 'mine', verified: true })
  })

  it('of a server with several sessions it is the one named there', () => {
    const tabs = listing(session('tab-1', agent), session('tab-2', agent))
    const found = shellOf(tabs, [agent], { signs: [{ ...sign, sessionId: 'tab-2' }] })
    expect(found.caller).toMatchObject({ id: 'tab-2', verified: true })
  })
})

describe('onBehalfOf', () => {
  it('is not vouched for and brings no host', () => {
    expect(onBehalfOf(session('a', agent))).toMatchObject({
      id: 'a',
      verified: false,
      host: { kind: 'cli', doors: [] },
    })
  })
})
