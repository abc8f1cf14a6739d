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

/** OpenCode joins its files, but of their lists of plugins only the last one counts: seen with 1.18.33. */
describe('of several files', () => {
  const SERVER = { type: 'local', command: ['node', '/old/session-mcp/dist/index.js'], enabled: true }
  const OLD = '/old/session-mcp/dist/plugins/opencode/session-mcp.js'
  const [LEGACY, PLAIN, COMMENTED] = ['config.json', 'opencode.json', 'opencode.jsonc']
  const at = (name: string) => path.join(path.dirname(file), name)
  /** As OpenCode reads them. */
  const joined = () => {
    const all = [LEGACY, PLAIN, COMMENTED].flatMap((name) => {
      const text = place.read(at(name))
      return text === undefined ? [] : [JSON.parse(text.replace(/^\s*\/\/.*$/gm, ''))]
    })
    return {
      plugin: all.map((each) => each.plugin).findLast((list) => list !== undefined),
      servers: Object.assign({}, ...all.map(({ mcp }) => mcp)),
    }
  }

  const CASES: Readonly<Record<string, [files: Record<string, unknown>, plugins: readonly string[]]>> = {
    'both, without plugins': [{ [PLAIN]: { a: 1 }, [COMMENTED]: { b: 1 } }, []],
    'both, with plugins in the plain one': [{ [PLAIN]: { plugin: ['a'] }, [COMMENTED]: { b: 1 } }, ['a']],
    'both, with plugins in the other one': [{ [PLAIN]: { a: 1 }, [COMMENTED]: { plugin: ['b'] } }, ['b']],
    'both, with plugins in both': [{ [PLAIN]: { plugin: ['a'] }, [COMMENTED]: { plugin: ['b'] } }, ['b']],
    'plugins in a file of an older version': [{ [LEGACY]: { plugin: ['x'] } }, ['x']],
    'no plugins in a file of an older version': [{ [LEGACY]: { model: 'm' } }, []],
  }
  it.each(Object.entries(CASES))(
    '%s: ours is loaded beside all that was, and goes again',
    async (_, [files, theirs]) => {
      for (const [name, root] of Object.entries(files)) place.write(at(name), JSON.stringify(root))
      const before = place.snapshot()
      expect(joined().plugin ?? []).toEqual(theirs)
      await place.install({ wiring })
      expect(joined()).toEqual({ plugin: [...theirs, plugin], servers: { 'session-mcp': expect.anything() } })
      expect(await place.install({ wiring })).toMatchObject({ changed: false })
      expect((await doctor())?.text).toMatch(/2 entries wired/)
      await place.uninstall({ wiring })
      expect(place.snapshot()).toEqual(before)
    },
  )

  const LATER: Readonly<Record<string, [first: string, later: string, root: object, plugins: readonly string[]]>> = {
    'plugins in a plain one, which ours would hide': [COMMENTED, PLAIN, { plugin: ['a'] }, ['a']],
    'plugins in one that hides ours': [PLAIN, COMMENTED, { plugin: ['b'] }, ['b']],
  }
  it.each(Object.entries(LATER))(
    'a file that comes later with %s is told of by doctor, and the next install mends it',
    async (_, [first, later, root, theirs]) => {
      place.write(at(first), '{ "model": "m" }')
      const text = JSON.stringify(root)
      await place.install({ wiring })
      place.write(at(later), text)
      expect(await doctor()).toMatchObject({
        level: 'fail',
        text: `OpenCode: MCP server session-mcp and plugin in ${at(first)}: OpenCode takes its list of plugins from one file alone, and ${at(later)} is the one.`,
        fix: 'Run session-mcp install opencode.',
      })
      const { files } = await place.install({ wiring })
      expect(files.map(({ path: name, did }) => [name, did])).toEqual([
        [at(later), 'changed'],
        [at(first), 'restored'],
      ])
      expect(joined()).toEqual({ plugin: [...theirs, plugin], servers: { 'session-mcp': expect.anything() } })
      expect((await doctor())?.level).toBe('ok')
      expect(await place.install({ wiring })).toMatchObject({ changed: false })
      await place.uninstall({ wiring })
      expect([place.read(at(first)), place.read(at(later))]).toEqual(['{ "model": "m" }', text])
    },
  )

  it('a file that comes later without plugins changes nothing', async () => {
    place.write(at(COMMENTED), '{}')
    await place.install({ wiring })
    place.write(at(PLAIN), '{ "theme": "x" }')
    expect(await place.install({ wiring })).toMatchObject({ changed: false })
    expect((await doctor())?.level).toBe('ok')
    await place.uninstall({ wiring })
    expect([place.read(at(COMMENTED)), place.read(at(PLAIN))]).toEqual(['{}', '{ "theme": "x" }'])
  })

  it('ours of an older install in two of them is one afterwards, and a file that held nothing else goes', async () => {
    place.write(at(PLAIN), JSON.stringify({ plugin: [OLD], mcp: { 'session-mcp': SERVER } }))
    place.write(at(COMMENTED), JSON.stringify({ plugin: ['b', OLD], mcp: { 'session-mcp': SERVER } }))
    await place.install({ wiring })
    expect(place.json(at(PLAIN))).toEqual({})
    expect(joined().plugin).toEqual(['b', plugin])
  })

  it('an empty list that hides the others is told of by install and by doctor', async () => {
    place.write(at(PLAIN), '{ "plugin": ["a"] }')
    place.write(at(COMMENTED), '{ "plugin": [] }')
    const said = `${at(PLAIN)}: the empty "plugin" in ${at(COMMENTED)} hides the one in it.`
    expect((await place.install({ wiring })).notes).toContain(said)
    expect(await doctor()).toMatchObject({ level: 'fail', text: `OpenCode: ${said}`, fix: 'Take it out of the file.' })
  })

  it('a server that is switched off in a later one is told of, with the file', async () => {
    place.write(at(PLAIN), '{ "plugin": ["a"] }')
    await place.install({ wiring })
    place.write(at(COMMENTED), '{ "mcp": { "session-mcp": { "enabled": false } } }')
    expect((await doctor())?.text).toContain(`the server session-mcp is switched off in ${at(COMMENTED)}`)
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
