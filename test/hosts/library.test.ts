/** The host plugin that a program gets from the library, on files. */

import { expect, it, onTestFinished } from 'vitest'
import { type HostTraits, openBus } from '../../src/lib.ts'
import { makePlace } from '../processes/lab/place.ts'

it('gives a host that performs actions what its tools asked for, once, and any other host none', async () => {
  const place = makePlace('library')
  const { hostPlugin, store, close } = await openBus({ home: place.home })
  onTestFinished(() => {
    close()
    place.remove()
  })
  const traits: HostTraits = { kind: 'my-ide', injection: 'per-request', doors: [] }
  const conversation = { hostKey: 'tab-1', projectPath: place.directory }
  const action = {
    id: 'act-0123456789',
    kind: 'switch',
    executor: 'my-ide',
    by: { id: 'tab-1', name: 'x' },
    requestedAt: new Date().toISOString(),
    target: { id: 'tab-2', hostKind: 'my-ide', hostSessionId: 'tab-2' },
    params: {},
    state: 'requested',
  } as const
  await store.actions.request(action)
  const result = { tool: 'manage_session', result: { action: { id: action.id } } }
  expect((await hostPlugin(traits).onToolResult(conversation, result))?.actions).toBeUndefined()
  const performs = hostPlugin({ ...traits, executor: { id: 'my-ide', watches: false, kinds: ['switch'] } })
  const reply = await performs.onToolResult(conversation, result)
  expect(reply).toMatchObject({ actions: [{ id: action.id }], injection: { text: expect.stringContaining('tab-1') } })
  expect((await performs.onToolResult(conversation, result))?.actions).toBeUndefined()
})
