/** What stands around the hook: the shell in front of it. */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { HUMAN } from '../../src/core/caller.ts'
import { OTHERS } from '../../src/hosts/claude-code/payload.ts'
import { startOfGate } from '../../src/hosts/gate.ts'
import { openBus } from '../../src/open.ts'
import { onPath } from '../../src/system/program.ts'
import { noMount, testUnless } from '../processes/lab/limits.ts'
import {
  context,
  folder,
  gateFile,
  hookFile,
  mounted,
  type Options,
  payload,
  type Run,
  records,
  run,
  SESSION,
  send,
} from './hook.ts'

/** Where each shell of this machine goes by the name of `sh`, as whom some behave otherwise. */
const shells = mkdtempSync(path.join(tmpdir(), 'session-mcp-shells-'))
afterAll(() => rmSync(shells, { recursive: true }))
const SHELLS = ['sh', 'dash', 'bash', 'busybox'].filter((shell) => {
  const at = onPath(process.env, [shell])
  if (at === undefined) return false
  mkdirSync(path.join(shells, shell))
  symlinkSync(at, path.join(shells, shell, 'sh'))
  return true
})

interface Group {
  readonly hooks: readonly { readonly command: string; readonly args?: readonly string[] }[]
}

/** As a host is told to start it, by another shell where one is named. */
const gate = (words: readonly string[], { shell = 'sh', file = gateFile } = {}): readonly [string, ...string[]] => [
  path.join(shells, shell, 'sh'),
  ...startOfGate(file).slice(1),
  ...words,
]

describe('the gate in front of the hook', () => {
  const through = (home: string, env: Record<string, string> = {}, explicit = '') =>
    run(home, payload('PostToolBatch'), { command: gate([explicit, process.execPath, hookFile]), env })
  const id = { CLAUDE_CODE_SESSION_ID: SESSION }

  test('starts no hook without a mark, and the hook with one', async () => {
    const home = folder()
    await run(home, payload('SessionStart'))
    expect(await through(home, id)).toMatchObject({ code: 0, stdout: '', stderr: '' })
    await send(home, 'project', 'news')
    expect(context(await through(home, id))).toContain('"news"')
    expect(readdirSync(path.join(home, 'pending'))).toEqual([])
  })

  test('the mark of another conversation starts nothing', async () => {
    const home = folder()
    await run(home, payload('SessionStart'))
    await send(home, 'project', 'news')
    expect((await through(home, { CLAUDE_CODE_SESSION_ID: 'another' })).stdout).toBe('')
    expect(readdirSync(path.join(home, 'pending'))).toEqual([SESSION])
  })

  test('where the host gives no id, any mark counts', async () => {
    const home = folder()
    await run(home, payload('SessionStart'))
    expect((await through(home)).stdout).toBe('')
    await send(home, 'project', 'news')
    expect(context(await through(home))).toContain('"news"')
  })

  test('where the host gives none, an id inherited from a host around it says nothing', async () => {
    const home = folder()
    await run(home, payload('SessionStart'))
    const command = ['sh', gateFile, '--any', '', process.execPath, hookFile] as const
    const env = { CLAUDE_CODE_SESSION_ID: 'outer' }
    expect((await run(home, payload('PostToolBatch'), { command, env })).stdout).toBe('')
    await send(home, 'project', 'news')
    expect(context(await run(home, payload('PostToolBatch'), { command, env }))).toContain('"news"')
  })

  test('an id with capital letters is told, too', async () => {
    const home = folder()
    const session_id = 'ABCD-1234'
    await run(home, payload('SessionStart', { session_id }))
    await send(home, 'project', 'news')
    const command = gate(['', process.execPath, hookFile])
    const env = { CLAUDE_CODE_SESSION_ID: session_id }
    expect(context(await run(home, payload('PostToolBatch', { session_id }), { command, env }))).toContain('"news"')
  })

  test('paths may hold spaces, quotes and other letters', async () => {
    const home = path.join(folder(), `my "bus" it's – 버스`)
    await run(home, payload('SessionStart'))
    await send(home, 'project', 'news')
    expect(context(await through('/nowhere', { ...id, SESSION_MCP_HOME: home }, home))).toContain('"news"')
  })

  test('without a home at all it is silent', async () => {
    const home = path.join(folder(), 'nothing')
    expect(await through(home, id)).toMatchObject({ code: 0, stdout: '', stderr: '' })
    expect(existsSync(home)).toBe(false)
  })
})

