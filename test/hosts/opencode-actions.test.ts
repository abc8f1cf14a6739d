/** What OpenCode's client answers, and what is made of it. The calls themselves are tried in test/e2e/opencode-actions.test.ts. */
import { describe, expect, it } from 'vitest'
import { type Operation, performOpenCode } from '../../src/hosts/opencode/actions.ts'

const SESSION = { id: 'ses_1', agent: 'plan', title: 'before', model: { id: 'm', providerID: 'p' } }
const calls: string[] = []
const answering = (session: Record<string, unknown>, more: Record<string, unknown> = {}) => {
  calls.length = 0
  const answer =
    (name: string, data: unknown = true) =>
    async () => {
      calls.push(name)
      return { data }
    }
  return {
    session: {
      get: async ({ path }: { path: { id: string } }) =>
        path.id === session['id'] ? { data: session } : { error: {} },
      update: answer('update'),
      abort: answer('abort'),
      status: answer('status', {}),
      promptAsync: answer('promptAsync'),
      ...more,
    },
    config: { providers: answer('providers', { providers: [{ id: 'p', models: { m: {}, 'org/n': {} } }] }) },
    tui: { publish: answer('publish'), appendPrompt: answer('appendPrompt') },
  }
}

describe('an operation', () => {
  it('is done only where OpenCode shows afterwards that it is', async () => {
    for (const [operation, params] of [
      ['rename', { title: 'after' }],
      ['close', {}],
    ] as const) {
      expect(await performOpenCode(answering(SESSION), operation, { sessionId: 'ses_1', ...params })).toMatchObject({
        state: 'failed',
      })
    }
    const renamed = answering({ ...SESSION, title: 'after' })
    expect(await performOpenCode(renamed, 'rename', { sessionId: 'ses_1', title: 'after' })).toMatchObject({
      state: 'done',
    })
    const archived = answering({ ...SESSION, time: { archived: 5 } })
    expect(await performOpenCode(archived, 'close', { sessionId: 'ses_1' })).toMatchObject({ state: 'done' })
    expect(calls).not.toContain('abort')
  })

  it('on a session that is not there, or with nothing to do it with, fails and does nothing', async () => {
    const client = answering(SESSION)
    for (const operation of ['switch', 'close', 'cancel', 'rename', 'send_message', 'set_input'] as const) {
      expect(await performOpenCode(client, operation, { sessionId: 'ses_x' })).toMatchObject({ state: 'failed' })
      expect(await performOpenCode({}, operation, { sessionId: 'ses_1' })).toMatchObject({ state: 'failed' })
    }
    for (const operation of ['rename', 'send_message', 'set_input'] as const)
      expect(await performOpenCode(client, operation, { sessionId: 'ses_1' })).toMatchObject({ state: 'failed' })
    expect(calls).toEqual([])
  })

  it('that this host does not have is unsupported, with what a person can do', async () => {
    const client = answering(SESSION)
    const on = (operation: string, more = {}) =>
      performOpenCode(client, operation as Operation, { sessionId: 'ses_1', ...more })
    for (const operation of ['pin', 'unpin', 'set_scene', 'constructor', 'x'])
      expect(await on(operation)).toMatchObject({ state: 'unsupported' })
    expect((await on('pin')).evidence).toContain('ctrl+f')
    expect(await on('switch', { hasTerminal: false })).toMatchObject({
      state: 'unsupported',
      evidence: expect.stringContaining('opencode attach'),
    })
    expect(await on('set_model', { hasTerminal: true, model: 'p/m' })).toMatchObject({
      state: 'unsupported',
      evidence: expect.stringContaining('/models'),
    })
    expect(calls).toEqual([])
  })

  it('with a model OpenCode does not have makes nothing', async () => {
    const client = answering(SESSION, { create: async () => calls.push('create') })
    expect(await performOpenCode(client, 'create', { model: 'p/x', text: 'go' })).toEqual({
      state: 'failed',
      evidence: 'OpenCode has no model "p/x". It has p/m, p/org/n.',
    })
    expect(calls).toEqual(['providers'])
  })

  it('says which session it made, also where its prompt was refused', async () => {
    const refusing = answering(SESSION, {
      create: async () => ({ data: { id: 'ses_2' } }),
      promptAsync: async () => ({ error: { name: 'BadRequest' } }),
    })
    expect(await performOpenCode(refusing, 'create', { text: 'go' })).toMatchObject({
      state: 'failed',
      sessionId: 'ses_2',
      evidence: expect.stringContaining('BadRequest'),
    })
  })
})
