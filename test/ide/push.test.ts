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
    'C103: %s reaches idle, working, completed and gone as it says; the message is stored in any case',
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

  it('C099: a line of several lines is one prompt, with all of them on one line', async () => {
    const ide = await two()
    await send(ide, 'Review', { activationMessage: 'first\nsecond\n\nthird\r\n\tfourth' })
    const tab = await until('it was pushed', async () => {
      const now = await ide.tab('Review')
      return now.state === 'idle' && pushes(now).length > 0 && now
    })
    expect(pushes(tab)).toHaveLength(1)
    expect(pushes(tab)[0]?.text).toMatch(/: "first second third fourth"$/)
  })

  it('C105: two tabs that answer every message stop after six wakes, and the mail is still there', async () => {
    const ide = await two()
    const answering = Array.from({ length: 20 }, () => [
      call('read_inbox'),
      call('send_message', { to: '$other', content: 'ok' }),
      { say: 'Answered.' },
    ])
    for (const [tab, other] of [
      ['Shop', 'Review'],
      ['Review', 'Shop'],
    ] as const) {
      const steps = answering.flat().map((step) => ('call' in step ? { ...step, args: named(step.args, other) } : step))
      await ide.script(tab, ...steps)
    }
    await ide.type('Shop', 'Write to Review, and answer it from then on.')
    const wakes = await until('nobody is woken any more', async () => {
      const { tabs } = await ide.desk()
      const isQuiet = tabs.every(({ state, waiting }) => state === 'idle' && waiting.length === 0)
      const unread = ide.shell<{ sessions: { unread: number }[] }>('list').sessions.map((row) => row.unread)
      return isQuiet && unread.some((count) => count > 0) && tabs.map((tab) => pushes(tab).length)
    })
    for (const count of wakes) expect(count).toBeLessThanOrEqual(6)
    expect(Math.max(...wakes)).toBe(6)
  })
})

function named(args: Record<string, unknown> = {}, other: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, value === '$other' ? other : value]))
}
