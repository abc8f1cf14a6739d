/** The status line as a host runs it: its own process, JSON on stdin, one line out, whatever happens. */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { PATIENCE_MS } from '../../src/cli/status-line/run.ts'
import { openBus } from '../../src/open.ts'
import { cli, folder, hookFile, type Options, type Payload, payload, type Run, run, SESSION, send } from './hook.ts'

const program = path.join(path.dirname(hookFile), 'statusline.js')
const COMMANDS: Record<string, readonly [string, ...string[]]> = {
  'the small program': [process.execPath, program],
  'session-mcp statusline': [process.execPath, cli, 'statusline'],
}

/** As observed with 2.1 in November 2026. */
const PAYLOAD = {
  session_id: SESSION,
  session_name: 'my talk',
  transcript_path: '/lab/t.jsonl',
  cwd: '/lab/project',
  model: { id: 'claude-opus-4-6', display_name: 'Opus 4.6' },
  workspace: { current_dir: '/lab/project', project_dir: '/lab/project', added_dirs: [] },
  version: '2.1.332',
  effort: { level: 'high' },
  cost: { total_cost_usd: 0.1 },
  context_window: { used_percentage: 41.2, context_window_size: 200_000 },
  output_style: { name: 'default' },
}

const show = (home: string, input: Payload | string | Buffer = PAYLOAD, options: Options = {}): Promise<Run> =>
  run(home, input, { command: [process.execPath, program], ...options, env: { NO_COLOR: '1', ...options.env } })

function expectOneLine({ code, stdout, stderr }: Run): string {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^[^\n]+\n$/)
  expect(stdout.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  return stdout.slice(0, -1)
}

/** Every file of a bus with its size, change and mode; but for wakes, which the start hook touches again later. */
function state(directory: string): Record<string, string> {
  const all = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  const names = all.filter((name) => !name.startsWith('wakes')).sort()
  return Object.fromEntries(
    names.map((name) => {
      const { size, mtimeMs, ctimeMs, mode } = statSync(path.join(directory, name))
      return [name, `${size} ${mtimeMs} ${ctimeMs} ${mode}`]
    }),
  )
}

for (const [name, command] of Object.entries(COMMANDS)) {
  test(`${name} shows name, unread mail, context and model, and changes not a byte of the bus`, async () => {
    const home = folder()
    await run(home, payload('SessionStart'))
    expect(expectOneLine(await show(home, PAYLOAD, { command }))).toBe('project | 0 unread | 41% context | Opus 4.6')
    await send(home, 'project', 'hello', { activate: 'never' })
    const before = state(home)
    expect(expectOneLine(await show(home, PAYLOAD, { command }))).toBe('project | 1 unread | 41% context | Opus 4.6')
    expect(state(home)).toEqual(before)
  })
}

test('who waits for the session stands in the line while the wait goes on', async () => {
  const home = folder()
  await run(home, payload('SessionStart'))
  const { bus, store, close } = await openBus({ home, durability: 'process' })
  try {
    const hints = {
      connection: { named: new Set<string>() },
      host: { kind: 'generic', doors: [] },
      hostSays: 'lead',
    }
    const input = { task: 'lead', projectPath: home, name: 'lead' }
    await bus.update(await bus.identify(hints), input)
    const stop = new AbortController()
    const wait = bus.wait(
      await bus.identify(hints),
      { sessions: ['project'], timeout: '1h' },
      { signal: stop.signal, ceilingMs: 3_600_000 },
    )
    const isOver = wait.then(
      () => true,
      () => true,
    )
    while ((await store.sessions.waitersOf(SESSION)).length === 0) {
      const tick = new Promise<false>((resolve) => setImmediate(resolve, false))
      expect(await Promise.race([isOver, tick])).toBe(false)
    }
    expect(expectOneLine(await show(home))).toBe('project | 0 unread | lead waits for it | 41% context | Opus 4.6')
    stop.abort()
    await isOver
    expect(expectOneLine(await show(home))).toBe('project | 0 unread | 41% context | Opus 4.6')
  } finally {
    close()
  }
})

test('a conversation that is on no bus has a line too, and no bus is made for it', async () => {
  const home = path.join(folder(), 'none')
  const line = expectOneLine(await show(home))
  expect(line).toBe('my talk | not on the session-mcp bus | 41% context | Opus 4.6')
  expect(existsSync(home)).toBe(false)
})

