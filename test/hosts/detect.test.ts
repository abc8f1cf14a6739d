import { describe, expect, test } from 'vitest'
import { detectHost, marksInShell } from '../../src/hosts/detect.ts'
import { sessionInEnvironment, sessionInMeta, waitCeilingMs } from '../../src/hosts/host.ts'
import { HOSTS } from '../../src/hosts/table.ts'

describe('A07: a client is recognised by the name it really sends', () => {
  test.each([
    ['claude-code', 'claude-code'],
    ['Claude Code', 'claude-code'],
    ['codex-mcp-client', 'codex'],
    ['opencode', 'opencode'],
    ['gemini-cli-mcp-client', 'gemini'],
    ['gemini-cli-mcp-client-session-mcp', 'gemini'],
    ['github-copilot-developer', 'copilot'],
    ['cursor-vscode', 'cursor'],
    ['Cursor', 'cursor'],
    ['Visual Studio Code', 'vscode'],
    ['Visual Studio Code - Insiders', 'vscode'],
    ['Code - OSS', 'vscode'],
  ])('%s is %s', (name, kind) => {
    expect(detectHost(name).kind).toBe(kind)
  })
})

describe('a client that is not known is generic, never the nearest guess', () => {
  test.each([
    'grooming-bot',
    'precursor',
    'opencoder',
    'Visual Studio',
    'JetBrains-IU/copilot-intellij',
    'claude-ai',
    'mcp',
    'constructor',
    '',
    undefined,
  ])('%s', (name) => {
    expect(detectHost(name).kind).toBe('generic')
  })
})

test('every host has a kind of its own and no name belongs to two', () => {
  const kinds = HOSTS.map((host) => host.kind)
  expect(new Set(kinds).size).toBe(kinds.length)
  for (const host of HOSTS) for (const name of host.clientNames) expect(detectHost(name)).toBe(host)
})

test('Codex signs each call; an agent it started has a thread of its own in the same session', () => {
  const codex = detectHost('codex-mcp-client')
  expect(sessionInMeta(codex, { sessionId: 's1', threadId: 't1' })).toBe('s1')
  expect(sessionInMeta(codex, { threadId: 't1' })).toBe('t1')
  expect(codex.isSubagent?.({ sessionId: 's1', threadId: 't1' })).toBe(true)
  expect(codex.isSubagent?.({ sessionId: 's1', threadId: 's1' })).toBe(false)
  expect(codex.isSubagent?.({ threadId: 't1' })).toBe(false)
  expect(sessionInMeta(codex, { threadId: 7, sessionId: '' })).toBeUndefined()
  expect(sessionInMeta(codex, undefined)).toBeUndefined()
})

test('the same keys mean nothing from a host that does not set them', () => {
  expect(sessionInMeta(detectHost('opencode'), { sessionId: 's1', threadId: 't1' })).toBeUndefined()
})

test('only a variable that rightly names the session is believed', () => {
  expect(sessionInEnvironment(detectHost('copilot-cli'), { COPILOT_AGENT_SESSION_ID: 'c1' })).toBe('c1')
  expect(sessionInEnvironment(detectHost('claude-code'), { CLAUDE_CODE_SESSION_ID: 'old' })).toBeUndefined()
  expect(sessionInEnvironment(detectHost('copilot-cli'), { COPILOT_AGENT_SESSION_ID: '' })).toBeUndefined()
})

test.each([
  ['codex', { CODEX_SESSION_ID: 's1', CODEX_THREAD_ID: 't1' }, 'CODEX_SESSION_ID', 's1'],
  ['codex', { CODEX_THREAD_ID: 't1' }, 'CODEX_THREAD_ID', undefined],
  ['claude-code', { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'c1' }, 'CLAUDECODE', 'c1'],
  ['opencode', { OPENCODE: '1' }, 'OPENCODE', undefined],
  ['gemini', { GEMINI_CLI: '1' }, 'GEMINI_CLI', undefined],
  ['copilot', { COPILOT_CLI: '1', COPILOT_AGENT_SESSION_ID: 'p1' }, 'COPILOT_CLI', 'p1'],
  ['cursor', { CURSOR_AGENT: '1' }, 'CURSOR_AGENT', undefined],
  ['generic', { AGENT: 'somebody' }, 'AGENT', undefined],
  ['generic', { AI_AGENT: 'somebody' }, 'AI_AGENT', undefined],
])('a shell that %s opened for its model bears its mark (%o)', (kind, env, variable, hostKey) => {
  expect(marksInShell(env)).toMatchObject([{ kind, variable, ...(hostKey !== undefined && { hostKey }) }])
})

test('empty variables and those of a terminal of the person are no marks; all hosts around a shell are', () => {
  expect(marksInShell({ CODEX_SESSION_ID: '', CURSOR_TRACE_ID: '1', TERM_PROGRAM: 'vscode', TMUX: '/t,1,0' })).toEqual(
    [],
  )
  expect(marksInShell({ CLAUDECODE: '1', CODEX_SESSION_ID: 's1' }).map(({ kind }) => kind)).toEqual([
    'claude-code',
    'codex',
  ])
})

describe('a wait ends before the host gives up on it', () => {
  test.each([
    ['claude-code', false, 110_000],
    ['codex-mcp-client', true, 280_000],
    ['gemini-cli', false, 540_000],
    ['opencode', false, 50_000],
    ['opencode', true, 600_000],
    ['nobody-knows', true, 50_000],
  ])('%s, progress token %s: %i ms', (name, hasToken, ms) => {
    expect(waitCeilingMs(detectHost(name), hasToken, {})).toBe(ms)
  })

  test('a limit the user lowered counts, one the user raised does not, and nonsense is ignored', () => {
    const host = detectHost('claude-code')
    expect(waitCeilingMs(host, true, { MCP_TOOL_TIMEOUT: '30000' })).toBe(25_000)
    expect(waitCeilingMs(host, true, { MCP_TOOL_TIMEOUT: '99999999' })).toBe(110_000)
    expect(waitCeilingMs(host, true, { MCP_TOOL_TIMEOUT: 'soon' })).toBe(110_000)
    expect(waitCeilingMs(host, true, { MCP_TOOL_TIMEOUT: '10' })).toBe(1_000)
  })
})