describe('the gate in front of a hook that has to look', () => {
  const printed = (...at: string[]) => {
    const home = folder()
    const script = path.join(home, 'print.js')
    writeFileSync(script, 'console.log(String(process.env.NODE_EXTRA_CA_CERTS))')
    return run(home, payload('Stop'), {
      command: gate([...at, '', process.execPath, script]),
      env: { CLAUDE_CODE_SESSION_ID: SESSION, NODE_EXTRA_CA_CERTS: '/nowhere/certificates.pem' },
    })
  }

  test('starts it whatever is noted, and spares it the certificates of the machine', async () => {
    expect(await printed('always')).toMatchObject({ code: 0, stdout: 'undefined\n', stderr: '' })
    expect(await printed('--any', 'always')).toMatchObject({ code: 0, stdout: 'undefined\n', stderr: '' })
    expect(await printed()).toMatchObject({ code: 0, stdout: '' })
  })
})

describe('a part of the way to the hook that is gone', () => {
  const silent = { code: 0, stdout: '', stderr: '' }
  const moments = [['always'], ['prompt'], [], ['--any', 'always'], ['--any']]

  test.each(SHELLS)('is silence and no refusal, the gate itself too (%s)', async (shell) => {
    const home = folder()
    const gone = path.join(home, 'gone')
    await run(home, payload('SessionStart'))
    await send(home, 'project', 'news')
    const ways: [what: string, command: readonly [string, ...string[]]][] = moments.flatMap((at) => [
      ['the gate', gate([...at, '', process.execPath, hookFile], { shell, file: path.join(gone, 'gate.sh') })],
      ['Node', gate([...at, '', path.join(gone, 'node'), hookFile], { shell })],
      ['the script', gate([...at, '', process.execPath, path.join(gone, 'claude-code.js')], { shell })],
    ])
    for (const [what, command] of ways) {
      const { code, stdout, stderr } = await run(home, payload('UserPromptSubmit'), { command })
      expect({ what, code, stdout, stderr }).toEqual({ what, ...silent })
    }
  })

  test.each(SHELLS)('is a PATH without Node as well, where the plugin names it alone (%s)', async (shell) => {
    const command = gate(['always', '', 'node', hookFile], { shell })
    for (const PATH of ['/nowhere', ''])
      expect(await run(folder(), payload('Stop'), { command, env: { PATH } })).toMatchObject(silent)
  })

  test.each(['claude-code', 'codex'])('is looked for by the hooks in the plugin for %s too', (host) => {
    const file = new URL(`../../plugins/${host}/hooks/hooks.json`, import.meta.url)
    const handlers = Object.values(JSON.parse(readFileSync(file, 'utf8')).hooks as Record<string, [Group]>).flatMap(
      ([group]) => group.hooks,
    )
    const [, , guard] = startOfGate('')
    expect(handlers.length).toBeGreaterThan(6)
    for (const { command, args } of handlers) {
      if (args !== undefined) expect([command, ...args.slice(0, 2)]).toEqual(['sh', '-c', guard])
      else expect(command.startsWith(`exec sh -c '${guard}' "`)).toBe(true)
    }
  })
})

