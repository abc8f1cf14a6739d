/** session-manager-bridge in the reference IDE: what a tool asks for happens to real tabs. */

import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CreateAnswer } from '../../src/core/answers-actions.ts'
import { until } from '../processes/lab/until.ts'
import { call, manage, performed, pushes, register, two, waiting } from './driven.ts'
import { lastRequest, lastResult } from './ide.ts'
import type { Tab } from './tabs.ts'

describe('manage_session', () => {
  it('does each of its operations to the tab, once, and says that it was handed over', async () => {
    const ide = await two()
    const { id } = await ide.tab('Review')
    const steps: [string, object, (tab: Tab) => unknown][] = [
      ['set_model', { model: 'model-7' }, ({ model }) => expect(model).toBe('model-7')],
      ['set_scene', { scene: 'code review' }, ({ scene }) => expect(scene).toBe('code review')],
      [
        'set_input',
        { text: 'Look at\ncart.ts' },
        (tab) => expect(tab.input).toBe('[from session Shop] Look at\ncart.ts'),
      ],
      ['pin', {}, ({ isPinned }) => expect(isPinned).toBe(true)],
      ['unpin', {}, ({ isPinned }) => expect(isPinned).toBe(false)],
      ['rename', { name: 'Reviewer' }, ({ title }) => expect(title).toBe('Reviewer')],
    ]
    const turns = (await ide.tab('Review')).requests.length
    for (const [operation, more, holds] of steps) {
      const { action } = await manage(ide, operation, more)
      expect(action).toMatchObject({ kind: operation, id: expect.stringMatching(/^act-/) })
      expect((await performed(ide)).at(-1)).toEqual({ id: action.id, type: operation, sessionId: id })
      holds(await ide.tab(id))
    }
    // The name on the bus went with it; the old one still finds it.
    expect(ide.shell<{ name: string }>('show', 'Review').name).toBe('Reviewer')
    expect((await ide.desk()).active).toBe(id)
    await ide.open('Notes')
    await manage(ide, 'switch')
    expect((await ide.desk()).active).toBe(id)
    expect(await performed(ide)).toHaveLength(steps.length + 1)
    // None of it typed anything into a turn.
    expect((await ide.tab(id)).requests).toHaveLength(turns)
    expect(waiting(ide)).toEqual([])
    const requests = (await ide.type(id, 'Hello.', call('list_sessions'))).requests.slice(-2)
    for (const system of requests) expect(system).toContain('runs with scene "code review" and model "model-7"')
    expect(ide.shell('show', id)).toMatchObject({ scene: 'code review', model: 'model-7' })
  })

  it('cancels the turn of a tab that works, and leaves it idle', async () => {
    const ide = await two()
    await ide.begin('Review', 'Work.')
    expect((await manage(ide, 'cancel')).action).toMatchObject({ kind: 'cancel' })
    await until('it is idle', async () => (await ide.tab('Review')).state === 'idle')
    await until('its end was noted', () => ide.shell<{ activity: string }>('show', 'Review').activity === 'idle')
    expect((await ide.tab('Review')).isCancelled).toBe(true)
  })

  it('closes a tab: its session has ended, and nothing more can be done to it', async () => {
    const ide = await two()
    const { id } = await ide.tab('Review')
    await manage(ide, 'close')
    await until('it is closed', async () => (await ide.desk()).tabs.every((tab) => tab.id !== id))
    await until('its end was noted', () => ide.shell<{ activity: string }>('show', 'Review').activity === 'ended')
    const before = await performed(ide)
    expect((await manage(ide, 'switch')).action).toMatchObject({
      state: 'failed',
      evidence: expect.stringMatching(/has no tab any more: (closed by Shop|session end)/),
    })
    expect(await performed(ide)).toEqual(before)
  })

  it('send_message shows a line in the tab, also in the middle of its turn, and its turn follows', async () => {
    const ide = await two()
    await ide.begin('Review', 'Work.')
    const answer = await manage(ide, 'send_message', { text: 'Stop at cart.ts.' })
    expect(answer.action).toMatchObject({ kind: 'send_message', state: 'requested' })
    expect((await performed(ide)).at(-1)).toMatchObject({ type: 'send_message' })
    await ide.script('Review', { say: 'Working.' }, call('read_inbox'))
    const tab = await ide.release('Review')
    expect(pushes(tab)).toHaveLength(1)
    expect(lastResult<{ messages: object[] }>(tab).messages).toMatchObject([{ content: 'Stop at cart.ts.' }])
    const asked = await ide.type('Shop', 'Was it read?', call('message_status', { messageId: answer.messageId }))
    expect(lastResult<{ recipients: object[] }>(asked).recipients).toMatchObject([
      { turnStartedAt: expect.any(String), readAt: expect.any(String) },
    ])
  })
})

