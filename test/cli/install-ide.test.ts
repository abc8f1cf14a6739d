/** Hosts that load plugins of ours from a folder: whole files are laid there, and taken away again. */

import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkHosts } from '../../src/cli/doctor/hosts.ts'
import type { Job } from '../../src/cli/install/install.ts'
import { configFor } from '../../src/cli/install/machine.ts'
import { readConfig } from '../../src/config.ts'
import { engineerWiring } from '../../src/hosts/engineer/wiring.ts'
import { msunWiring } from '../../src/hosts/msun/wiring.ts'
import { openPlace, type Place } from './install-place.ts'

const DIST = path.resolve('dist')
const PLUGINS = ['scene-model-context', 'session-coordination', 'session-manager-bridge']

let place: Place
let home: string
let msun: Partial<Job>
let servers: string
beforeEach(() => {
  place = openPlace()
  home = path.join(place.userHome, '.msun', 'session-mcp')
  msun = { wiring: msunWiring, program: place.program(DIST, home) }
  servers = path.join(place.userHome, '.msun', 'mcp-servers.json')
})
afterEach(() => place.close())

const plugin = (name: string, file = 'index.js') => path.join(place.userHome, '.msun', 'plugins', name, file)
const filesOf = (snapshot: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(snapshot).filter(([name]) => !name.startsWith(path.join('.msun', 'session-mcp'))))

describe('install msun', () => {
  it('lays each plugin into its folder as it was built, with the home of the server', async () => {
    await place.install(msun)
    for (const name of PLUGINS) {
      expect(place.read(plugin(name))).toBe(place.read(path.join(DIST, 'plugins', name, 'index.js')))
      expect(place.json(plugin(name, 'package.json'))).toEqual({ type: 'commonjs' })
      expect(place.json(plugin(name, 'config.json'))).toEqual({ home })
    }
    expect(fs.readdirSync(path.dirname(path.dirname(plugin('x')))).sort()).toEqual(PLUGINS)
  })

  it('writes the server as the IDE reads it, beside those that are there', async () => {
    place.write(servers, '{"files": {"command": "files", "enabled": false}}')
    await place.install(msun)
    expect(place.json(servers)).toEqual({
      files: { command: 'files', enabled: false },
      'session-mcp': {
        command: 'node',
        args: [path.join(DIST, 'index.js'), '--default-ttl=4h', `--home=${home}`],
        env: {},
        enabled: true,
      },
    })
  })

  it('has a home of its own unless another one is asked for', () => {
    const world = { env: {}, userHome: place.userHome, cwd: place.userHome }
    expect(configFor(readConfig({}, world), msunWiring, place.machine).home).toBe(home)
    const other = readConfig({ home: '~/elsewhere' }, world)
    expect(configFor(other, msunWiring, place.machine).home).toBe(path.join(place.userHome, 'elsewhere'))
  })

  it('says that the two servers it replaces should go, and leaves them', async () => {
    place.write(servers, '{"session-coordinator": {"command": "a"}, "session-manager": {"command": "b"}}')
    const { notes } = await place.install(msun)
    expect(notes.join()).toContain('still has session-coordinator and session-manager, which session-mcp replaces')
    expect(Object.keys(place.json(servers) as object)).toContain('session-manager')
  })

  it('changes nothing a second time, and nothing at all with --dry-run', async () => {
    const before = place.snapshot()
    const planned = await place.install({ ...msun, dryRun: true })
    expect(planned.files.map(({ diff = '' }) => diff.split('\n')[1])).toContain(`+++ ${plugin('session-coordination')}`)
    expect(place.snapshot()).toEqual(before)
    await place.install(msun)
    const once = place.snapshot()
    expect(await place.install(msun)).toMatchObject({ changed: false })
    expect(place.snapshot()).toEqual(once)
  })

  it('is undone to the byte, also over plugins and a server of the same name that were there before', async () => {
    place.write(plugin('session-coordination', 'index.js'), 'module.exports = { onSend() {} } // mine\r\n')
    place.write(plugin('session-coordination', 'notes.txt'), 'keep')
    place.write(
      servers,
      '{"session-mcp": {"command": "node", "args": ["D:\\\\dist\\\\index.js", "--default-ttl=4h"]} }',
    )
    const before = filesOf(place.snapshot())
    const { notes } = await place.install(msun)
    expect(notes.join()).toContain('plugin session-coordination written by hand; uninstall puts it back')
    await place.uninstall(msun)
    expect(filesOf(place.snapshot())).toEqual(before)
  })

  it('leaves no empty folder beside one in which a person put a file', async () => {
    await place.install(msun)
    place.write(plugin('scene-model-context', 'notes.txt'), 'mine')
    await place.uninstall(msun)
    expect(fs.readdirSync(path.dirname(path.dirname(plugin('x'))))).toEqual(['scene-model-context'])
    expect(fs.readdirSync(path.dirname(plugin('scene-model-context')))).toEqual(['notes.txt'])
  })

  it('without its record is still undone: a plugin tells by its first line that it is ours and unchanged', async () => {
    await place.install(msun)
    fs.rmSync(path.join(home, 'installed'), { recursive: true })
    fs.appendFileSync(plugin('scene-model-context'), '// mine\n')
    const { notes } = await place.uninstall(msun)
    expect(fs.existsSync(plugin('session-coordination'))).toBe(false)
    expect(place.read(plugin('scene-model-context'))).toMatch(/\/\/ mine\n$/)
    expect(notes.join()).toContain('plugin scene-model-context was written by hand and stays')
    expect(place.json(servers)).toEqual({})
  })

  it('is refused whole where a plugin was not built', async () => {
    const before = place.snapshot()
    await expect(place.install({ ...msun, program: place.program(undefined, home) })).rejects.toMatchObject({
      message: expect.stringContaining(path.join('session-coordination', 'index.js')),
    })
    expect(place.snapshot()).toEqual(before)
  })
})