describe('the gate in front of a prompt', () => {
  const id = { CLAUDE_CODE_SESSION_ID: SESSION }
  /** Through the gate, as the host runs it. */
  const prompted = (home: string, over: Record<string, unknown> = {}) =>
    run(home, payload('UserPromptSubmit', over), {
      command: gate(['prompt', '', process.execPath, hookFile]),
      env: id,
    })
  const starting = (home: string, env: Options['env'] = id, shell = 'sh'): Promise<Run> => {
    return run(home, payload('UserPromptSubmit'), { command: gate(['prompt', '', 'echo', gateFile], { shell }), env })
  }
  /** Whether a hook would be started: another program in its place says its script. Nothing else is ever said. */
  async function starts(home: string, env: Options['env'] = id, shell = 'sh'): Promise<boolean> {
    const { code, stdout, stderr } = await starting(home, env, shell)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(['', `${gateFile}\n`]).toContain(stdout)
    return stdout !== ''
  }
  async function started(): Promise<string> {
    const home = folder()
    await run(home, payload('SessionStart'))
    return home
  }
  const turns = (home: string) => readdirSync(path.join(home, 'turns'))
  async function seen(home: string): Promise<string | undefined> {
    const { bus, close } = await openBus({ home })
    try {
      return (await bus.list(HUMAN, {})).sessions[0]?.activity
    } finally {
      close()
    }
  }

  test.each(SHELLS)('with nothing due, %s starts nothing and notes the turn', async (shell) => {
    const home = await started()
    expect(await seen(home)).toBe('idle')
    expect(await starts(home, id, shell)).toBe(false)
    expect(turns(home)).toEqual([SESSION])
    expect(await seen(home)).toBe('working')
    const { mode, size } = statSync(path.join(home, 'turns', SESSION))
    expect([mode & 0o777, size]).toEqual([0o600, 0])
  })

  test('turn after turn is idle, working, idle, and in the record when it is over', async () => {
    const home = await started()
    const [before] = records(home, 'activity')
    for (let turn = 1; turn <= 3; turn++) {
      expect(await starts(home)).toBe(false)
      // To the whole millisecond below, as the bus reads it: `mtime` is rounded, by the phase of the kernel's clock up or down.
      const promptedAt = new Date(statSync(path.join(home, 'turns', SESSION)).mtimeMs).toISOString()
      expect(await seen(home)).toBe('working')
      expect((await run(home, payload('Stop'))).stdout).toBe('')
      expect(await seen(home)).toBe('idle')
      expect(turns(home)).toEqual([])
      expect(records(home, 'activity')).toMatchObject([
        {
          state: 'idle',
          lastTurn: promptedAt,
          lastHumanPrompt: promptedAt,
          activitySeq: Number(before?.['activitySeq']) + 2 * turn,
        },
      ])
    }
  })

  test('in the middle of a conversation whose start was not seen, the hook starts', async () => {
    const home = folder()
    expect(await starts(home)).toBe(true)
    expect(context(await prompted(home))).toContain(SESSION)
    await run(home, payload('Stop'))
    expect(await starts(home)).toBe(false)
  })

  test('with mail the hook starts; mail that was told is counted at every later prompt until it is read', async () => {
    const home = await started()
    await send(home, 'project', 'news', { activate: 'never' })
    expect(await starts(home)).toBe(true)
    expect(turns(home)).toEqual([])
    expect(context(await prompted(home))).toContain('"news"')
    for (let turn = 0; turn < 2; turn++) {
      await run(home, payload('Stop'))
      expect(await starts(home)).toBe(true)
      expect(context(await prompted(home))).toContain('1 unread message in the inbox of this session, the oldest')
    }
    rmSync(path.join(home, 'inboxes', SESSION), { recursive: true })
    await run(home, payload('Stop'))
    expect(await starts(home)).toBe(false)
  })

  test('the prompt of a wake is seen by the hook, and proven', async () => {
    const home = await started()
    await send(home, 'project', 'body')
    // As if the word that the sender left had been taken by a hook in between.
    rmSync(path.join(home, 'pending', SESSION))
    const { stderr } = await run(home, payload('FileChanged'))
    const prompt = String(payload('UserPromptSubmit.wake')['prompt']).replace(/session-mcp wake .*inbox\./, stderr)
    expect(context(await prompted(home, { prompt }))).toContain('"body"')
    expect(records(home, 'activity')).toMatchObject([{ lastWake: { turnAt: expect.any(String) } }])
    expect(records(home, 'activity')[0]).not.toHaveProperty('lastHumanPrompt')
  })

  test('after a turn that was broken off, or left tasks running, the hook starts: the host may be who prompts', async () => {
    const home = await started()
    expect(await starts(home)).toBe(false)
    expect(await starts(home)).toBe(true)
    await prompted(home, { prompt: '<task-notification>done</task-notification>' })
    expect(await starts(home)).toBe(true)
    await run(home, payload('Stop', { background_tasks: [{ id: '1' }] }))
    expect(await starts(home)).toBe(true)
    await run(home, payload('Stop', { session_crons: [{ id: '1' }] }))
    expect(await starts(home)).toBe(true)
    await run(home, payload('Stop'))
    expect(await starts(home)).toBe(false)
  })

  test('whatever has no id of its own, or one with capital letters, starts the hook', async () => {
    for (const session_id of ['', 'ABCD-1234', '-', 'a b', '../pending', 'a*']) {
      const home = folder()
      await run(home, payload('SessionStart', session_id === '' ? {} : { session_id }))
      expect(await starts(home, { CLAUDE_CODE_SESSION_ID: session_id }), session_id).toBe(true)
    }
    expect(await starts(await started(), {})).toBe(true)
  })

  test('other hosts that run our hooks out of a conversation start theirs, by the list the hook has', async () => {
    const home = await started()
    const named = [...readFileSync(gateFile, 'utf8').matchAll(/\$\{(\w+)\+1\}/g)].map(([, name]) => name)
    expect(named).toEqual(OTHERS)
    for (const name of OTHERS) expect(await starts(home, { ...id, [name]: '' })).toBe(true)
    expect(turns(home)).toEqual([])
  })

  test('paths may hold spaces, quotes and other letters', async () => {
    const home = path.join(folder(), `my "bus" it's – 버스 $HOME`)
    await run(home, payload('SessionStart'))
    const command = ['sh', gateFile, 'prompt', home, 'echo', 'started'] as const
    expect(await run('/nowhere', payload('UserPromptSubmit'), { command, env: id })).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    })
    expect(turns(home)).toEqual([SESSION])
  })

  test.each(SHELLS)('where nothing can be noted, %s says nothing and lets the hook try', async (shell) => {
    const missing = path.join(folder(), 'nothing')
    expect(await starts(missing, id, shell)).toBe(true)
    expect(existsSync(missing)).toBe(false)
    const file = path.join(folder(), 'file')
    writeFileSync(file, '')
    expect(await starts(file, id, shell)).toBe(true)
    const without = await started()
    rmSync(path.join(without, 'turns'), { recursive: true })
    expect(await starts(without, id, shell)).toBe(true)
    // The hook itself makes what is missing.
    expect(await prompted(without)).toMatchObject({ code: 0, stdout: '', stderr: '' })
    expect(turns(without)).toEqual([])
    if (process.getuid?.() === 0) return
    const closed = await started()
    chmodSync(path.join(closed, 'turns'), 0o500)
    expect(await starts(closed, id, shell)).toBe(true)
    chmodSync(path.join(closed, 'turns'), 0o700)
  })

  test('a home that was replaced knows no turn: the hook starts', async () => {
    const home = path.join(folder(), 'bus')
    await run(home, payload('SessionStart'))
    rmSync(home, { recursive: true })
    expect(await starts(home)).toBe(true)
    expect(context(await prompted(home))).toContain(SESSION)
  })

  for (const [what, options, spoil] of [
    ['read-only', 'size=4m', (home: string) => spawnSync('mount', ['-o', 'remount,ro', home])],
    // Inodes run out as well as blocks.
    [
      'full',
      'size=1m,nr_inodes=64',
      (home: string) => spawnSync('sh', ['-c', `cd ${home} && i=0; while : >f$i; do i=$((i+1)); done`]),
    ],
  ] as const) {
    testUnless(noMount, `a home that is ${what}: silence from the gate and from the hook`, async () => {
      const home = path.join(folder(), 'bus')
      mkdirSync(home)
      await mounted(home, options, async () => {
        await run(home, payload('SessionStart'))
        spoil(home)
        for (const shell of SHELLS) expect(await starts(home, id, shell)).toBe(true)
        expect(await prompted(home)).toMatchObject({ code: 0, stdout: '', stderr: '' })
      })
    })
  }
})
