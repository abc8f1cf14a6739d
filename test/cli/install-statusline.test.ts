import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkHosts } from '../../src/cli/doctor/hosts.ts'
import { hostsHere } from '../../src/cli/install/hosts-here.ts'
import { openPlace, type Place } from './install-place.ts'

let place: Place
beforeEach(() => {
  place = openPlace()
})
afterEach(() => place.close())

const extras = ['statusline'] as const
const statusLine = () => place.json(place.settings)['statusLine'] as Record<string, unknown> | undefined

async function doctor(): Promise<string[]> {
  const { machine, home, userHome } = place
  const checks = await checkHosts({
    config: { home, userHome, env: {} },
    machine,
    program: place.program(),
    opened: undefined,
  })
  return checks.map(({ level, text }) => `${level}: ${text}`)
}

describe('the status line', () => {
  it('is only written when asked for, and doctor says that it can be had', async () => {
    await place.install()
    expect(statusLine()).toBeUndefined()
    expect(await doctor()).toContain(
      'ok: Claude Code: the status line is free; session-mcp install claude-code --statusline shows the bus there.',
    )
    expect(hostsHere(place.machine, place.program())[0]?.installed).toBe('yes')
  })

  it('starts one program by absolute paths, in words a shell takes as they are meant', async () => {
    const answer = await place.install({ extras })
    expect(answer.files[0]?.entries).toContain('status line')
    const { node, hooks } = place.program()
    expect(statusLine()).toEqual({
      type: 'command',
      command: `${node} '${path.join(hooks, 'statusline.js')}'`,
      refreshInterval: 10,
    })
    expect((await doctor()).slice(0, 2)).toEqual([
      expect.stringMatching(/^ok: Claude Code: 10 entries wired; the hook answers/),
      'ok: Claude Code: the status line shows the bus.',
    ])
  })

  it('names the home where it is not the default one', async () => {
    const program = place.program(undefined, path.join(place.root, 'my bus'))
    await place.install({ extras, program })
    expect(statusLine()?.['command']).toMatch(/ --home '.*\/my bus'$/)
  })

  it('goes again with uninstall, byte for byte, also where it was added later', async () => {
    place.write(place.settings, '{\n\t"model":   "opus" }')
    place.write(place.servers, '{}')
    const before = place.snapshot()
    await place.install({ extras })
    await place.uninstall()
    expect(place.snapshot()).toEqual(before)
    await place.install()
    await place.install({ extras })
    expect(statusLine()).toBeDefined()
    await place.uninstall()
    expect(place.snapshot()).toEqual(before)
  })

  it('goes alone from a file that changed since', async () => {
    place.write(place.settings, '{\n  "model": "opus"\n}')
    await place.install({ extras })
    place.write(place.settings, JSON.stringify({ ...place.json(place.settings), theme: 'dark' }, null, 2))
    await place.uninstall()
    expect(place.json(place.settings)).toEqual({ model: 'opus', theme: 'dark' })
  })

  it('stays with a later install without it, and follows the program to its new place', async () => {
    await place.install({ extras })
    expect((await place.install()).changed).toBe(false)
    place.write(
      place.settings,
      JSON.stringify({ ...place.json(place.settings), statusLine: { ...statusLine(), padding: 2 } }),
    )
    expect((await place.install()).changed).toBe(false)
    expect(statusLine()?.['padding']).toBe(2)
    const moved = place.program(path.join(place.root, 'other', 'session-mcp', 'dist'))
    await place.install({ program: moved })
    expect(statusLine()?.['command']).toContain(moved.hooks)
  })

  it('is shown by --dry-run, which writes nothing', async () => {
    const before = place.snapshot()
    const { files } = await place.install({ extras, dryRun: true })
    expect(files[0]?.diff).toContain('+  "statusLine": {')
    expect(place.snapshot()).toEqual(before)
  })
})

describe('a status line of one’s own', () => {
  const own = '{"statusLine": {"type": "command", "command": "cat >/dev/null; echo mine"}}'

  it('is never replaced: the refusal says how to have both, and that works', async () => {
    place.write(place.settings, own)
    const before = place.snapshot()
    const script = path.join(place.program().hooks, 'statusline.js')
    const refused = await place.install({ extras }).then(
      () => undefined,
      (fault: { code: string; message: string; hint: string }) => fault,
    )
    expect(refused).toMatchObject({
      code: 'BAD_INPUT',
      message: `--statusline was asked for, and ${place.settings} has a status line of your own. Nothing was changed.`,
      hint: expect.stringContaining('take "statusLine" out of that file and run this again.'),
    })
    expect(place.snapshot()).toEqual(before)
    expect(fs.existsSync(place.home)).toBe(false)

    fs.writeFileSync(script, "process.stdin.on('data', (text) => console.log('ours ' + text))")
    const [, text = ''] = /write there "command": (".*"). To have ours/.exec(refused?.hint ?? '') ?? []
    const both: string = JSON.parse(text)
    expect(spawnSync('sh', ['-c', both], { encoding: 'utf8', input: '{"a":1}' }).stdout).toBe('mine\nours {"a":1}\n')

    place.write(place.settings, JSON.stringify({ statusLine: { type: 'command', command: both } }))
    const mixed = place.snapshot()
    await place.install()
    expect(await doctor()).toContain('ok: Claude Code: the status line is your own, and shows the bus as well.')
    await place.uninstall()
    expect(place.snapshot()).toEqual(mixed)
  })

  it('stays with install and uninstall, whatever was in the file meanwhile', async () => {
    place.write(place.settings, own)
    await place.install()
    expect(await doctor()).toContain('ok: Claude Code: the status line is your own.')
    place.write(place.settings, JSON.stringify({ ...place.json(place.settings), theme: 'dark' }))
    await place.uninstall()
    expect(place.json(place.settings)).toEqual({ ...JSON.parse(own), theme: 'dark' })
  })

  it('that took the place of ours stays too', async () => {
    await place.install({ extras })
    const mine = { type: 'command', command: 'my-line' }
    place.write(place.settings, JSON.stringify({ ...place.json(place.settings), statusLine: mine }))
    await place.uninstall()
    expect(place.json(place.settings)).toEqual({ statusLine: mine })
  })
})
