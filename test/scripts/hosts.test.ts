/** scripts/hosts.mjs, with an npm that fails as a network does: what is retried, and what a later run finds and mends. */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const SCRIPT = path.resolve(import.meta.dirname, '../../scripts/hosts.mjs')

/** Puts a program that prints its version wherever a host of any platform would have its own; `plan` says what goes wrong. */
const NPM = `#!/usr/bin/env node
const fs = require('node:fs')
const path = require('node:path')
const at = path.dirname(__dirname)
const args = process.argv.slice(2)
const wanted = args.at(-1)
const prefix = args[args.indexOf('--prefix') + 1]
fs.appendFileSync(path.join(at, 'calls'), wanted + '\\n')
const plan = JSON.parse(fs.readFileSync(path.join(at, 'plan.json'), 'utf8'))
const next = (plan[wanted] ?? []).shift()
fs.writeFileSync(path.join(at, 'plan.json'), JSON.stringify(plan))
if (next !== undefined && next !== 'broken') {
  console.error('npm error code ' + next)
  process.exit(1)
}
const version = /[\\d.]+$/.exec(wanted)[0]
const [os, cpu] = [process.platform, process.arch]
const target = (cpu === 'arm64' ? 'aarch64' : 'x86_64') + '-' + ({ darwin: 'apple-darwin' }[os] ?? 'unknown-linux-musl')
const files = [
  '@anthropic-ai/claude-code-' + os + '-' + cpu + '/claude',
  '@anthropic-ai/claude-code-' + os + '-' + cpu + '-musl/claude',
  'opencode-' + os + '-' + cpu + '/bin/opencode',
  '@openai/codex-' + os + '-' + cpu + '/vendor/' + target + '/bin/codex',
]
for (const each of files) {
  const file = path.join(prefix, 'node_modules', each)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, next === 'broken' ? '' : '#!/bin/sh\\necho ' + version + '\\n', { mode: 0o755 })
}
`

interface Listed {
  readonly name: string
  readonly version?: string
  readonly executable?: string
  readonly missing?: string
}

/** What it asks npm for first. */
const wanted = '@anthropic-ai/claude-code@2.1.197'
let root = ''
const at = (...parts: string[]) => path.join(root, ...parts)

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'session-mcp-hosts-'))
  for (const folder of ['scripts', 'bin']) fs.mkdirSync(at(folder))
  fs.copyFileSync(SCRIPT, at('scripts', 'hosts.mjs'))
  fs.writeFileSync(at('bin', 'npm'), NPM, { mode: 0o755 })
})

afterEach(() => fs.rmSync(root, { recursive: true, force: true }))

/** @param plan for what npm is asked, what it runs into call by call. @returns what was said, asked of npm, and listed. */
function run(plan: Record<string, string[]> = {}) {
  fs.writeFileSync(at('plan.json'), JSON.stringify(plan))
  fs.writeFileSync(at('calls'), '')
  const env = { ...process.env, PATH: [at('bin'), process.env['PATH']].join(path.delimiter) }
  const { stdout, stderr, status } = spawnSync(process.execPath, [at('scripts', 'hosts.mjs')], {
    env,
    encoding: 'utf8',
  })
  expect(status, stderr).toBe(0)
  const calls = fs.readFileSync(at('calls'), 'utf8').split('\n').filter(Boolean)
  const list = JSON.parse(fs.readFileSync(at('.lab', 'hosts.json'), 'utf8')) as Listed[]
  return { stdout, calls, list, of: (name: string) => list.find((each) => each.name === name) }
}

describe.skipIf(process.platform === 'win32')('the installer of hosts', { timeout: 180_000 }, () => {
  it('asks for one release of each, and for none of them again', () => {
    const first = run()
    expect(first.calls).toHaveLength(4)
    expect(first.calls[0]).toBe(wanted)
    for (const each of first.calls) expect(each).toMatch(/@\d+\.\d+\.\d+$/)
    expect(first.list.map(({ missing }) => missing)).toEqual(first.list.map(() => undefined))
    expect(run().calls).toEqual([])
  })

  it('tries a download again that failed', () => {
    const { calls, of, stdout } = run({ [wanted]: ['ECONNRESET'] })
    expect(calls.filter((each) => each === wanted)).toHaveLength(2)
    expect(of('claude-code')).toMatchObject({ version: wanted.split('@').at(-1) })
    expect(stdout).toContain('claude-code: npm install: exit 1: code ECONNRESET; once more in 2 s')
  })

  it('tries an install again that left no program which runs', () => {
    const { calls, of } = run({ [wanted]: ['broken'] })
    expect(calls.filter((each) => each === wanted)).toHaveLength(2)
    expect(of('claude-code')?.version).toBeDefined()
  })

  it('installs anew what an earlier run left broken, and only that', () => {
    const { calls, of } = run()
    fs.writeFileSync(of('claude-code')?.executable ?? '', '')
    expect(run().calls).toEqual([calls[0]])
    expect(run().calls).toEqual([])
  })

  it('does not take the half of an install for one, nor half a list', () => {
    const { calls, of } = run()
    const executable = of('codex')?.executable ?? ''
    fs.writeFileSync(at('.lab', 'hosts.json'), '[{"name": "clau')
    fs.rmSync(executable)
    expect(run().calls).toEqual(calls)
    expect(fs.existsSync(executable)).toBe(true)
    expect(fs.readdirSync(at('.lab')).filter((name) => name.endsWith('.new'))).toEqual([])
  })

  it('takes another release of the same range where the registry has not that one, and says which', () => {
    const again = run({ [wanted]: ['ETARGET'] })
    expect(again.calls).toHaveLength(5)
    expect(again.calls[1]).toMatch(/^@anthropic-ai\/claude-code@\^/)
    expect(again.of('claude-code')?.executable).toBeDefined()
    expect(run().calls).toEqual([])
  })

  it('lists what cannot be had with the reason, and all else all the same', () => {
    const range = '@anthropic-ai/claude-code@^2.1.190'
    const { list, of } = run({ [wanted]: ['E404'], [range]: ['E404'] })
    expect(of('claude-code')?.missing).toContain('E404')
    expect(list.filter(({ executable }) => executable !== undefined)).toHaveLength(list.length - 1)
  })
})
