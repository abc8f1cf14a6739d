/** Codex's files as people have them: TOML with comments, tables in any order, and what Codex itself writes meanwhile. */
import { createHash } from 'node:crypto'
import path from 'node:path'
import { parse } from 'smol-toml'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkHosts } from '../../src/cli/doctor/hosts.ts'
import { hostsHere } from '../../src/cli/install/hosts-here.ts'
import { renderUninstall } from '../../src/cli/install/render.ts'
import { createPaint } from '../../src/cli/paint.ts'
import { codexWiring } from '../../src/hosts/codex/wiring.ts'
import { openPlace, type Place } from './install-place.ts'

let place: Place
let config: string
let hooks: string
beforeEach(() => {
  place = openPlace()
  config = path.join(place.userHome, '.codex', 'config.toml')
  hooks = path.join(place.userHome, '.codex', 'hooks.json')
})
afterEach(() => place.close())

const codex = { wiring: codexWiring }
const look = (env: Readonly<Record<string, string>> = {}) =>
  checkHosts(
    {
      config: { home: place.home, userHome: place.userHome, env },
      machine: place.machine,
      program: place.program(),
      opened: undefined,
    },
    [codexWiring],
  )

const read = (text: string) => parse(text.replace(/^\ufeff/, '')) as Record<string, never>
const server = () => read(place.read(config) ?? '')['mcp_servers']?.['session-mcp']
const ours = () => ({ command: process.execPath, args: [place.program().server, '--default-ttl=4h'] })

const CONFIGS: Readonly<Record<string, string | undefined>> = {
  'a missing file': undefined,
  'an empty file': '',
  'only white space': '\n\n',
  'only comments': '# mine\n# and mine\n',
  'keys without a table': 'model = "gpt-5"\napproval_policy = "on-request" # ask me\n',
  'no final line end': 'model = "gpt-5"',
  CRLF: 'model = "gpt-5"\r\n\r\n[features]\r\nhooks = true\r\n',
  'a byte order mark': '\ufeffmodel = "gpt-5"\n',
  'other servers': '[mcp_servers.other]\ncommand = "other"\n\n# last\n[mcp_servers.other.env]\nA = "1"\n',
  'a table in between': '[mcp_servers]\n\n[profiles.x]\nmodel = "o3"\n',
  'texts that look like tables':
    'a = """\n[mcp_servers.session-mcp]\n"""\nb = \'\'\'\n[x]\'\'\'\nc = [\n  "[y]", # [z]\n]\n',
  'dates and numbers': 'd = 2026-11-30T10:00:00Z\nn = 1_000\nf = 1e3\n',
  'our name elsewhere': '[plugins."session-mcp@elsewhere"]\nenabled = false\n# session-mcp\n',
  'lists of tables': '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "true"\n\n[[x]]\na = 1\n',
  'dotted keys':
    'mcp_servers.other.command = "x"\nmcp_servers.other.args = ["y"]\n[mcp_servers.third]\ncommand = "z"\n',
  'servers in one line each': '[mcp_servers]\nother = { command = "x", args = ["y"] }\n',
  tabs: '\tmodel\t=\t"x"\n\t[tui]\n\t\ttheme = "a"\t\n',
  'a mark and CRLF': '\ufeffmodel = "x"\r\n',
  'profiles and notify':
    'notify = ["node", "x.mjs"]\nprofile = "a"\n[profiles.a]\nmodel = "x"\n[profiles.a.mcp_servers.z]\ncommand = "z"\n',
  'quoted names': '[projects."/a b/[c]"]\ntrust_level = "trusted"\n\n[["odd".\'er\']]\nx = 1\n',
}

