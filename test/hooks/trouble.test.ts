/** A bus that is missing, closed, full or damaged, a clock that jumps, a hook that is killed: the turn goes on. */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { noMount, testUnless } from '../processes/lab/limits.ts'
import { fill } from '../processes/scenarios/full-disk.ts'
import { context, EVENTS, folder, hookFile, mounted, payload, type Run, records, run, SESSION, send } from './hook.ts'

const slow = fileURLToPath(new URL('slow-hook.ts', import.meta.url))
const broken = fileURLToPath(new URL('broken-hook.ts', import.meta.url))

function expectCalm({ code, stdout, stderr }: Run): void {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  if (stdout !== '') expect(typeof JSON.parse(stdout)).toBe('object')
}

async function expectCalmAtAll(home: string): Promise<void> {
  for (const event of EVENTS) expectCalm(await run(home, payload(event)))
}

/** Every file of the bus, filled with `text`. */
function overwrite(home: string, text: string): void {
  for (const name of readdirSync(home, { recursive: true, encoding: 'utf8' })) {
    const file = path.join(home, name)
    if (statSync(file).isFile() && !name.startsWith('log')) writeFileSync(file, text)
  }
}

describe('home', () => {
  test('missing: it is made', async () => {
    const home = path.join(folder(), 'not', 'there')
    const done = await run(home, payload('SessionStart'))
    expectCalm(done)
    expect(context(done)).toContain(SESSION)
  })

  test('a variable that names none: the usual one, and nothing is made in the project', async () => {
    const user = folder()
    const project = folder()
    const input = payload('SessionStart', { cwd: project })
    const command = ['sh', '-c', 'cd "$1" && exec "$2" "$3"', 'sh', project, process.execPath, hookFile] as const
    const done = await run('', input, { command, env: { HOME: user, SESSION_MCP_HOME: '' } })
    expectCalm(done)
    expect(context(done)).toContain(SESSION)
    expect(readdirSync(project)).toEqual([])
    expect(readdirSync(user)).toEqual(['.session-mcp'])
  })

  test('removed between two events: the session is made again and told who it is', async () => {
    const home = path.join(folder(), 'bus')
    await run(home, payload('SessionStart'))
    rmSync(home, { recursive: true })
    const done = await run(home, payload('UserPromptSubmit'))
    expectCalm(done)
    expect(context(done)).toContain(SESSION)
  })

  test('a file where the directory should be', async () => {
    const home = path.join(folder(), 'file')
    writeFileSync(home, 'not a directory')
    await expectCalmAtAll(home)
    expect(readFileSync(home, 'utf8')).toBe('not a directory')
  })

  for (const [what, text] of Object.entries({
    empty: '',
    truncated: '{"id":"5e5',
    'other JSON': '[]',
    binary: '\0\0',
  })) {
    test(`damaged: every file is ${what}`, async () => {
      const home = folder()
      await run(home, payload('SessionStart'))
      await send(home, 'project', 'hello')
      overwrite(home, text)
      await expectCalmAtAll(home)
    })
  }

  testUnless(noMount, 'read-only: silence or an answer, never a fault', async () => {
    const home = path.join(folder(), 'bus')
    mkdirSync(home)
    await mounted(home, 'size=4m', async () => {
      await run(home, payload('SessionStart'))
      await send(home, 'project', 'hello')
      spawnSync('mount', ['-o', 'remount,ro', home])
      await expectCalmAtAll(home)
    })
  })

  testUnless(noMount, 'full: silence or an answer, never a fault', async () => {
    const home = path.join(folder(), 'bus')
    mkdirSync(home)
    await mounted(home, 'size=4m', async () => {
      await run(home, payload('SessionStart'))
      await send(home, 'project', 'hello')
      fill(path.join(home, 'filler'))
      await expectCalmAtAll(home)
      rmSync(path.join(home, 'filler'))
      expect(context(await run(home, payload('SessionStart', { source: 'compact' })))).toContain('1 unread message')
    })
  })

  test.skipIf(process.platform === 'win32' || process.getuid?.() === 0)('without permission: silence', async () => {
    const home = folder()
    await run(home, payload('SessionStart'))
    chmodSync(home, 0)
    await expectCalmAtAll(home)
    chmodSync(home, 0o700)
  })
})