describe('create_session', () => {
  it.each([
    ['keeps an id of its own: the line at the end of its prompt names the record', false],
    ['takes over the id that came with the action', true],
  ])(
    'C109 C151: opens a tab in its folder that becomes its record and answers its creator, where the tab %s',
    async (_, takesIds) => {
      const ide = await two({ takesIds })
      await ide.script(
        'cart helper',
        register('reviews the cart'),
        call('send_message', { to: 'Shop', content: 'Two findings.', activationMessage: 'I am done.' }),
        call('complete_session', { result: '2 findings' }),
      )
      const asked = {
        prompt: 'Review cart.ts; say "$(x)" `y`.',
        task: 'Review',
        name: 'cart helper',
        model: 'model-9',
        scene: 'deep review',
        projectPath: path.join(ide.userHome, 'other shop'),
      }
      const shop = await ide.type(
        'Shop',
        'Open a helper.',
        call('create_session', asked),
        { say: 'Opened.' },
        call('read_inbox'),
      )
      const answered = shop.chat.findLast(({ text }) => text.includes('"sessionId"'))?.text ?? '{}'
      const answer = (JSON.parse(answered) as { structuredContent: CreateAnswer }).structuredContent
      const done = await until('the helper is done', async () => {
        const { tabs } = await ide.desk()
        const tab = tabs.find(({ title }) => title === 'cart helper')
        return tab?.state === 'idle' && tab.chat.length > 1 && tab
      })
      expect(done.id === answer.sessionId).toBe(takesIds)
      expect(done).toMatchObject({ model: 'model-9', scene: 'deep review', projectPath: asked.projectPath })
      const [first] = done.chat
      expect(first).toMatchObject({ who: 'user', text: expect.stringContaining(asked.prompt) })
      expect(first?.text).toMatch(/^Session "Shop" opened this session through session-mcp and asks:/)
      for (const system of done.requests) expect(system).toContain(`"cart helper" (id ${answer.sessionId})`)
      expect(ide.shell('show', 'cart helper')).toMatchObject({
        id: answer.sessionId,
        host: 'msun',
        spawnedBy: shop.id,
        task: 'reviews the cart',
        result: '2 findings',
        opened: { state: 'done' },
      })
      expect(ide.shell<{ sessions: object[] }>('list').sessions).toHaveLength(3)
      // Its answer started a turn of its creator, which read it.
      const creator = await until('its creator has read the answer', async () => {
        const tab = await ide.tab('Shop')
        return tab.state === 'idle' && pushes(tab).length === 1 && tab
      })
      expect(pushes(creator)[0]?.text).toContain(
        'from session "cart helper" (not the user, sender not verified): "I am done."',
      )
      expect(lastResult<{ messages: object[] }>(creator).messages).toMatchObject([{ content: 'Two findings.' }])
      expect(lastRequest(await ide.type('Shop', 'And?'))).toContain(
        'Followed session "cart helper" is completed: "2 findings"',
      )
      // What it was opened with is steered like any other tab.
      await manage(ide, 'pin', {}, 'cart helper')
      expect((await ide.tab(done.id)).isPinned).toBe(true)
    },
  )
})

describe('two tabs', () => {
  it('hand over work and wait for it: send_message, wait_for_sessions, the answer', async () => {
    const ide = await two()
    await ide.script(
      'Review',
      call('read_inbox'),
      register('looks at cart.ts'),
      call('send_message', { to: 'Shop', content: 'Line 7 is wrong.', activate: 'never' }),
      call('complete_session', { result: 'one finding' }),
    )
    const shop = await ide.type(
      'Shop',
      'Have the cart reviewed.',
      call('send_message', { to: 'Review', content: 'Review cart.ts.', activationMessage: 'Work for you.' }),
      call('wait_for_sessions', { sessions: ['Review'] }),
      call('read_inbox'),
    )
    const [, waited, read] = shop.chat
      .filter(({ who }) => who === 'tool')
      .slice(-3)
      .map(({ text }) => (JSON.parse(text) as { structuredContent: object }).structuredContent)
    expect(waited).toMatchObject({
      done: true,
      sessions: [{ name: 'Review', finished: 'closed', result: 'one finding' }],
    })
    expect(read).toMatchObject({ messages: [{ content: 'Line 7 is wrong.' }] })
    const review = await ide.tab('Review')
    expect(pushes(review)).toHaveLength(1)
    expect(review.chat.find(({ text }) => text.includes('Review cart.ts.'))?.who).toBe('tool')
  })
})
