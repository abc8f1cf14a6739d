/** How sessions are started, as data: every host, every argument. */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { identityVariables, launchable, lineage, notAFolder, programIn, typedByHand } from '../../src/hosts/launch.ts'
import { HOSTS } from '../../src/hosts/table.ts'

const HOSTILE = [
  '-n --help',
  `it's "quoted" \\`,
  '$(touch PWNED) `touch PWNED` #(touch PWNED)',
  'first\nsecond\n\n\tthird;',
  '; touch PWNED ;',
]
const STARTED = HOSTS.flatMap(({ kind }) => launchable(kind) ?? [])

let place: string
beforeEach(() => {
  place = fs.mkdtempSync(path.join(os.tmpdir(), 'session-mcp-launch-'))
})
afterEach(() => fs.rmSync(place, { recursive: true, force: true }))

describe('the arguments of a start', () => {
  it('are known for five hosts', () => {
    expect(STARTED.map(({ kind, launch }) => [kind, launch.args({ name: 'N', model: 'M', prompt: 'P' })])).toEqual([
      ['claude-code', ['-n', 'N', '--model', 'M', '--', 'P']],
      ['codex', ['-m', 'M', '--', 'P']],
      ['copilot', ['-n', 'N', '--model', 'M', '-i', 'P']],
      ['gemini', ['--model=M', '--prompt-interactive=P']],
      ['opencode', ['--model=M', '--prompt=P']],
    ])
  })

  it.each(STARTED.map((host) => [host.kind, host] as const))('of %s loosen no permission', (_kind, { launch }) => {
    const all = [
      { prompt: 'x' },
      { prompt: 'x', name: 'n' },
      { prompt: 'x', model: 'm' },
      { prompt: 'x', name: 'n', model: 'm' },
    ]
    const flags = all.flatMap((wanted) => launch.args(wanted)).filter((each) => each.startsWith('-'))
    const harmless = ['--', '-n', '-m', '-i', '--model', '--model=m', '--prompt=x', '--prompt-interactive=x']
    expect(flags.filter((flag) => !harmless.includes(flag))).toEqual([])
  })

  it.each(STARTED.map((host) => [host.kind, host] as const))(
    'of %s hold a prompt whole, as one',
    (_kind, { launch }) => {
      for (const prompt of HOSTILE) {
        const args = launch.args({ prompt, name: 'n', model: 'm' })
        expect(args.filter((each) => each.endsWith(prompt))).toHaveLength(1)
        expect(args.length).toBe(launch.args({ prompt: 'x', name: 'n', model: 'm' }).length)
      }
    },
  )
})

describe('what a person would type', () => {
  it('is the same start: nothing in it runs in a shell', () => {
    const folder = path.join(place, `it's $(touch PWNED) here`)
    fs.mkdirSync(folder)
    const record = path.join(place, 'claude')
    fs.writeFileSync(record, `#!/bin/sh\nprintf '%s\\0' "$PWD" "$@"\n`, { mode: 0o755 })
    const host = launchable('claude-code')
    if (host === undefined) throw new Error('claude-code is started')
    for (const prompt of HOSTILE) {
      const line = typedByHand(host, { projectPath: folder, prompt, name: 'a b', model: 'm' })
      const out = execFileSync('/bin/sh', ['-c', line.replace(/^In a terminal: /, '')], {
        env: { PATH: `${place}:/usr/bin:/bin` },
        cwd: place,
        encoding: 'utf8',
      })
      expect(out.split('\0').slice(0, -1)).toEqual([fs.realpathSync(folder), '-n', 'a b', '--model', 'm', '--', prompt])
    }
    expect(
      fs
        .readdirSync(place)
        .concat(fs.readdirSync(folder))
        .filter((name) => name === 'PWNED'),
    ).toEqual([])
  })
})

describe('C055: what says who a session is', () => {
  it('holds the variables of every host, and our own', () => {
    const names = identityVariables()
    for (const name of [
      'CLAUDE_CODE_SESSION_ID',
      'CLAUDECODE',
      'CODEX_THREAD_ID',
      'OPENCODE_PID',
      'GEMINI_SESSION_ID',
    ]) {
      expect(names).toContain(name)
    }
    for (const { envSession } of HOSTS) if (envSession !== undefined) expect(names).toContain(envSession)
    const marks = HOSTS.flatMap(({ shellMarks = [], envShell }) => [...shellMarks, ...(envShell ? [envShell] : [])])
    expect(marks.filter((name) => !names.includes(name))).toEqual([])
    for (const name of ['SESSION_MCP_SESSION_ID', 'SESSION_MCP_NAME', 'SESSION_MCP_SPAWN'])
      expect(names).toContain(name)
  })

  it('leaves settings alone, and who started whom is passed on', () => {
    const host = launchable('claude-code')
    if (host === undefined) throw new Error('claude-code is started')
    const env = {
      CLAUDE_CODE_LAUNCHED_BY_SESSION_IDS: 'a,b',
      CLAUDE_CODE_USE_BEDROCK: '1',
      CLAUDE_CODE_SESSION_ID: 'a',
    }
    expect(identityVariables().filter((name) => name in env)).toEqual(['CLAUDE_CODE_SESSION_ID'])
    expect(lineage(host, env)).toEqual({ CLAUDE_CODE_LAUNCHED_BY_SESSION_IDS: 'a,b' })
  })
})

describe('finding a program', () => {
  it('takes the first in PATH that can be run, and none from a relative folder', () => {
    const [first, second] = ['first', 'second'].map((name) => path.join(place, name))
    for (const folder of [first, second]) fs.mkdirSync(folder ?? '')
    fs.writeFileSync(path.join(first ?? '', 'tool'), '', { mode: 0o600 })
    fs.writeFileSync(path.join(second ?? '', 'tool'), '', { mode: 0o700 })
    fs.mkdirSync(path.join(first ?? '', 'folder'))
    const env = { PATH: `.:${path.relative(process.cwd(), second ?? '')}:${first}:${second}` }
    expect(programIn(env, 'tool')).toBe(path.join(second ?? '', 'tool'))
    expect(programIn(env, 'folder')).toBeUndefined()
    expect(programIn({}, 'tool')).toBeUndefined()
  })

  it('says what is wrong with a folder', () => {
    expect(notAFolder(place)).toBeUndefined()
    expect(notAFolder(path.join(place, 'none'))).toMatch(/there is no folder/)
    fs.writeFileSync(path.join(place, 'file'), '')
    expect(notAFolder(path.join(place, 'file'))).toMatch(/is not a folder/)
  })
})