test('a bus that cannot be read is not called empty', async () => {
  const home = folder()
  writeFileSync(path.join(home, 'format.json'), '{"version": 999}')
  expect(expectOneLine(await show(home))).toContain('the bus cannot be read: session-mcp doctor')
})

test('the width of the terminal, NO_COLOR and a dumb terminal are respected', async () => {
  const home = folder()
  await run(home, payload('SessionStart'))
  expect(expectOneLine(await show(home, PAYLOAD, { env: { COLUMNS: '22' } }))).toBe('project | 0 unread')
  const env = { NO_COLOR: '', TERM: 'xterm-256color' }
  expect((await show(home, PAYLOAD, { env })).stdout).toContain('\u001b[36mproject\u001b[39m')
  expectOneLine(await show(home, PAYLOAD, { env: { ...env, TERM: 'dumb' } }))
})

test('C211: a git that sleeps first in PATH delays nothing: no child is ever started', async () => {
  const home = folder()
  await run(home, payload('SessionStart'))
  const bin = path.join(home, 'bin')
  const trace = path.join(home, 'started')
  mkdirSync(bin)
  writeFileSync(path.join(bin, 'git'), `#!/bin/sh\necho git >> '${trace}'\nexec sleep 5\n`)
  chmodSync(path.join(bin, 'git'), 0o755)
  const env = { PATH: `${bin}${path.delimiter}${process.env['PATH']}` }
  const repository = path.join(home, 'repository')
  mkdirSync(path.join(repository, '.git'), { recursive: true })
  const input = { ...PAYLOAD, cwd: repository, workspace: { current_dir: repository, project_dir: repository } }
  const done = await show(home, input, { env })
  expect(expectOneLine(done)).toContain('project | 0 unread')
  expect(existsSync(trace)).toBe(false)
  expect(PATIENCE_MS).toBeLessThan(300)
})

describe('C213: whatever comes on stdin', () => {
  const whole = JSON.stringify(PAYLOAD)
  const evil = 'a\u001b]0;x\u0007\u202eb\nc'

  test('a whole payload is answered at once, though stdin stays open', async () => {
    const home = folder()
    await run(home, payload('SessionStart'))
    const done = await show(home, PAYLOAD, { open: true })
    expect(expectOneLine(done)).toBe('project | 0 unread | 41% context | Opus 4.6')
  })

  test('nothing, or half a payload, on a stdin that stays open: a line after our own patience', async () => {
    for (const input of ['', whole.slice(0, 60)]) {
      expect(expectOneLine(await show(folder(), input, { open: true, killAfterMs: 60_000 }))).toBe(
        'session-mcp: the host did not say who this is',
      )
    }
  })

  test('no stdin at all', () => {
    const home = folder()
    const { status, stdout } = spawnSync(process.execPath, [program], {
      env: { PATH: process.env['PATH'], HOME: home, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
    })
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'session-mcp: the host did not say who this is\n' })
  })

  const odd: Record<string, Payload | string | Buffer> = {
    empty: '',
    'not JSON': 'not json',
    null: 'null',
    'an array': '[]',
    'no fields': {},
    'nulls everywhere': Object.fromEntries(Object.keys(PAYLOAD).map((key) => [key, null])),
    'objects everywhere': Object.fromEntries(Object.keys(PAYLOAD).map((key) => [key, { a: [1] }])),
    'nulls inside': { ...PAYLOAD, model: { id: null, display_name: null }, context_window: { used_percentage: null } },
    'numbers out of range': { ...PAYLOAD, context_window: { used_percentage: 1e9 } },
    'an id that is no id': { ...PAYLOAD, session_id: '../../etc/passwd\u0000' },
    'text for a terminal': { ...PAYLOAD, session_name: evil, model: { display_name: evil } },
    'bytes that are no text': Buffer.from([0xff, 0xfe, 0x00, 0x7b, 0x7d]),
    '2 MB': { ...PAYLOAD, more: 'x}'.repeat(1024 * 1024), session_name: 'n'.repeat(2 * 1024 * 1024) },
  }
  test.each(Object.keys(odd))('%s', async (name) => {
    const home = folder()
    await run(home, payload('SessionStart'))
    const line = expectOneLine(await show(home, odd[name] ?? ''))
    expect(line).toMatch(/on the session-mcp bus|host did not say who this is|^project \| 0 unread/)
  })
})
