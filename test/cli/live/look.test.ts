import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { frameOf } from '../../../src/cli/live/frame.ts'
import { look } from '../../../src/cli/live/look.ts'
import { type State, startState } from '../../../src/cli/live/state.ts'
import { inView, update } from '../../../src/cli/live/update.ts'
import { createPaint } from '../../../src/cli/paint.ts'
import { allSessions } from '../../../src/cli/session-rows.ts'
import { HUMAN } from '../../../src/core/caller.ts'
import type { Store } from '../../../src/core/ports.ts'
import { openBus } from '../../../src/open.ts'
import { anActivity, aSession } from '../../contract/records.ts'

const SESSIONS = 200
const home = mkdtempSync(path.join(os.tmpdir(), 'session-mcp-look-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** Counts every call of every method of every port, by its name. */
function counted(store: Store): () => Record<string, number> {
  let calls: Record<string, number> = {}
  for (const [port, methods] of Object.entries(store)) {
    if (typeof methods !== 'object') continue
    for (const [name, method] of Object.entries(methods)) {
      if (typeof method !== 'function') continue
      Object.assign(methods, {
        [name](...args: unknown[]) {
          const called = `${port}.${name}`
          calls[called] = (calls[called] ?? 0) + 1
          return method.apply(methods, args)
        },
      })
    }
  }
  return () => {
    const before = calls
    calls = {}
    return before
  }
}

describe('a look at a bus of 200 sessions', () => {
  it('reads the records once, and only the mail of those on the screen and the person’s own', async () => {
    const { bus, store, close } = await openBus({ home, durability: 'process' })
    for (let n = 0; n < SESSIONS; n++) {
      const id = `s-${n}`
      const session = { ...aSession(id), name: `session-${n}`, projectPath: `${home}/p${n % 9}`, ttl: '3650d' }
      await store.sessions.change(id, () => ({ session, activity: anActivity(id) }))
      if (n % 10 === 0) await bus.send(HUMAN, { to: [id], content: 'hello' })
    }
    const view = { columns: 120, paint: createPaint(true), nowMs: Date.now(), userHome: os.homedir() }
    let state: State = startState({
      size: { columns: 120, rows: 50 },
      version: '1.2.3',
      home,
      you: undefined,
      isNarrowed: false,
    })
    const asked = { bus, caller: HUMAN, acting: () => HUMAN, filter: {}, told: String }
    const lookAndDraw = async () => {
      state = update(state, { kind: 'looked', looked: await look(asked, state, inView(state)) }, view).state
      return frameOf(state, view)
    }
    await lookAndDraw()
    const { lines } = await lookAndDraw()
    expect(lines[0]).toContain(`${SESSIONS} sessions: ${SESSIONS} running`)
    // Mail is counted for what is on the screen, and for nothing else.
    expect(state.mailOf.size).toBe(inView(state).length)
    const calls = counted(store)
    await lookAndDraw()
    const { 'sessions.list': lists, 'inbox.unread': counts, 'inbox.find': found, ...others } = calls()
    expect({ lists, counts, others }).toEqual({ lists: 1, counts: inView(state).length + 1, others: {} })
    // How old the oldest is, of those that have any.
    expect(found).toBeLessThanOrEqual(inView(state).length)
    // A list, which has the mail of everyone, goes to every inbox; so the count sees who does.
    await allSessions(bus, HUMAN, { limit: 200 })
    expect(calls()['inbox.unread']).toBeGreaterThanOrEqual(SESSIONS)
    close()
  })
})
