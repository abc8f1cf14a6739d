/** OpenCode's one file: JSON with comments, a server in it and a plugin beside others. */
import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkHosts } from '../../src/cli/doctor/hosts.ts'
import { opencodeWiring as wiring } from '../../src/hosts/opencode/wiring.ts'
import { openPlace, type Place } from './install-place.ts'

let place: Place
let file: string
let plugin: string
beforeEach(() => {
  place = openPlace()
  file = path.join(place.userHome, '.config', 'opencode', 'opencode.json')
  plugin = path.join(place.program().plugins, 'opencode', 'session-mcp.js')
  place.write(plugin, 'export const SessionMcp = async () => ({ event: async () => {}, dispose: async () => {} })\n')
})
afterEach(() => place.close())

const doctor = async () => {
  const config = { home: place.home, userHome: place.userHome, env: {} }
  const view = { config, machine: place.machine, program: place.program(), opened: undefined }
  return (await checkHosts(view, [wiring]))[0]
}

describe('what is written', () => {
  it('is the server and the plugin, and nothing that loosens a permission', async () => {
    await place.install({ wiring })
    const { node, server } = place.program()
    expect(place.json(file)).toEqual({
      mcp: { 'session-mcp': { type: 'local', command: [node, server, '--default-ttl=4h'], enabled: true } },
      plugin: [plugin],
    })
  })

  it('names the home where it is not the default one', async () => {
    const program = place.program(undefined, path.join(place.root, 'my bus'))
    await place.install({ wiring, program })
    expect(place.json(file)).toMatchObject({ plugin: [[plugin, { home: program.home }]] })
  })

  it('lies where XDG_CONFIG_HOME says, in the file that is there', async () => {
    const env = { XDG_CONFIG_HOME: path.join(place.root, 'xdg') }
    const commented = path.join(env.XDG_CONFIG_HOME, 'opencode', 'opencode.jsonc')
    place.write(commented, '{}')
    await place.install({ wiring, machine: { ...place.machine, env } })
    expect(place.json(commented)).toMatchObject({ plugin: [plugin] })
    expect(fs.existsSync(file)).toBe(false)
  })
})

const FOREIGN = `{
  // my model
  "model": "lab/scripted", /* keep */
  "plugin": [
    "opencode-other", // why it is here
    ["./mine.js", { "a": 1 }],
  ],
  "instructions": ["AGENTS.md"],
  "mcp": { "other": { "type": "local", "command": ["other"] } },
}
`

describe('C181: an install beside foreign entries', () => {
  for (const [what, text] of [
    ['comments and trailing commas', FOREIGN],
    ['one line', '{"plugin":["a"],"mcp":{}}'],
    ['an empty object', '{}\n'],
    ['nothing at all', undefined],
    ['Windows line ends', FOREIGN.replaceAll('\n', '\r\n')],
  ] as const) {
    it(`keeps them, twice is once, and uninstall restores the file byte for byte: ${what}`, async () => {
      place.write(file, text)
      const dry = await place.install({ wiring, dryRun: true })
      expect(dry.files[0]?.diff).toContain('session-mcp.js')
      expect(place.read(file)).toBe(text)
      expect(await place.install({ wiring })).toMatchObject({ changed: true })
      const once = place.read(file)
      expect(await place.install({ wiring })).toMatchObject({ changed: false })
      expect(place.read(file)).toBe(once)
      expect(once?.split('opencode/session-mcp.js')).toHaveLength(2)
      await place.uninstall({ wiring })
      expect(place.read(file)).toBe(text)
    })
  }

  it('is taken out of a file that changed since, without its record', async () => {
    place.write(file, FOREIGN)
    await place.install({ wiring })
    place.write(file, place.read(file)?.replace('"model"', '"theme": "x", "model"'))
    fs.rmSync(path.join(place.home, 'installed'), { recursive: true })
    await place.uninstall({ wiring })
    expect(place.read(file)).toBe(FOREIGN.replace('"model"', '"theme": "x", "model"'))
  })

  it('takes the place of an older one of ours, wherever that was installed', async () => {
    const old = '/old/session-mcp/dist'
    place.write(
      file,
      JSON.stringify({
        plugin: [[`${old}/plugins/opencode/session-mcp.js`, { home: '/x' }], 'b'],
        mcp: { 'session-mcp': { type: 'local', command: ['node', `${old}/index.js`], enabled: true } },
      }),
    )
    await place.install({ wiring })
    expect(place.json(file)).toMatchObject({
      plugin: [plugin, 'b'],
      mcp: { 'session-mcp': { command: { length: 3 } } },
    })
  })

  it('leaves a file alone that OpenCode could not read either', async () => {
    place.write(file, '{ "plugin": {} }')
    await expect(place.install({ wiring })).rejects.toThrow(/"plugin" is an object, where the host reads a list/)
  })
})

describe('doctor', () => {
  it('follows the wire to an answer of the plugin itself', async () => {
    await place.install({ wiring })
    expect((await doctor())?.text).toMatch(/^OpenCode: 2 entries wired; the hook answers in \d+ ms\.$/)
  })

  it('names the first broken link', async () => {
    await place.install({ wiring })
    place.write(plugin, 'export const nothing = async () => { throw new Error("no bus") }\n')
    expect(await doctor()).toMatchObject({
      level: 'fail',
      text: expect.stringMatching(/session-mcp\.js ends with 1\..*no bus/),
    })
    place.write(plugin, undefined)
    expect((await doctor())?.text).toContain('is not there or cannot be read')
    place.write(file, '{ "mcp": { "session-mcp": { "enabled": false } } }')
    expect(await doctor()).toMatchObject({ level: 'warn', fix: 'Run session-mcp install opencode.' })
  })

  it('says that the server is switched off', async () => {
    await place.install({ wiring })
    place.write(file, place.read(file)?.replace('"enabled": true', '"enabled": false'))
    expect((await doctor())?.text).toContain('switched off')
  })
})
