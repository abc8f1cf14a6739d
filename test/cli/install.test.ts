import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startOfGate } from '../../src/hosts/gate.ts'
import { openPlace, type Place } from './install-place.ts'

let place: Place
beforeEach(() => {
  place = openPlace()
})
afterEach(() => place.close())

const EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'Stop',
  'SessionEnd',
  'Notification',
  'PreToolUse',
  'PostToolBatch',
  'FileChanged',
]

describe('what is written', () => {
  it('is one hook per event in exec form, and the server', async () => {
    await place.install()
    const { node, hooks, server } = place.program()
    const script = path.join(hooks, 'claude-code.js')
    const gate = path.join(hooks, 'gate.sh')
    const hook = (...at: string[]) => ({
      type: 'command',
      command: 'sh',
      args: ['-c', '[ -r "$0" ] && command . "$0"; exit 0', gate, ...at, '', node, script],
      timeout: 5,
    })
    const direct = hook('always')
    expect(place.json(place.settings)).toEqual({
      hooks: {
        SessionStart: [{ hooks: [direct] }],
        UserPromptSubmit: [{ hooks: [hook('prompt')] }],
        Stop: [{ hooks: [direct] }],
        SessionEnd: [{ hooks: [direct] }],
        Notification: [{ hooks: [direct] }],
        PreToolUse: [{ matcher: 'mcp__(plugin_[A-Za-z0-9-]+_)?session-mcp__.*', hooks: [direct] }],
        PostToolBatch: [{ hooks: [hook()] }],
        FileChanged: [{ hooks: [{ ...direct, asyncRewake: true }] }],
      },
    })
    expect(place.json(place.servers)).toEqual({
      mcpServers: {
        'session-mcp': { type: 'stdio', command: node, args: [server, '--default-ttl=4h'], env: {}, alwaysLoad: true },
      },
    })
  })

  it('has only keys the host knows in it (C181)', async () => {
    await place.install()
    const { hooks } = place.json(place.settings) as { hooks: Record<string, Record<string, unknown>[]> }
    for (const groups of Object.values(hooks)) {
      for (const { matcher, hooks: handlers, ...more } of groups) {
        expect(more).toEqual({})
        expect(['string', 'undefined']).toContain(typeof matcher)
        for (const { type, command, args, timeout, asyncRewake, ...rest } of handlers as Record<string, unknown>[]) {
          expect(rest).toEqual({})
          expect(type).toBe('command')
          expect(path.isAbsolute(String(command)) || command === 'sh').toBe(true)
          expect((args as unknown[]).every((arg) => typeof arg === 'string')).toBe(true)
          expect(timeout).toBe(5)
          expect([true, undefined]).toContain(asyncRewake)
        }
      }
    }
  })

  it('names the home where it is not the default one', async () => {
    const program = place.program(undefined, path.join(place.root, 'my bus'))
    await place.install({ program })
    const { hooks } = place.json(place.settings) as { hooks: Record<string, [{ hooks: [{ args: string[] }] }]> }
    const args = (event: string) => hooks[event]?.[0].hooks[0].args
    const gate = (...words: string[]) => [...startOfGate(path.join(program.hooks, 'gate.sh')).slice(1), ...words]
    const command = [program.home, program.node, path.join(program.hooks, 'claude-code.js'), '--home', program.home]
    expect(args('PostToolBatch')).toEqual(gate(...command))
    expect(args('Stop')).toEqual(gate('always', ...command))
    expect(args('UserPromptSubmit')).toEqual(gate('prompt', ...command))
    expect(place.read(place.servers)).toContain(`--home=${program.home}`)
  })

  it('puts the gate in front of a prompt hook that an earlier install wrote without it', async () => {
    await place.install()
    const now = place.read(place.settings) ?? ''
    const { node, hooks } = place.program()
    const direct = { type: 'command', command: node, args: [path.join(hooks, 'claude-code.js')], timeout: 5 }
    const settings = JSON.parse(now)
    settings.hooks.UserPromptSubmit = [{ hooks: [direct] }]
    place.write(place.settings, JSON.stringify(settings))
    await place.install()
    expect(place.json(place.settings)).toEqual(JSON.parse(now))
  })

  it('takes the place of what older versions wrote, whose shell opens the gate without a look', async () => {
    await place.install()
    const now = place.read(place.settings) ?? ''
    const [, dash, guard] = startOfGate('')
    const older = JSON.parse(now, (key, value) => (key === 'args' && value[0] === dash ? value.slice(2) : value))
    expect(JSON.stringify(older)).not.toContain(JSON.stringify(guard))
    place.write(place.settings, JSON.stringify(older))
    expect((await place.install()).changed).toBe(true)
    expect(place.json(place.settings)).toEqual(JSON.parse(now))
    place.write(place.settings, JSON.stringify(older))
    await place.uninstall()
    expect(place.read(place.settings)).toBeUndefined()
  })

  it('keeps backslashes and spaces of Windows paths, and starts Node itself there (C179)', async () => {
    const dist = 'C:\\Tools\\new\\table\\my app\\dist'
    const program = {
      ...place.program(),
      node: 'C:\\Program Files\\nodejs\\node.exe',
      hooks: `${dist}\\hooks`,
      server: `${dist}\\index.js`,
    }
    const machine = { ...place.machine, isWindows: true, join: path.win32.join }
    const [settings, servers] = place.job().wiring.files(machine, program)
    const items = settings?.lists[0]?.items ?? {}
    expect(Object.keys(items).sort()).toEqual([...EVENTS].sort())
    for (const item of Object.values(JSON.parse(JSON.stringify(items))) as {
      hooks: [{ command: string; args: string[] }]
    }[]) {
      expect(item.hooks[0].command).toBe(program.node)
      expect(item.hooks[0].args).toEqual([`${dist}\\hooks\\claude-code.js`])
      expect(settings?.lists[0]?.ours(item)).toEqual([[]])
    }
    expect(servers?.members[0]?.value).toMatchObject({
      command: program.node,
      args: [program.server, '--default-ttl=4h'],
    })
    expect(servers?.members[0]?.isOurs(servers.members[0].value)).toBe(true)
  })

  it('goes where CLAUDE_CONFIG_DIR points, the server too', async () => {
    const elsewhere = path.join(place.userHome, 'claude config')
    const machine = { ...place.machine, env: { CLAUDE_CONFIG_DIR: elsewhere } }
    await place.install({ machine })
    expect(Object.keys(place.json(path.join(elsewhere, 'settings.json')))).toEqual(['hooks'])
    expect(Object.keys(place.json(path.join(elsewhere, '.claude.json')))).toEqual(['mcpServers'])
    expect(fs.existsSync(place.settings)).toBe(false)
    // Also where the variable is forgotten at the time of the uninstall.
    await place.uninstall()
    expect(place.snapshot()).toEqual({})
  })

  it('goes into the .config.json of an early version where there is one', async () => {
    const older = path.join(place.userHome, '.claude', '.config.json')
    place.write(older, '{}')
    await place.install()
    expect(place.json(older)).toHaveProperty(['mcpServers', 'session-mcp'])
    expect(fs.existsSync(place.servers)).toBe(false)
  })
})

