import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openPlace, type Place } from './install-place.ts'

let place: Place
beforeEach(() => {
  place = openPlace()
})
afterEach(() => place.close())

const OTHER = { type: 'command', command: 'node', args: ['/opt/other/hooks/claude-code.js'], timeout: 5 }
const FOREIGN = JSON.stringify(
  { hooks: { Stop: [{ hooks: [OTHER] }], PostToolBatch: [{ hooks: [{ type: 'command', command: 'echo hi' }] }] } },
  undefined,
  2,
)

describe('an install that is there already', () => {
  it('is brought up to date in its place, between the entries of others', async () => {
    await place.install({ program: place.program(path.join(place.root, 'old', 'dist')) })
    const settings = place.json(place.settings) as { hooks: Record<string, unknown[]> }
    for (const list of Object.values(settings.hooks)) {
      list.unshift({ hooks: [OTHER] })
      list.push({ matcher: 'x', hooks: [OTHER] })
    }
    place.write(place.settings, JSON.stringify(settings, undefined, 4))
    await place.install()
    const now = place.json(place.settings) as { hooks: Record<string, unknown[]> }
    for (const [event, list] of Object.entries(now.hooks)) {
      expect(list, event).toHaveLength(3)
      expect([list[0], list[2]]).toEqual([{ hooks: [OTHER] }, { matcher: 'x', hooks: [OTHER] }])
      expect(JSON.stringify(list[1])).toContain(path.join('session-mcp', 'dist', 'hooks'))
    }
  })

  it('is one entry per event afterwards, wherever ours were', async () => {
    await place.install()
    const settings = place.json(place.settings) as { hooks: Record<string, { hooks: unknown[] }[]> }
    const [ours] = settings.hooks['Stop'] ?? []
    const mixed = { matcher: '*', hooks: [OTHER, ours?.hooks[0]] }
    settings.hooks = { ...settings.hooks, Stop: [mixed, ours, ours] as never, Elicitation: [ours] as never }
    place.write(place.settings, JSON.stringify(settings, undefined, 2))
    await place.install()
    const now = place.json(place.settings) as { hooks: Record<string, unknown[]> }
    expect(now.hooks['Stop']).toEqual([{ matcher: '*', hooks: [OTHER] }, ours])
    expect(now.hooks).not.toHaveProperty('Elicitation')
  })

  it('with another home is moved, and its record with it', async () => {
    place.write(place.settings, '{"model":"opus"}')
    const before = place.snapshot()
    const other = path.join(place.root, 'bus')
    await place.install({ program: place.program(undefined, other) })
    await place.install()
    expect(fs.existsSync(path.join(other, 'installed'))).toBe(false)
    await place.uninstall()
    expect(place.snapshot()).toEqual(before)
  })

  it('is taken out from a home of its own without naming that', async () => {
    place.write(place.settings, '{ }')
    const before = place.snapshot()
    await place.install({ program: place.program(undefined, path.join(place.root, 'bus')) })
    await place.uninstall()
    expect(place.snapshot()).toEqual(before)
  })

  it('is recognised also where its path says nothing', async () => {
    const program = place.program(path.join(place.root, 'anywhere'))
    await place.install({ program })
    expect(await place.install({ program })).toMatchObject({ changed: false })
    fs.rmSync(place.home, { recursive: true })
    await place.uninstall({ program })
    expect([place.json(place.settings), place.json(place.servers)]).toEqual([{}, {}])
  })

  it('without its record leaves an empty member that hides another one of its name', async () => {
    const text = '{"hooks":{"Stop":[{"hooks":[]}]},"hooks":{}}'
    place.write(place.settings, text)
    await place.install()
    fs.rmSync(place.home, { recursive: true })
    await place.uninstall()
    expect(place.read(place.settings)).toBe(text)
  })

  it('is recognised by our gate beside its script, wherever the two lie', async () => {
    const elsewhere = path.join(place.root, 'opt', 'bus')
    await place.install({ program: place.program(elsewhere) })
    await place.install()
    expect(place.read(place.settings)).not.toContain(elsewhere)
    await place.install({ program: place.program(elsewhere) })
    fs.rmSync(place.home, { recursive: true })
    await place.uninstall()
    expect(place.json(place.settings)).toEqual({})
  })

  it('of a form that named the gate right after sh is replaced where it stands', async () => {
    await place.install()
    const now = place.read(place.settings) ?? ''
    const settings = JSON.parse(now)
    for (const [{ hooks }] of Object.values(settings.hooks) as [{ hooks: { args: string[] }[] }][])
      for (const hook of hooks) if (hook.args[0] === '-c') hook.args.splice(0, 2)
    place.write(place.settings, JSON.stringify(settings, undefined, 2))
    await place.install()
    expect(place.json(place.settings)).toEqual(JSON.parse(now))
  })

  it('is recognised without its record', async () => {
    place.write(place.settings, `${FOREIGN}\n`)
    place.write(place.servers, '{\n  "mcpServers": {\n    "x": {}\n  },\n  "userID": "1"\n}')
    const before = place.snapshot()
    await place.install()
    fs.rmSync(place.home, { recursive: true })
    expect(await place.uninstall()).toMatchObject({ changed: true })
    expect(place.snapshot()).toEqual(before)
    expect(await place.uninstall()).toMatchObject({ changed: false })
  })
})

describe('entries of others', () => {
  it.each([
    { ...OTHER },
    { type: 'command', command: 'node /x/session-mcp/dist/hooks/claude-code.js' },
    { type: 'command', command: 'node', args: ['/x/session-mcp/dist/hooks/claude-code.js'], statusMessage: 'mine' },
    { type: 'command', command: 'node', args: ['/x/session-mcp/hooks/claude-code.js.bak'] },
    { type: 'prompt', prompt: 'claude-code.js' },
    null,
    'text',
  ])('stay: %j', async (hook) => {
    const text = JSON.stringify({ hooks: { Stop: [{ hooks: [hook] }, hook] } })
    place.write(place.settings, text)
    await place.install()
    expect((place.json(place.settings) as never)['hooks']['Stop'] as unknown).toHaveLength(3)
    fs.rmSync(place.home, { recursive: true })
    await place.uninstall()
    expect(place.read(place.settings)).toBe(text)
  })

  it('of our name make way, are told of and come back, also in a file that changed since', async () => {
    const byHand = '{ "command": "node", "args": ["/mine/session-mcp/dist/index.js"], "env": { "A": "b" } }'
    place.write(place.servers, `{\n  "mcpServers": {\n    "session-mcp": ${byHand}\n  }\n}\n`)
    const before = place.snapshot()
    const { notes } = await place.install()
    expect(notes.join()).toContain('written by hand; uninstall puts it back')
    const written = place.read(place.servers)
    await place.uninstall()
    expect(place.snapshot()).toEqual(before)

    await place.install()
    place.write(place.servers, written?.replace(/\}\n$/, ', "userID": "1" }\n'))
    await place.uninstall()
    expect(place.read(place.servers)).toContain(`"session-mcp": ${byHand}`)
    expect(place.json(place.servers)).toMatchObject({ userID: '1' })
    expect((await place.uninstall()).notes.join()).toContain('was written by hand and stays')
  })
})