describe('config.toml as people have it', () => {
  it.each(Object.entries(CONFIGS))('is kept but for our table, and restored to the byte: %s', async (_, text) => {
    place.write(config, text)
    const before = place.snapshot()
    expect((await place.install(codex)).changed).toBe(true)
    const now = place.read(config) ?? ''
    expect(now.startsWith((text ?? '').trimEnd())).toBe(true)
    expect(server()).toEqual(ours())
    expect({ ...read(now), mcp_servers: undefined }).toEqual({ ...read(text ?? ''), mcp_servers: undefined })
    if (text?.includes('\r\n')) expect(now.replaceAll('\r\n', '')).not.toContain('\n')
    const again = place.snapshot()
    expect(await place.install(codex)).toMatchObject({ changed: false })
    expect(place.snapshot()).toEqual(again)
    await place.uninstall(codex)
    expect(place.snapshot()).toEqual(before)
  })

  it('keeps what Codex and a person write after the install, and loses all that is ours', async () => {
    place.write(config, '# mine\nmodel = "gpt-5"\n')
    await place.install(codex)
    const table = '[mcp_servers.session-mcp]\n'
    const written = (place.read(config) ?? '').replace(table, `# why\n${table}startup_timeout_sec = 20\n`)
    const later =
      '\n[mcp_servers.session-mcp.tools.read_inbox]\napproval_mode = "approve"\n\n# the person\n[tui]\ntheme = "x"\n\n[hooks.state."/x:stop:0:0"]\ntrusted_hash = "sha256:1"\n'
    place.write(config, written + later)
    // Another Node, another checkout: only our own lines change.
    const program = place.program(path.join(place.root, 'other', 'session-mcp', 'dist'))
    await place.install({ ...codex, program })
    expect(server()).toMatchObject({
      args: [program.server, '--default-ttl=4h'],
      startup_timeout_sec: 20,
      tools: { read_inbox: { approval_mode: 'approve' } },
    })
    await place.uninstall({ ...codex, program })
    expect(place.read(config)).toBe(
      '# mine\nmodel = "gpt-5"\n\n# why\n\n# the person\n[tui]\ntheme = "x"\n\n[hooks.state."/x:stop:0:0"]\ntrusted_hash = "sha256:1"\n',
    )
    expect(place.read(hooks)).toBeUndefined()
  })

  it('takes the place of a table written by hand, and puts it back', async () => {
    const text = '[mcp_servers.session-mcp]\nurl = "http://localhost:1" # mine\n\n[tui]\n'
    place.write(config, text)
    expect((await place.install(codex)).notes.join('\n')).toContain('written by hand')
    expect(server()).toEqual(ours())
    place.write(config, `${place.read(config)}x = 1\n`)
    await place.uninstall(codex)
    expect(place.read(config)).toBe(`${text}x = 1\n`)
  })

  it('is whole beside what a table by hand kept, and what is taken out again has a name', async () => {
    place.write(config, '[mcp_servers.session-mcp]\ncommand = "mine"\n[mcp_servers.session-mcp.env]\nA = "b"\n')
    await place.install(codex)
    const here = hostsHere(place.machine, place.program()).find(({ host }) => host === 'codex')
    expect(here).toMatchObject({ installed: 'yes' })
    const view = { columns: 100, paint: createPaint(false), nowMs: 0, userHome: place.userHome }
    const said = renderUninstall(await place.uninstall(codex), view)
    expect(said).toContain('config.toml as it was before, without entries of session-mcp')
  })

  it.each([
    ['is no TOML', 'model = \n', 'line 1: invalid value', 'Correct that line; Codex needs it as well.'],
    [
      'has our server in one line',
      '\n[mcp_servers]\nsession-mcp = { command = "x" }\n',
      'line 3: mcp_servers.session-mcp is there, but not as a table of its own',
      'Write everything in mcp_servers as tables of their own: a line such as [mcp_servers.NAME]',
    ],
    [
      'has our server in dotted keys',
      'mcp_servers.session-mcp.command = "x"\n',
      'line 1: mcp_servers.session-mcp is there, but not as a table of its own',
      'Write everything in mcp_servers as tables of their own',
    ],
    [
      'has all servers in one line',
      'a = 1\nmcp_servers = { other = { command = "x" } }\n',
      'line 2: mcp_servers is written so that no program can edit it',
      'Write everything in mcp_servers as tables of their own',
    ],
    ['has something else there', 'mcp_servers = 3\n', 'mcp_servers is no table', 'Correct that line'],
    ['has a key twice', 'a = 1\na = 2\n', 'line 2: ', 'Correct that line'],
  ])('that %s is refused with the line and what to do, and nothing is changed', async (_, text, why, hint) => {
    place.write(config, text)
    const before = place.snapshot()
    const fault = await place.install(codex).catch((cause: unknown) => cause)
    expect(fault).toMatchObject({
      code: 'STORE_UNREADABLE',
      message: expect.stringContaining(why),
      hint: expect.stringContaining(hint),
    })
    expect(place.snapshot()).toEqual(before)
  })
})

