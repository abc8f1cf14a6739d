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
import { openBus } from '../../../src/open.ts'
import { anActivity, aSession } from '../../contract/records.ts'

const SESSIONS = 1_000
const home = mkdtempSync(path.join(os.tmpdir(), 'session-mcp-look-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

async function median(run: () => unknown, times: number): Promise<number> {
  const took: number[] = []
  for (let n = 0; n < times; n++) {
    const startedMs = performance.now()
    await run()
    took.push(performance.now() - startedMs)
  }
  return took.sort((a, b) => a - b)[times >> 1] ?? Number.NaN
}

describe('a look at a bus of 1 000 sessions', () => {
  it('with the drawing of it costs less than three quarters of listing them', { timeout: 60_000 }, async () => {
    const { bus, store, close } = await openBus({ home, durability: 'process' })
    for (let n = 0; n < SESSIONS; n++) {
      const id = `s-${n}`
      const session = { ...aSession(id), name: `session-${n}`, projectPath: `${home}/p${n % 9}`, ttl: '3650d' }
      await store.sessions.change(id, () => ({ session, activity: anActivity(id) }))
      if (n % 50 === 0) await bus.send(HUMAN, { to: [id], content: 'hello' })
    }
    const view = { columns: 120, paint: createPaint(true), nowMs: Date.now(), userHome: os.homedir() }
    let state: State = startState({ size: { columns: 120, rows: 50 }, version: '1.2.3', home, you: undefined })
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
    const listed = await median(() => allSessions(bus, HUMAN, { limit: 200 }), 5)
    expect((await median(lookAndDraw, 15)) / listed).toBeLessThan(0.75)
    close()
  })
})
