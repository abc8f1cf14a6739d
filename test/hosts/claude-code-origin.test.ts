/** Whose terminal and whose token the environment of a hook holds. */
import { expect, it } from 'vitest'
import { readPayload } from '../../src/hosts/claude-code/payload.ts'

const raw = { hook_event_name: 'SessionStart', session_id: 'a', cwd: '/p' }
const env = { TMUX: '/tmp/tmux/default,1,0', TMUX_PANE: '%3', SESSION_MCP_SPAWN: 'ses-a.x' }
const conversationOf = (more: Record<string, string>) =>
  readPayload(raw, { ...env, ...more }, { ancestors: () => [] })?.conversation

it('a session in a terminal has both from its environment', () => {
  expect(conversationOf({})).toMatchObject({ pane: '%3', terminal: '/tmp/tmux/default', spawn: 'ses-a.x' })
  expect(conversationOf({})?.isServed).toBeUndefined()
})

it('C055: a background job has neither: the environment is that of whoever started the service first', () => {
  const job = conversationOf({ CLAUDE_JOB_DIR: '/home/me/.claude/jobs/045dd166' })
  expect(job).toMatchObject({ hostKey: 'a', isServed: true })
  expect([job?.pane, job?.terminal, job?.spawn]).toEqual([undefined, undefined, undefined])
})