describe('the hooks of Codex', () => {
  it('are shell lines that survive spaces and quotes, and stand beside foreign ones', async () => {
    const foreign = { hooks: { Stop: [{ hooks: [{ type: 'command', command: "echo 'codex.js'" }] }] } }
    place.write(hooks, `${JSON.stringify(foreign, undefined, 2)}\n`)
    const home = path.join(place.root, "it's a bus")
    const program = { ...place.program(undefined, home), node: "/opt/my node's/bin/node" }
    await place.install({ ...codex, program })
    const written = place.json(hooks)['hooks'] as Record<string, { hooks: { command: string; timeout: number }[] }[]>
    expect(Object.keys(written).sort()).toEqual(
      [
        'Interrupt',
        'PermissionRequest',
        'PostToolUse',
        'SessionEnd',
        'SessionStart',
        'Stop',
        'UserPromptSubmit',
      ].sort(),
    )
    expect(written['Stop']).toHaveLength(2)
    const script = path.join(program.hooks, 'codex.js')
    const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
    expect(written['SessionEnd']?.[0]?.hooks[0]).toEqual({
      type: 'command',
      command: `exec sh -c ${quoted('[ -r "$0" ] && command . "$0"; exit 0')} ${quoted(path.join(program.hooks, 'gate.sh'))} --any always ${quoted(program.home)} ${quoted(program.node)} ${quoted(script)} --home ${quoted(program.home)}`,
      timeout: 3,
    })
    expect(written['PostToolUse']?.[0]?.hooks[0]?.command).toMatch(/^exec sh -c '.*' '.*gate\.sh' --any /)
    expect(codexWiring.launch(written['PostToolUse']?.[0])).toMatchObject({ node: program.node, home })
    await place.uninstall({ ...codex, program })
    expect(place.json(hooks)).toEqual(foreign)
  })

  it('of an older install, which named the gate right after sh, are replaced where they stand, and taken out as well', async () => {
    await place.install(codex)
    const now = place.read(hooks) ?? ''
    const old = now.replaceAll(/sh -c '[^']*' /g, 'sh ').replaceAll(place.root, '/elsewhere')
    expect(old).toContain("exec sh '/elsewhere")
    place.write(hooks, old)
    expect((await look())[0]).toMatchObject({ level: 'fail', fix: 'Run session-mcp install codex.' })
    await place.install(codex)
    expect(place.read(hooks)).toBe(now)
    place.write(hooks, old.replace('"Stop": [', '"Stop": [{ "hooks": [{ "type": "command", "command": "true" }] },'))
    await place.uninstall(codex)
    expect(place.json(hooks)).toEqual({ hooks: { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] } })
  })

  it('CODEX_HOME says where all of it lies', async () => {
    const elsewhere = path.join(place.root, 'elsewhere')
    const machine = { ...place.machine, env: { CODEX_HOME: elsewhere } }
    const { files } = await place.install({ ...codex, machine })
    expect(files.map((file) => file.path)).toEqual(
      ['hooks.json', 'config.toml'].map((name) => path.join(elsewhere, name)),
    )
  })

  it('are not run before a person trusts them: install and doctor say so, and say when they are', async () => {
    const { next } = await place.install(codex)
    expect(next[0]).toMatch(/Hooks need review/)
    const [check] = await look()
    expect(check).toMatchObject({
      level: 'warn',
      text: expect.stringContaining('But Codex does not run any of its hooks (not reviewed).'),
      fix: expect.stringMatching(/Hooks need review/),
    })
    const trusted = place.read(config) + trustOf(hooks)
    place.write(config, trusted)
    expect((await look())[0]).toMatchObject({ level: 'ok', text: expect.stringContaining('8 entries wired') })
    expect((await place.install(codex)).next).toEqual([])
    place.write(config, trusted.replace(/"sha256:\w{8}/, '"sha256:00000000'))
    expect((await look())[0]).toMatchObject({ level: 'warn', text: expect.stringMatching(/\(changed since\)\.$/) })
    place.write(config, trusted.replace(/trusted_hash/, 'enabled = false\ntrusted_hash'))
    expect((await look())[0]).toMatchObject({ level: 'warn', text: expect.stringMatching(/\(switched off\)\.$/) })
  })

  it('are told apart from hooks of others, which start no script, also before anybody trusts them', async () => {
    place.write(hooks, JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] } }))
    await place.install(codex)
    expect((await look())[0]?.text).toContain('But Codex does not run any of its hooks (not reviewed).')
  })

  it('are useless where hooks are switched off, and doctor names the file', async () => {
    place.write(config, '[features]\nhooks = false\n')
    await place.install(codex)
    expect((await look())[0]).toMatchObject({ level: 'fail', text: expect.stringContaining('"hooks" is false') })
  })
})

/** What Codex 0.171 writes once a person has trusted them. */
function trustOf(file: string): string {
  const written = place.json(file)['hooks'] as Record<string, { hooks: { command: string; timeout: number }[] }[]>
  return Object.entries(written)
    .map(([event, groups]) => {
      const label = event.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase()
      const { command, timeout } = groups[0]?.hooks[0] ?? { command: '', timeout: 0 }
      const json = JSON.stringify({ event_name: label, hooks: [{ async: false, command, timeout, type: 'command' }] })
      const hash = createHash('sha256').update(json).digest('hex')
      return `\n[hooks.state."${file}:${label}:0:0"]\ntrusted_hash = "sha256:${hash}"\n`
    })
    .join('')
}
