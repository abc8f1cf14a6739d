/** Whatever a host puts on stdin: exit code 0, one JSON object or nothing, by itself, and no session made up. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { context, EVENTS, folder, payload, type Run, records, run, SESSION } from './hook.ts'

function expectCalm({ code, stdout, stderr }: Run): void {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  if (stdout !== '') expect(typeof JSON.parse(stdout)).toBe('object')
}

function sessions(home: string): string[] {
  return existsSync(path.join(home, 'sessions')) ? records(home, 'sessions').map(({ id }) => String(id)) : []
}

describe('C173: input that is no payload', () => {
  const whole = JSON.stringify(payload('UserPromptSubmit'))
  const inputs = {
    'empty stdin': '',
    null: 'null',
    'an array': '[]',
    'a number': '7',
    'not JSON': 'not json',
    'two objects': `${whole}${whole}`,
    'a truncated object': whole.slice(0, 60),
    'no fields': '{}',
    'an id that is no text': JSON.stringify(payload('UserPromptSubmit', { session_id: null })),
    'an event that is no text': JSON.stringify(payload('UserPromptSubmit', { hook_event_name: 5 })),
    'bytes that are no text': Buffer.from([0xff, 0xfe, 0x00, 0x7b, 0x7d]),
  }
  for (const [name, input] of Object.entries(inputs)) {
    test(`${name} is met with silence and names no session`, async () => {
      const home = folder()
      const done = await run(home, input)
      expectCalm(done)
      expect(done.stdout).toBe('')
      expect(sessions(home)).toEqual([])
    })
  }
})

describe('C173: a payload in other clothes is understood', () => {
  const text = JSON.stringify(payload('SessionStart'), null, 2)
  const inputs = { 'a byte order mark': `\uFEFF${text}`, 'CRLF line ends': `${text.replaceAll('\n', '\r\n')}\r\n` }
  for (const [name, input] of Object.entries(inputs)) {
    test(name, async () => {
      const home = folder()
      const done = await run(home, input)
      expectCalm(done)
      expect(context(done)).toContain(SESSION)
      expect(sessions(home)).toEqual([SESSION])
    })
  }
})

describe('C175: stdin that never ends', () => {
  test.each(EVENTS)('%s with nothing on stdin, or half a payload, ends by itself', async (event) => {
    const home = folder()
    const half = JSON.stringify(payload(event)).slice(0, 70)
    for (const done of await Promise.all([run(home, '', { open: true }), run(home, half, { open: true })])) {
      expectCalm(done)
      expect(done.stdout).toBe('')
    }
  })

  test('a whole payload is answered at once, though stdin stays open', async () => {
    // A hook that went on to wait for the end would have been silent.
    const done = await run(folder(), payload('SessionStart'), { open: true })
    expectCalm(done)
    expect(context(done)).toContain(SESSION)
  })
})

describe('fields', () => {
  test('an event that is not known is met with silence', async () => {
    for (const event of ['WorktreeCreate', 'constructor', '__proto__', 'toString'])
      expectCalm(await run(folder(), payload('Stop', { hook_event_name: event })))
  })

  test.each(EVENTS)('%s with nothing but its name and a conversation is no fault', async (event) => {
    const home = folder()
    const bare = { hook_event_name: event.split('.')[0], session_id: SESSION }
    expectCalm(await run(home, bare))
    expect(existsSync(path.join(home, 'log/hooks.log'))).toBe(false)
  })

  test.each(EVENTS)('%s with values of other types is no fault', async (event) => {
    const home = folder()
    const odd = Object.fromEntries(Object.keys(payload(event)).map((key) => [key, [{ a: 1 }]]))
    expectCalm(await run(home, { ...odd, hook_event_name: event.split('.')[0], session_id: SESSION, cwd: '/lab' }))
    expect(existsSync(path.join(home, 'log/hooks.log'))).toBe(false)
  })

  test('C167: a tool response of 200 KB is not echoed, and the hook takes no longer for it', async () => {
    const home = folder()
    await run(home, payload('SessionStart'))
    const calls = [{ tool_name: 'Bash', tool_input: {}, tool_use_id: 'toolu_1', tool_response: 'x'.repeat(200_000) }]
    // The two by turns: five times, and on until the machine has left both alone once.
    const least = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY }
    for (let turn = 1; turn <= 5 || (turn <= 50 && least.large >= 2 * least.small); turn++) {
      const small = await run(home, payload('PostToolBatch'))
      const large = await run(home, payload('PostToolBatch', { tool_calls: calls }))
      expectCalm(large)
      expect(large.stdout).toBe('')
      least.small = Math.min(least.small, small.ms)
      least.large = Math.min(least.large, large.ms)
    }
    expect(least.large).toBeLessThan(2 * least.small)
  })
})

describe('hooks that another host runs', () => {
  const others = ['CURSOR_VERSION', 'COPILOT_CLI', 'COPILOT_PLUGIN_ROOT', 'GEMINI_SESSION_ID', 'CODEX_THREAD_ID']
  test.each(others)('with %s in the environment they are silent: that host has an adapter of its own', async (name) => {
    const home = folder()
    const done = await run(home, payload('SessionStart'), { env: { [name]: '1' } })
    expectCalm(done)
    expect(done.stdout).toBe('')
    expect(sessions(home)).toEqual([])
  })

  test.each(others)('a Claude Code that was started from a shell with %s speaks for itself', async (name) => {
    const home = folder()
    const env = { [name]: '1', CLAUDE_CODE_SESSION_ID: SESSION }
    expect((await run(home, payload('SessionStart'), { env })).stdout).not.toBe('')
    expect(sessions(home)).toHaveLength(1)
  })

  test('so are payloads of the shape of Codex and Gemini', async () => {
    for (const field of ['turn_id', 'timestamp']) {
      const done = await run(folder(), payload('SessionStart', { [field]: 'x' }))
      expectCalm(done)
      expect(done.stdout).toBe('')
    }
  })
})

test('C053: the start hook without a payload leaves the mapping of a live session alone', async () => {
  const home = folder()
  await run(home, payload('SessionStart'))
  const before = [records(home, 'sessions'), records(home, 'hosts'), records(home, 'activity')]
  expectCalm(await run(home, '', { env: { CLAUDE_CODE_SESSION_ID: SESSION, CLAUDE_PROJECT_DIR: '/lab/project' } }))
  expect([records(home, 'sessions'), records(home, 'hosts'), records(home, 'activity')]).toEqual(before)
})
