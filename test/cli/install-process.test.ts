import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openPlace, type Place } from './install-place.ts'

/** The built executable, with the scripts of hooks beside it. */
const EXECUTABLE = fileURLToPath(new URL('../../dist/index.js', import.meta.url))

let place: Place
let script: string
beforeEach(() => {
  place = openPlace()
  script = place.program().server
  fs.copyFileSync(EXECUTABLE, script)
  fs.writeFileSync(path.join(path.dirname(script), 'package.json'), '{"type":"commonjs"}')
})
afterEach(() => place.close())

function run(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args], { env: { PATH: '/usr/bin:/bin', HOME: place.userHome } })
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', (data) => (stdout += data))
    child.stderr.on('data', (data) => (stderr += data))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}

describe.skipIf(process.platform === 'win32')('the commands', () => {
  it('wire the host to the program that ran, and take it out again', async () => {
    const link = path.join(place.root, 'session-mcp.link')
    fs.symlinkSync(script, link)
    script = link // as in a directory of links that npm makes
    const dry = await run('install', 'claude-code', '--dry-run')
    expect(dry.stdout).toContain('Nothing was written.')
    expect(dry.stdout).toContain(`+++ ${place.settings}`)
    expect(place.snapshot()).toEqual({})

    const first = await run('install', 'claude-code')
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout).toContain('Claude Code is wired to the bus at ~/.session-mcp.')
    expect(first.stdout).toContain('session-mcp doctor says whether it works.')
    expect(place.read(place.servers)).toContain(place.program().server)

    const second = await run('install', 'claude-code')
    expect(second.stdout).toMatch(/^Already installed: Claude Code is wired/)
    const json = JSON.parse((await run('install', '--json')).stdout)
    expect(json.hosts).toContainEqual(expect.objectContaining({ host: 'claude-code', installed: 'yes' }))
    expect((await run('install')).stdout).toMatch(
      /HOST\s+ON THIS MACHINE\s+INSTALLED[\s\S]*claude-code\s+~\/\.claude\s+yes/,
    )

    const doctor = await run('doctor')
    expect(doctor.stdout).toMatch(/ok {4}Claude Code: 9 entries wired; the hook answers in \d+ ms\./)

    const back = JSON.parse((await run('uninstall', 'claude-code', '--json')).stdout)
    expect(back).toMatchObject({ changed: true, files: [{ did: 'removed' }, { did: 'removed' }] })
    expect(place.snapshot()).toEqual({})
    expect((await run('uninstall', 'claude-code')).stdout).toMatch(/^Not installed/)
  })

  it('write settings given on the line for every server, but not what belongs to one session', async () => {
    const home = path.join(place.userHome, 'bus')
    await run('install', 'claude-code', `--home=${home}`, '--toolsets=coordination', '--name=me-only', '--session-id=x')
    const { mcpServers } = place.json(place.servers) as { mcpServers: Record<string, { args: string[] }> }
    expect(mcpServers['session-mcp']?.args.slice(1)).toEqual([
      '--default-ttl=4h',
      `--home=${home}`,
      '--toolsets=coordination',
    ])
  })

  it('at once are one install, and what was there before is put back to the byte', async () => {
    place.write(place.settings, '{"model":   "opus"}')
    place.write(place.servers, '{"mcpServers":{"session-mcp":{ "command":"mine" }}}')
    const before = place.snapshot()
    const codes = await Promise.all([1, 2, 3].map(async () => (await run('install', 'claude-code')).code))
    expect(codes).toEqual([0, 0, 0])
    expect((await run('uninstall', 'claude-code')).code).toBe(0)
    expect(place.snapshot()).toEqual(before)
  })

  it('refuse with a code and a reason', async () => {
    expect(await run('install', 'claud')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean claude-code?'),
    })
    expect(await run('uninstall')).toMatchObject({ code: 2, stderr: expect.stringContaining('uninstall needs <host>') })
    place.write(place.settings, '{')
    expect(await run('install', 'claude-code')).toMatchObject({ code: 1, stderr: expect.stringContaining('line 1') })
    expect((await run('doctor')).code).toBe(1)
  })
})
