import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Check } from '../../src/cli/doctor/check.ts'
import { checkHosts } from '../../src/cli/doctor/hosts.ts'
import { hostsHere } from '../../src/cli/install/hosts-here.ts'
import { claudeCodeWiring } from '../../src/hosts/claude-code/wiring.ts'
import { openPlace, type Place } from './install-place.ts'

let place: Place
beforeEach(() => {
  place = openPlace()
})
afterEach(() => place.close())

const look = (env: Readonly<Record<string, string>> = {}, home = place.home): Promise<Check[]> =>
  checkHosts(
    {
      config: { home, userHome: place.userHome, env },
      machine: { ...place.machine, env },
      program: place.program(),
      opened: undefined,
    },
    [claudeCodeWiring],
  )

/** Installs, spoils something, and gives what the one check of the wire says then. */
async function broken(spoil: () => void): Promise<Check | undefined> {
  await place.install()
  spoil()
  const [check] = await look()
  return check
}

const scriptIs = (source: string) => fs.writeFileSync(path.join(place.program().hooks, 'claude-code.js'), source)

describe('a host', () => {
  it('that is not here is no fault', async () => {
    expect(await look()).toEqual([{ area: 'hosts', level: 'ok', text: 'Claude Code is not on this machine.' }])
  })

  it('is found by its program on PATH, and by its directory; the command to install is named', async () => {
    const bin = path.join(place.root, 'bin')
    place.write(path.join(bin, 'claude'), '')
    expect((await look({ PATH: `relative:${bin}` }))[0]?.level).toBe('ok')
    fs.chmodSync(path.join(bin, 'claude'), 0o755)
    expect((await look({ PATH: `relative:${bin}` }))[0]).toMatchObject({
      level: 'warn',
      text: expect.stringContaining(path.join(bin, 'claude')),
      fix: 'Run session-mcp install claude-code.',
    })
    fs.mkdirSync(path.dirname(place.settings))
    expect((await look())[0]?.level).toBe('warn')
  })

  it('is well when every entry is there and the hook answers, with the time it took', async () => {
    await place.install()
    const checks = await look()
    expect(checks.map(({ level }) => level)).toEqual(['ok', 'ok'])
    expect(checks[0]).toMatchObject({ level: 'ok' })
    expect(checks[0]?.text).toMatch(/^Claude Code: 9 entries wired; the hook answers in \d+ ms\.$/)
  })

  it('that is wired by its plugin needs no install; both are one too many', async () => {
    const plugins = path.join(place.userHome, '.claude', 'plugins', 'installed_plugins.json')
    place.write(plugins, '{"plugins":{"session-mcp@here":[]}}')
    expect((await look())[0]).toMatchObject({ level: 'ok', text: expect.stringContaining('plugin') })
    await place.install()
    expect((await look())[1]).toMatchObject({
      level: 'warn',
      fix: 'Remove it, or run session-mcp uninstall claude-code.',
    })
  })
})

