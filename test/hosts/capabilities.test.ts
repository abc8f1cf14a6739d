/** The capability table says what the code does, and claims as tested only what it lists. */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CAPABILITY_NAMES, hostCapabilities } from '../../src/hosts/capabilities.ts'
import { traitsOf } from '../../src/hosts/ide.ts'
import { PROOFS } from '../../src/hosts/proofs.ts'
import { HOSTS } from '../../src/hosts/table.ts'
import { tmuxExecutor } from '../../src/hosts/tmux/executor.ts'
import { merged, type Ran, unproved } from '../e2e/lab/proofs-reporter.ts'
import { makeSocketFolder } from '../processes/lab/socket-folder.ts'

const table = hostCapabilities()
const doorsOf = (kind: string, capability: string) =>
  table
    .find(({ host }) => host === kind)
    ?.lines.find((line) => line.capability === capability)
    ?.ways.map(({ door }) => door)

describe('the capability table', () => {
  it('has every host, and of each host every capability once', () => {
    expect(table.map(({ host }) => host)).toEqual(HOSTS.map(({ kind }) => kind))
    for (const { lines } of table) expect(lines.map(({ capability }) => capability)).toEqual(CAPABILITY_NAMES)
    for (const { host } of table)
      for (const name of CAPABILITY_NAMES)
        expect(new Set(doorsOf(host, name)).size, `${host} ${name}`).toBe(doorsOf(host, name)?.length)
  })

  it('wakes by the doors that the record of a session names, and by no other', () => {
    for (const { kind, doors } of HOSTS.filter((host) => host.kind !== 'msun'))
      expect(doorsOf(kind, 'wake'), kind).toEqual(doors)
    expect(doorsOf('msun', 'wake')).toEqual(
      traitsOf({ sessionId: 'x' }, { kind: 'msun', performs: true }, { pid: 1 }).doors,
    )
  })

  it.skipIf(process.platform === 'win32')('says of tmux what its executor offers', async () => {
    // Of a socket and a program it asks only whether they are there.
    const place = makeSocketFolder()
    onTestFinished(() => fs.rmSync(place, { recursive: true, force: true }))
    const terminal = path.join(place, 'socket')
    const server = net.createServer()
    await new Promise<void>((resolve) => server.listen(terminal, resolve))
    onTestFinished(() => void server.close())
    fs.writeFileSync(path.join(place, 'tmux'), '', { mode: 0o755 })
    const env = { PATH: place, TMUX: `${terminal},1,0`, TMUX_PANE: '%1' }
    const executor = tmuxExecutor({ env, home: place, processes: { check: () => 'alive' } })
    const terminals = HOSTS.filter(({ launch }) => launch !== undefined)
    expect(terminals.length).toBeGreaterThan(3)
    for (const { kind } of terminals) {
      const target = { id: 'a', hostKind: kind, hostSessionId: 'a', pane: '%2', terminal }
      for (const name of [
        'switch',
        'close',
        'cancel',
        'rename',
        'set_model',
        'set_scene',
        'set_input',
        'pin',
      ] as const) {
        const offer = await executor.offers(name, target, {})
        const isPlugins = doorsOf(kind, name)?.includes('plugin') === true
        expect(doorsOf(kind, name)?.includes('tmux'), `${kind} ${name}`).toBe(offer?.can && !isPlugins)
      }
      const create: unknown = await executor.offers(
        'create',
        { ...target, beside: target },
        { host: kind, projectPath: '/' },
      )
      expect(create).toEqual({ can: true })
      expect(doorsOf(kind, 'create')).toContain('tmux')
    }
  })

  it('claims nothing that has no line in it', () => {
    expect(PROOFS.length).toBeGreaterThan(0)
    for (const [kind, version, capability, door, date] of PROOFS) {
      expect(doorsOf(kind, capability), `${kind} ${capability}`).toContain(door)
      expect(version).toMatch(/^\d+\.\d+\.\d+/)
      expect(date).toMatch(/^\d{4}-\d\d-\d\d$/)
    }
  })
})

describe('a run of the host tests', () => {
  const exists = (test: string) => test !== 'gone'
  const wake = ['codex', '1.0.0', 'wake', 'queue', '2026-01-01', 'one'] as const
  const inject = ['codex', '1.0.0', 'inject', 'hooks', '2026-01-01', 'two'] as const
  const ran = (test: string, proofs: Ran['proofs'] = [], isWhole = true): Ran => ({ test, isWhole, proofs })

  it('fails for a claim that its test did not show, or whose test is gone', () => {
    expect(unproved([wake, inject], [ran('one'), ran('two', [inject])], exists)).toEqual([wake])
    expect(unproved([[...wake.slice(0, 5), 'gone'] as unknown as typeof wake], [], exists)).toHaveLength(1)
  })

  it('says nothing of tests that did not run, ran in part, or showed it on another version', () => {
    expect(unproved([wake, inject], [ran('two', [inject])], exists)).toEqual([])
    expect(unproved([wake], [ran('one', [], false)], exists)).toEqual([])
    expect(unproved([wake], [ran('one', [['codex', '1.0.1', 'wake', 'queue', '2026-02-01', 'one']])], exists)).toEqual(
      [],
    )
  })

  it('replaces what its own tests proved before, and keeps the rest', () => {
    const later = ['codex', '1.0.1', 'wake', 'queue', '2026-02-01', 'one'] as const
    expect(merged([wake, inject], [ran('one', [later])], exists)).toEqual([inject, later])
    expect(merged([wake, inject], [ran('one')], exists)).toEqual([inject])
    expect(merged([wake, inject], [ran('one', [], false)], exists)).toEqual([inject, wake])
  })

  it('has a proof once where two tests show the same, with the newer date', () => {
    const again = ['codex', '1.0.0', 'wake', 'queue', '2026-02-01', 'three'] as const
    expect(merged([wake], [ran('three', [again])], exists)).toEqual([wake])
    const both = [
      ran('three', [again]),
      ran('one', [[...wake.slice(0, 4), '2026-02-01', 'one'] as unknown as typeof wake]),
    ]
    expect(merged([wake], both, exists)).toEqual([['codex', '1.0.0', 'wake', 'queue', '2026-02-01', 'one']])
  })
})

describe('docs/', () => {
  it('are what the code says; else run npm run docs', () => {
    const root = path.resolve(import.meta.dirname, '../..')
    const { status, stderr } = spawnSync(process.execPath, ['scripts/run.mjs', 'scripts/gen-docs.ts', '--check'], {
      cwd: root,
      encoding: 'utf8',
    })
    // Node may have remarks of its own there, about the environment of the machine.
    expect(status, stderr).toBe(0)
  })
})