describe('install engineer', () => {
  it('lays one plugin into the project around the current directory; each project has its own', async () => {
    const projects = ['one', 'two'].map((name) => path.join(place.userHome, name))
    const jobs = projects.map((project): Partial<Job> => {
      fs.mkdirSync(path.join(project, '.git'), { recursive: true })
      fs.mkdirSync(path.join(project, 'src'))
      const machine = { ...place.machine, cwd: path.join(project, 'src') }
      return { wiring: engineerWiring, machine, program: place.program(DIST, home) }
    })
    const [one, two] = jobs
    await place.install(one)
    const onlyOne = filesOf(place.snapshot())
    await place.install(two)
    const script = (project = '') => path.join(project, '.engineer', 'plugins', 'session-mcp', 'index.js')
    for (const project of projects) {
      expect(place.read(script(project))).toBe(place.read(path.join(DIST, 'hooks', 'cli-plugin', 'index.js')))
    }
    await place.uninstall(two)
    expect(filesOf(place.snapshot())).toEqual(onlyOne)
    expect(await place.install(one)).toMatchObject({ changed: false })
  })

  it('takes a folder that has plugins of the host for a project of its own, inside a repository and without one', async () => {
    const repository = path.join(place.userHome, 'all')
    fs.mkdirSync(path.join(repository, '.git'), { recursive: true })
    fs.mkdirSync(path.join(place.userHome, '.engineer'))
    for (const project of [path.join(repository, 'app'), path.join(place.userHome, 'loose')]) {
      fs.mkdirSync(path.join(project, '.engineer'), { recursive: true })
      fs.mkdirSync(path.join(project, 'src'))
      const machine = { ...place.machine, cwd: path.join(project, 'src') }
      await place.install({ wiring: engineerWiring, machine, program: place.program(DIST, home) })
      expect(fs.existsSync(path.join(project, '.engineer', 'plugins', 'session-mcp', 'index.js'))).toBe(true)
    }
    expect(fs.readdirSync(path.join(place.userHome, '.engineer'))).toEqual([])
  })
})

describe('doctor', () => {
  const look = async () => {
    const { machine, userHome } = place
    const config = { home, userHome, env: {} }
    const checks = await checkHosts({ config, machine, program: place.program(DIST, home), opened: undefined })
    return checks.filter(({ text }) => text.startsWith('msun'))
  }

  it('loads the installed plugins as the IDE does', async () => {
    await place.install(msun)
    expect(await look()).toEqual([
      {
        area: 'hosts',
        level: 'ok',
        text: expect.stringMatching(/^msun: 10 entries wired; its plugins answer in \d+ ms\.$/),
      },
    ])
    expect(fs.existsSync(path.join(home, 'sessions'))).toBe(false)
    place.write(plugin('scene-model-context'), 'throw new Error("lost")')
    expect((await look())[0]).toMatchObject({
      level: 'fail',
      text: 'msun: its plugins cannot be loaded. Node said: scene-model-context: Error: lost',
    })
  })

  it.each([
    [
      'the bridge that is gone',
      () => fs.rmSync(plugin('session-manager-bridge')),
      'fail',
      'plugin session-manager-bridge is missing',
    ],
    [
      'a plugin that is gone',
      () => fs.rmSync(plugin('session-coordination')),
      'fail',
      'plugin session-coordination is missing',
    ],
    ['a server that is switched off', () => edit((server) => ({ ...server, enabled: false })), 'fail', 'switched off'],
    [
      'two homes',
      () => edit((server) => ({ ...server, args: [path.join(DIST, 'index.js'), '--home=/other'] })),
      'fail',
      'different buses',
    ],
  ])('finds %s', async (_, spoil, level, text) => {
    await place.install(msun)
    spoil()
    expect((await look())[0]).toMatchObject({ level, text: expect.stringContaining(text) })
  })

  it('tells of the servers that are replaced, and of plugins of another version', async () => {
    place.write(servers, '{"session-manager": {}}')
    await place.install(msun)
    const other = path.join(place.root, 'newer')
    fs.cpSync(path.join(DIST, 'plugins'), path.join(other, 'plugins'), { recursive: true })
    fs.appendFileSync(path.join(other, 'plugins', 'session-coordination', 'index.js'), '\n')
    const { machine, userHome } = place
    const program = place.program(other, home)
    const checks = await checkHosts({ config: { home, userHome, env: {} }, machine, program, opened: undefined })
    const warnings = checks.filter(({ level }) => level === 'warn').map(({ text }) => text)
    expect(warnings).toEqual([
      expect.stringContaining('still has session-manager'),
      'msun has plugins of another version of session-mcp.',
    ])
  })

  function edit(change: (server: object) => object): void {
    const all = place.json(servers) as Record<string, object>
    place.write(servers, JSON.stringify({ ...all, 'session-mcp': change(all['session-mcp'] ?? {}) }))
  }
})