test('a hook that takes too long is silent, and says so in the log', async () => {
  const home = folder()
  const hook = path.join(home, 'slow.cjs')
  await build({ entryPoints: [slow], outfile: hook, bundle: true, platform: 'node', format: 'cjs' })
  expectCalm(await run(home, payload('Stop'), { command: [process.execPath, hook] }))
  const log = readFileSync(path.join(home, 'log', 'hooks.log'), 'utf8')
  expect(JSON.parse(log)).toMatchObject({ host: 'slow', moment: 'Stop', fault: expect.stringContaining('no answer') })
})

test('a hook that cannot even begin is silent, and says so in the log', async () => {
  const home = folder()
  const hook = path.join(home, 'broken.cjs')
  await build({ entryPoints: [broken], outfile: hook, bundle: true, platform: 'node', format: 'cjs' })
  mkdirSync(path.join(home, 'log'))
  expectCalm(await run(home, payload('Stop'), { command: [process.execPath, hook] }))
  const log = readFileSync(path.join(home, 'log', 'hooks.log'), 'utf8')
  expect(JSON.parse(log)).toMatchObject({
    host: 'broken',
    moment: 'Stop',
    fault: 'ReferenceError: crypto is not defined',
  })
})

test('in a home that others could change, nothing is written, not even to the log', async () => {
  const home = folder()
  chmodSync(home, 0o777)
  expectCalm(await run(home, payload('SessionStart')))
  expect(readdirSync(home)).toEqual([])
})

describe('clock', () => {
  test('records from the future neither keep a session asleep nor break a turn', async () => {
    const home = folder()
    await run(home, payload('SessionStart'))
    await send(home, 'project', 'before')
    expect((await run(home, payload('FileChanged'))).code).toBe(2)
    for (const name of ['sessions', 'activity', 'hosts', 'clients']) shift(path.join(home, name))
    expectCalm(await run(home, payload('UserPromptSubmit')))
    expectCalm(await run(home, payload('Stop')))
    await send(home, 'project', 'after')
    expect((await run(home, payload('FileChanged'))).code).toBe(2)
  })

  /** Moves every time in the files of a folder a day ahead: the clock was set back since. */
  function shift(directory: string): void {
    for (const name of readdirSync(directory)) {
      const file = path.join(directory, name)
      const text = readFileSync(file, 'utf8').replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) =>
        new Date(Date.parse(time) + 86_400_000).toISOString(),
      )
      writeFileSync(file, text)
    }
  }
})

test('a hook that is killed 100 times at any moment leaves a bus that is right', async () => {
  const home = folder()
  await run(home, payload('SessionStart'))
  // From its start to its end, as long as that takes here and now.
  const wholeMs = (await run(home, payload('Stop'))).ms
  await send(home, 'project', 'please', { intent: 'request' })
  const events = ['SessionStart', 'UserPromptSubmit', 'PostToolBatch', 'Stop', 'FileChanged', 'Notification']
  for (let n = 0; n < 100; n += 4) {
    await Promise.all(
      [0, 1, 2, 3].map((offset) =>
        run(home, payload(events[(n + offset) % events.length] ?? 'Stop'), {
          killAfterMs: wholeMs * ((((n + offset) * 7) % 100) / 80),
        }),
      ),
    )
  }
  expect(records(home, 'sessions')).toMatchObject([{ id: SESSION, name: 'project' }])
  expect(records(home, 'activity')).toMatchObject([{ id: SESSION }])
  const start = await run(home, payload('SessionStart', { source: 'compact' }))
  expectCalm(start)
  expect(context(start)).toContain('1 unread message in the inbox of this session')
  expect(readdirSync(path.join(home, 'inboxes', SESSION)).filter((name) => name.startsWith('msg-'))).toHaveLength(1)
})