describe('the answer', () => {
  it('tells each file, and what to do next', async () => {
    place.write(place.settings, '{}')
    const answer = await place.install()
    expect(answer.files.map(({ path: file, did }) => [file, did])).toEqual([
      [place.settings, 'changed'],
      [place.servers, 'created'],
    ])
    expect(answer.files[0]?.entries).toEqual(EVENTS)
    expect(answer.next.join(' ')).toMatch(/Restart .*session-mcp doctor/)
    const back = await place.uninstall()
    expect(back.files.map(({ did }) => did)).toEqual(['restored', 'removed'])
  })

  it.each([
    ['{ // c\n }', 'Line 1 has a comment: Claude Code reads plain JSON only and ignores the whole file.'],
    ['{\n"a": 1,\n}', 'Line 2 has a comma after the last entry'],
    ['{"disableAllHooks": true}', 'Claude Code runs no hook at all'],
  ])('warns where %j makes the host ignore what was written', async (text, note) => {
    place.write(place.settings, text)
    expect((await place.install()).notes.join()).toContain(note)
  })

  it('warns when the plugin is there as well', async () => {
    const list = path.join(place.userHome, '.claude', 'plugins', 'installed_plugins.json')
    place.write(list, '{"version":2,"plugins":{"session-mcp@market":[{}]}}')
    expect((await place.install()).notes.join()).toContain('The plugin session-mcp is installed in Claude Code as well')
    place.write(list, 'not json')
    expect((await place.install()).notes).toEqual([])
  })
})

describe('--dry-run', () => {
  it('shows a diff of every file, and writes nothing at all', async () => {
    place.write(place.settings, '{\n  "model": "opus"\n}')
    const before = place.snapshot()
    const { files, changed } = await place.install({ dryRun: true })
    expect(changed).toBe(true)
    expect(place.snapshot()).toEqual(before)
    expect(fs.existsSync(place.home)).toBe(false)
    const [settings, servers] = files.map(({ diff }) => diff?.split('\n') ?? [])
    expect(settings?.slice(0, 9)).toEqual([
      `--- ${place.settings}`,
      `+++ ${place.settings}`,
      '@@ -1,3 +1,166 @@',
      ' {',
      '-  "model": "opus"',
      '+  "model": "opus",',
      '+  "hooks": {',
      '+    "SessionStart": [',
      '+      {',
    ])
    expect(settings?.slice(-2)).toEqual([' }', '\\ No newline at end of file'])
    expect(servers?.slice(0, 2)).toEqual(['--- /dev/null', `+++ ${place.servers}`])

    await place.install()
    const written = place.snapshot()
    const back = await place.uninstall({ dryRun: true })
    expect(back.files[1]?.diff?.split('\n')[1]).toBe('+++ /dev/null')
    expect(place.snapshot()).toEqual(written)
  })
})
