/** The command line in a shell that a host opened for its model, where no ancestor tells whose it is. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { inShellOfModel } from '../../src/cli/signs.ts'
import { BusError, refusal } from '../../src/core/errors.ts'
import { openShell, type Shell } from './shell.ts'

let shell: Shell
beforeEach(async () => {
  shell = await openShell()
})
afterEach(() => shell.close())

async function register(kind: string, id: string, hostKey: string): Promise<void> {
  const { bus, store } = shell.opened
  const host = { kind, doors: [] }
  const connection = { named: new Set<string>() }
  const caller = await bus.identify({ connection, argument: id, argumentMeans: 'registers', host })
  await bus.update(caller, { task: 'a task', projectPath: shell.home })
  await store.hosts.bind({ hostKey, sessionId: id, boundAt: new Date().toISOString() })
}

const NAMED = [
  ['codex', { CODEX_SESSION_ID: 'conversation-1', CODEX_THREAD_ID: 'conversation-1' }],
  ['claude-code', { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'conversation-1' }],
  ['copilot', { COPILOT_CLI: '1', COPILOT_AGENT_SESSION_ID: 'conversation-1' }],
  ['gemini', { GEMINI_CLI: '1', GEMINI_SESSION_ID: 'conversation-1' }],
] as const
const UNNAMED = [
  ['opencode', { OPENCODE: '1', AGENT: '1' }],
  ['gemini', { GEMINI_CLI: '1' }],
  ['copilot', { COPILOT_CLI: '1' }],
  ['cursor', { CURSOR_AGENT: '1' }],
  ['an AI agent', { AGENT: 'somebody' }],
] as const

it('what cannot be written in a shell of a model is no reason for another bus, but for its tools', () => {
  const told = refusal(
    new BusError('HOME_UNWRITABLE', 'Cannot write to the bus at /b (EROFS).', 'Point to another directory.'),
  )
  expect(inShellOfModel(told, {})).toEqual(told)
  const other = refusal(
    new BusError('HOME_UNWRITABLE', '/x/config.toml cannot be written (EACCES).', 'Make it writable.'),
  )
  expect(inShellOfModel(other, { CODEX_SESSION_ID: 'x' })).toEqual(other)
  for (const [by, env] of [...NAMED, ...UNNAMED]) {
    const { error } = inShellOfModel(told, env)
    expect(error).toMatchObject({ code: 'HOME_UNWRITABLE', message: told.error.message })
    expect(error.hint).toContain(`opened by ${by} for its model, and may be shut in. The tools of session-mcp are not`)
  }
})

describe('a model never passes for the person', () => {
  it.each([...NAMED, ...UNNAMED])('in a shell of %s that leads to no session on the bus', async (by, env) => {
    await register('other-host', 'other', 'other')
    const id = await shell.mail('human', 'for the person alone')
    const denied = [
      ['send', 'other', 'hello'],
      ['inbox'],
      ['inbox', '--peek'],
      ['inbox', 'human'],
      ['inbox', 'other'],
      ['status', id],
      ['complete', 'other'],
    ]
    for (const args of denied) {
      const { code, stderr, stdout } = await shell.run(args, { env })
      expect(code, args.join(' ')).not.toBe(0)
      expect(stderr).toContain(`It seems that ${by} opened this shell for its model`)
      expect(stderr).toContain('--session-id=ID')
      expect(stdout).toBe('')
    }
    expect(await shell.unread('other')).toBe(0)
    expect(await shell.unread('human')).toBe(1)
    const { you, inbox, total } = (await shell.json(['overview'], { env })) as Record<string, unknown>
    expect({ you, inbox, total }).toEqual({ you: { kind: 'nobody' }, inbox: { unread: 0 }, total: 1 })
    for (const args of [['list'], ['show', 'other']]) expect((await shell.run(args, { env })).code).toBe(0)
  })
})

describe('a session speaks from such a shell', () => {
  it.each(NAMED)('of %s, by the id of its conversation, and is not verified by it', async (kind, env) => {
    await register(kind, 'mine', 'conversation-1')
    await register('other-host', 'other', 'other')
    await shell.run(['send', 'other', 'from a sandbox'], { env })
    const { messages } = (await shell.json(['inbox', 'other'])) as { messages: object[] }
    expect(messages).toMatchObject([{ from: { id: 'mine', verified: false }, content: 'from a sandbox' }])
    await shell.mail('mine', 'an answer')
    expect((await shell.run(['inbox'], { env })).stdout).toContain('an answer')
    expect(await shell.unread('mine')).toBe(0)
  })

  it('of a host that says no id, with --session-id, where the session is of that host', async () => {
    await register('opencode', 'mine', 'mine')
    await register('other-host', 'other', 'other')
    const env = { OPENCODE: '1' }
    expect((await shell.run(['send', 'other', 'hello', '--session-id=mine'], { env })).code).toBe(0)
    const refused = await shell.run(['send', 'mine', 'hello', '--session-id=other'], { env })
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain('does not run inside the session "other"')
    expect(await shell.unread('other')).toBe(1)
    expect(await shell.unread('mine')).toBe(0)
  })
})

it('a shell without any of it is still the person’s', async () => {
  await register('codex', 'mine', 'conversation-1')
  expect((await shell.run(['send', 'mine', 'hello'], { env: { TMUX: '/t,1,0', TERM_PROGRAM: 'vscode' } })).code).toBe(0)
  const { messages } = (await shell.json(['inbox', 'mine'])) as { messages: object[] }
  expect(messages).toMatchObject([{ from: { id: 'human' } }])
})
