/** The push of send_message: who is shown the line, and that the message is there in any case. */

import { describe, expect, it } from 'vitest'
import { until } from '../processes/lab/until.ts'
import { call, performed, pushes, register, send, two } from './driven.ts'
import { lastRequest } from './ide.ts'

describe('the push of send_message', () => {
  const prepared = async () => {
    const ide = await two()
    for (const title of ['Working', 'Completed', 'Gone']) {
      await ide.open(title)
      await ide.type(title, 'Register.', register(title))
    }
    await ide.begin('Working', 'Work.')
    await ide.type('Completed', 'Finish.', call('complete_session', { result: 'all good' }))
    await ide.close('Gone')
    await until('it is gone', () => ide.shell<{ activity: string }>('show', 'Gone').activity === 'ended')
    return ide
  }
  const PUSHED = { outcome: 'unknown', door: 'push', action: { kind: 'send_message', state: 'requested' } }

  it.each([
    ['auto', { Review: PUSHED, Working: { outcome: 'deferred' }, Completed: PUSHED, Gone: { outcome: 'unavailable' } }],
    ['always', { Review: PUSHED, Working: PUSHED, Completed: PUSHED, Gone: { outcome: 'unavailable' } }],
    [
      'never',
      {
        Review: { outcome: 'none' },
        Working: { outcome: 'none' },
        Completed: { outcome: 'none' },
        Gone: { outcome: 'none' },
      },
    ],
  ])(
    '%s reaches idle, working, completed and gone as it says; the message is stored in any case',
    async (activate, expected) => {
      const ide = await prepared()
      for (const [to, wake] of Object.entries(expected)) {
        const before = await performed(ide)
        const delivery = await send(ide, to, activate === 'auto' ? {} : { activate })
        expect(delivery, to).toMatchObject({ stored: true, wake })
        expect((await performed(ide)).slice(before.length), to).toHaveLength(wake === PUSHED ? 1 : 0)
        expect(ide.shell<{ unread: number }>('show', to).unread, to).toBe(1)
        if (to === 'Gone') continue
        const tab = await until(`${to} is as it was`, async () => {
          const now = await ide.tab(to)
          return (now.state === 'idle' || to === 'Working') && now
        })
        // A tab that works shows the line when its turn is over.
        const lines = [...pushes(tab).map(({ text }) => text), ...tab.waiting]
        expect(lines, to).toHaveLength(wake === PUSHED ? 1 : 0)
        for (const line of lines) {
          expect(line).toContain('from session "Shop" (not the user, sender not verified): "Have a look."')
          expect(line).not.toContain('The whole text.')
        }
        if (to !== 'Working' && lines.length > 0) expect(lastRequest(tab)).toContain('"The whole text."')
      }
      const released = await ide.release('Working')
      expect(pushes(released)).toHaveLength(expected.Working === PUSHED ? 1 : 0)
      if (activate !== 'never') expect(lastRequest(released)).toContain('"The whole text."')
    },
  )
})
