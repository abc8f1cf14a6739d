/** The entries of `__actions`: flat, with what their type takes and nothing else, as docs/plugins.md says. */

import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Action, type ActionKind, type ActionParams, OPERATIONS } from '../../src/core/action.ts'
import { pluginActionOf } from '../../src/hosts/ide-actions.ts'

const by = { id: 'tab-1', name: 'Shop' }
const action = (kind: ActionKind, params: ActionParams = {}): Action => ({
  id: 'act-0123456789',
  kind,
  executor: 'msun',
  by,
  requestedAt: '2026-11-30T12:00:00.000Z',
  target: { id: 'ses-1', name: 'Review', hostKind: 'msun', hostSessionId: 'tab-2' },
  params,
  state: 'requested',
})

describe('an entry', () => {
  const base = { id: 'act-0123456789', sessionId: 'tab-2', by }
  it.each<[ActionKind, ActionParams, object]>([
    ['switch', {}, {}],
    ['close', {}, {}],
    ['cancel', {}, {}],
    ['pin', {}, {}],
    ['unpin', {}, {}],
    ['set_model', { model: 'm' }, { model: 'm' }],
    ['set_scene', { scene: 's' }, { scene: 's' }],
    ['rename', { name: 'n' }, { name: 'n' }],
    ['send_message', { text: 'a\nb' }, { text: 'a\nb' }],
    ['set_input', { text: 'a\nb' }, { text: '[from session Shop] a\nb' }],
  ])('of %s has the tab in the IDE’s own id, who asked, and %j', (kind, params, more) => {
    expect(pluginActionOf(action(kind, params))).toEqual({ ...base, type: kind, ...more })
  })

  it('of a create has all of the new tab, and not the token by itself', () => {
    const asked = { prompt: 'p', name: 'n', model: 'm', scene: 's', projectPath: '/p' }
    const made = pluginActionOf(action('create', { ...asked, host: 'msun', spawn: 'ses-1.x' }))
    expect(made).toEqual({ ...base, type: 'create_session', ...asked })
  })

  it('of a person’s words says whose they are', () => {
    const typed = { ...action('set_input', { text: 'x' }), by: { id: 'human', name: 'human' } }
    expect(pluginActionOf(typed).text).toBe('[from the person at this machine] x')
  })
})

it('each type is in the table of docs/plugins.md', () => {
  const [, page = ''] = fs.readFileSync('docs/plugins.md', 'utf8').split('### `__actions`')
  const rows = page.split('\n').filter((line) => line.startsWith('| `'))
  for (const type of ['create_session', ...OPERATIONS]) {
    expect(
      rows.filter((row) => (row.split('|')[1] ?? '').includes(`\`${type}\``)),
      type,
    ).toHaveLength(1)
  }
})