describe('the first broken link', () => {
  it('is settings that cannot be read, with the line', async () => {
    expect(await broken(() => place.write(place.settings, '{\n"hooks": [\n'))).toMatchObject({
      level: 'fail',
      text: `Claude Code: ${place.settings}, line 3: the end of the file stands where a value must be.`,
    })
  })

  it('is a comment, which makes the host ignore them', async () => {
    const check = await broken(() => place.write(place.settings, `// mine\n${place.read(place.settings)}`))
    expect(check).toMatchObject({ level: 'fail', text: expect.stringContaining('Line 1 has a comment') })
  })

  it('is an event that is missing, or the server', async () => {
    const check = await broken(() => {
      const { hooks } = place.json(place.settings) as { hooks: Record<string, unknown> }
      const { Stop, FileChanged, ...rest } = hooks
      place.write(place.settings, JSON.stringify({ hooks: rest }))
    })
    expect(check).toMatchObject({
      level: 'fail',
      text: `Claude Code: Stop and FileChanged are missing in ${place.settings}.`,
      fix: 'Run session-mcp install claude-code.',
    })
    expect(await broken(() => place.write(place.servers, '{}'))).toMatchObject({
      text: `Claude Code: MCP server session-mcp is missing in ${place.servers}.`,
    })
  })

  it('is not a server that a person registered by hand', async () => {
    const server = JSON.stringify({ mcpServers: { 'session-mcp': { command: 'npx', args: ['session-mcp'] } } })
    expect((await broken(() => place.write(place.servers, server)))?.level).toBe('ok')
  })

  it('is a Node that is gone, a script that is gone', async () => {
    const node = path.join(place.root, 'node')
    fs.symlinkSync(process.execPath, node)
    await place.install({ program: { ...place.program(), node } })
    fs.rmSync(node)
    expect((await look())[0]).toMatchObject({
      level: 'fail',
      text: `Claude Code: ${node}, which it starts, is not there or cannot be run.`,
      fix: 'Run session-mcp install claude-code.',
    })
    for (const name of ['hooks/gate.sh', 'hooks/claude-code.js', 'index.js']) {
      await place.install({ program: place.program(path.join(place.root, 'old', 'dist')) })
      const gone = path.join(place.root, 'old', 'dist', name)
      fs.rmSync(gone)
      expect((await look())[0]?.text).toBe(`Claude Code: ${gone}, which it starts, is not there or cannot be read.`)
    }
  })

  it('is two homes', async () => {
    const check = await broken(() =>
      place.write(place.servers, place.read(place.servers)?.replace('"--default-ttl=4h"', '"--home=/other"')),
    )
    expect(check?.text).toBe(`Claude Code: its hooks and its server use different buses: ${place.home} and /other.`)
  })

  it('is a home this command does not look at', async () => {
    await place.install()
    const [check] = await look({}, path.join(place.root, 'elsewhere'))
    expect(check).toMatchObject({ level: 'warn', fix: expect.stringContaining(`--home="${place.home}"`) })
  })

  it.each([
    ['process.exit(3)', /the hook .*claude-code\.js ends with 3\./],
    ['throw new Error("lost")', /ends with 1\. It said: Error: lost/],
    [`throw new TypeError("lost") // ${'far '.repeat(60)}`, /ends with 1\. It said: TypeError: lost/],
    ['console.error("lost"); process.exit(1)', /ends with 1\. It said: lost/],
    ['console.log("hello")', /prints what no host can read: hello/],
    ['console.log("{}"); console.log("{}")', /prints what no host can read: \{\} \{\}/],
  ])('is a hook that does not answer: %s', async (source, text) => {
    const check = await broken(() => scriptIs(source))
    expect(check?.level).toBe('fail')
    expect(check?.text).toMatch(text)
  })

  it('is a switch in the settings of the project, where the one of the person alone counts most', async () => {
    await place.install()
    const cwd = path.join(place.root, 'shop')
    const said = async () => {
      const view = { config: { home: place.home, userHome: place.userHome, env: {} }, opened: undefined }
      const checks = await checkHosts({ ...view, machine: { ...place.machine, cwd }, program: place.program() }, [
        claudeCodeWiring,
      ])
      return checks.filter(({ level }) => level === 'warn')
    }
    const [shared, local] = ['settings.json', 'settings.local.json'].map((name) => path.join(cwd, '.claude', name))
    if (shared === undefined || local === undefined) throw new Error('unreachable')
    place.write(shared, '{"disableAllHooks":true}')
    const text = (file: string) => `Claude Code: "disableAllHooks" is true in ${file}, so no hook runs in this folder.`
    expect(await said()).toEqual([
      { area: 'hosts', level: 'warn', text: text(shared), fix: 'Take it out of the file.' },
    ])
    place.write(local, '{"disableAllHooks":false}')
    expect(await said()).toEqual([])
    place.write(local, '{"disableAllHooks":true}')
    expect(await said()).toMatchObject([{ text: text(local) }])
  })

  it('is a switch of whoever manages the machine', () => {
    const said = (settings: object) =>
      claudeCodeWiring.obstacles?.({
        ...place.machine,
        read: (file) => (file === '/etc/claude-code/managed-settings.json' ? settings : undefined),
      })
    expect(said({ model: 'x' })).toEqual([])
    for (const name of ['disableAllHooks', 'allowManagedHooksOnly']) {
      expect(said({ [name]: true })).toMatchObject([
        { text: `"${name}" is true in /etc/claude-code/managed-settings.json, so none of our hooks runs.` },
      ])
    }
  })

  it('is a hook that is silent since it failed, as under a Node too old for it', async () => {
    const check = await broken(() =>
      scriptIs(`const fs = require('node:fs')
        const log = require('node:path').join(process.argv[3], 'log')
        fs.mkdirSync(log)
        const line = { t: new Date().toISOString(), level: 'error', event: 'hook', fault: 'ReferenceError: crypto is not defined' }
        fs.writeFileSync(log + '/hooks.log', JSON.stringify(line) + '\\n')`),
    )
    expect(check?.level).toBe('fail')
    expect(check?.text).toMatch(/is silent since it failed: hook, fault ReferenceError: crypto is not defined$/)
  })

  it('is not a hook that cannot be tried from here, as in a sandbox: that is said, and no install is advised', async () => {
    await place.install()
    vi.stubEnv('TMPDIR', path.join(place.root, 'nowhere'))
    try {
      const [check] = await look()
      expect(check).toMatchObject({
        level: 'ok',
        text: expect.stringMatching(/9 entries wired; the hook was not tried: /),
      })
    } finally {
      vi.unstubAllEnvs()
    }
  })

  it('is tried on a home of its own, with nothing of a session around it', async () => {
    const seen = path.join(place.root, 'seen.json')
    await place.install()
    scriptIs(
      `let s = ''; process.stdin.on('data', (d) => { s += d }).on('end', () => require('node:fs').writeFileSync(${JSON.stringify(seen)}, JSON.stringify({ argv: process.argv.slice(2), env: process.env, payload: JSON.parse(s) })))`,
    )
    const [check] = await look({ CLAUDE_PID: '1', SESSION_MCP_HOME: place.home, KEPT: '1' })
    expect(check?.level).toBe('ok')
    const { argv, env, payload } = place.json(seen) as Record<string, Record<string, string>>
    expect(argv?.[0]).toBe('--home')
    expect(argv?.[1]).toContain(path.join(fs.realpathSync(os.tmpdir()), 'session-mcp-doctor-'))
    expect(fs.existsSync(argv?.[1] ?? '')).toBe(false)
    expect(payload).toMatchObject({ hook_event_name: 'SessionEnd', session_id: 'session-mcp-doctor' })
    expect(env).toMatchObject({ KEPT: '1' })
    expect(Object.keys(env ?? {}).filter((name) => /^(CLAUDE|SESSION_MCP)/.test(name))).toEqual([])
  })
})

describe('the list of hosts', () => {
  it('says what is here and how far it is installed', async () => {
    const state = () => hostsHere(place.machine, place.program())[0]
    expect(state()).toMatchObject({ host: 'claude-code', found: null, installed: 'no' })
    await place.install()
    expect(state()).toMatchObject({ found: path.dirname(place.settings), installed: 'yes' })
    place.write(place.servers, '{}')
    expect(state()).toMatchObject({ installed: 'partly' })
    place.write(place.servers, '{')
    expect(state()).toMatchObject({ installed: 'unknown', why: expect.stringContaining('line 1') })
  })
})
