/** Two windows of one IDE on one bus, each a process with tabs of its own: none is asked for what only the other can do. */
import { describe, expect, it } from 'vitest'
import type { ManageAnswer } from '../../src/core/answers-actions.ts'
import type { SendAnswer } from '../../src/lib.ts'
import { makePlace } from '../processes/lab/place.ts'
import { until } from '../processes/lab/until.ts'
import { call, performed, pushes, register, waiting } from './driven.ts'
import { type Ide, lastResult, openIde } from './ide.ts'

async function twoWindows(): Promise<readonly [Ide, Ide]> {
  const place = makePlace('windows')
  const windows = [await openIde({ place }), await openIde({ place })] as const
  for (const [n, ide] of windows.entries()) {
    for (const name of ['one', 'two']) {
      // The ids of an IDE's tabs are its own in all windows.
      await ide.open(`${name} ${n}`, { id: `window-${n}-${name}` })
      await ide.type(`${name} ${n}`, 'Register.', register('works'))
    }
  }
  return windows
}

const manage = async (ide: Ide, from: string, session: string, operation: string, more = {}) =>
  lastResult<ManageAnswer>(await ide.type(from, operation, call('manage_session', { session, operation, ...more })))
    .action

describe('a tab of another window', () => {
  it('is not asked for anything: no window performs it, none notes it as done, and the answer says why', async () => {
    const [here, there] = await twoWindows()
    for (const [operation, more] of [
      ['switch', {}],
      ['close', {}],
      ['set_model', { model: 'model-7' }],
      ['set_input', { text: 'look' }],
    ] as const) {
      expect(await manage(here, 'one 0', 'two 1', operation, more)).toMatchObject({
        kind: operation,
        state: 'unsupported',
        evidence: `msun performs actions only for tabs of the same window, and this one is in that of process ${there.pid}`,
      })
    }
    for (const ide of [here, there]) expect(await performed(ide)).toEqual([])
    expect(await there.tab('two 1')).toMatchObject({ model: 'model-1', input: '' })
    expect(here.shell<{ model?: string }>('show', 'two 1').model).toBe('model-1')
  })

  it('gets mail that waits for its next turn, and the sender is told so', async () => {
    const [here, there] = await twoWindows()
    const asked = call('send_message', { to: 'two 1', content: 'The whole text.', activate: 'always' })
    const { to } = lastResult<SendAnswer>(await here.type('one 0', 'Write.', asked))
    expect(to).toMatchObject([{ stored: true, wake: { outcome: 'unavailable' } }])
    for (const ide of [here, there]) expect(await performed(ide)).toEqual([])
    expect(pushes(await there.tab('two 1'))).toEqual([])
    const read = lastResult<{ messages: object[] }>(await there.type('two 1', 'Mail?', call('read_inbox')))
    expect(read.messages).toMatchObject([{ content: 'The whole text.' }])
  })
})

describe('each window', () => {
  it('performs what its own tabs ask of each other, also at the same time as the other', async () => {
    const windows = await twoWindows()
    const done = await Promise.all(
      windows.map(async (ide, n) => {
        const answers = []
        for (const operation of ['pin', 'switch', 'unpin'])
          answers.push(await manage(ide, `one ${n}`, `two ${n}`, operation))
        return answers.map(({ id }) => id)
      }),
    )
    for (const [n, ide] of windows.entries()) {
      expect(await performed(ide)).toEqual(
        ['pin', 'switch', 'unpin'].map((type, at) => ({ id: done[n]?.[at], type, sessionId: `window-${n}-two` })),
      )
      expect(waiting(ide)).toEqual([])
    }
  })

  it('opens new tabs in itself', async () => {
    const windows = await twoWindows()
    const [here, there] = windows
    await there.type('one 1', 'Open.', call('create_session', { prompt: 'Help.', name: 'helper' }))
    await until('it is there', async () => (await there.desk()).tabs.some(({ title }) => title === 'helper'))
    expect((await here.desk()).tabs).toHaveLength(2)
    expect((await performed(here)).length).toBe(0)
  })

  it('that took over a tab of one that was closed is asked from its next turn on', async () => {
    const [here, there] = await twoWindows()
    there.kill()
    await here.open('two 1', { id: 'window-1-two' })
    await here.type('two 1', 'Go on.', call('list_sessions'))
    expect(await manage(here, 'one 0', 'two 1', 'pin')).toMatchObject({ state: 'requested' })
    expect((await here.tab('two 1')).isPinned).toBe(true)
  })
})
