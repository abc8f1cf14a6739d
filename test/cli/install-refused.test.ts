import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { changeFiles, readHostFile } from '../../src/cli/install/host-file.ts'
import { wiringOf } from '../../src/cli/install/machine.ts'
import { BusError } from '../../src/core/errors.ts'
import { openPlace, type Place } from './install-place.ts'

let place: Place
beforeEach(() => {
  place = openPlace()
})
afterEach(() => place.close())

async function refused(run: () => Promise<unknown>): Promise<BusError> {
  try {
    await run()
  } catch (fault) {
    expect(fault).toBeInstanceOf(BusError)
    return fault as BusError
  }
  throw new Error('it was not refused')
}

/** Why somebody else cannot even get to the place, as where the temporary directory is root's own. */
function outOfReach(file: string): string | undefined {
  if (process.getuid?.() !== 0) return undefined
  for (let at = file; at !== path.dirname(at); at = path.dirname(at))
    if ((fs.statSync(at).mode & 0o001) === 0) return `${at} is closed to other users`
  return undefined
}

/** Root may write everywhere, so where the tests run as root, somebody else tries. */
async function asSomebody<T>(run: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0 || process.seteuid === undefined) return run()
  process.seteuid(65_534)
  try {
    return await run()
  } finally {
    process.seteuid(0)
  }
}

/** The scripts are there already: somebody else could not make them. */
const prepared = () => {
  const dist = path.join(place.root, 'session-mcp', 'dist')
  const program = {
    node: process.execPath,
    server: path.join(dist, 'index.js'),
    hooks: path.join(dist, 'hooks'),
    plugins: path.join(dist, 'plugins'),
    home: place.home,
    isDefaultHome: true,
    serverArgs: [],
  }
  return { program, openHome: async () => undefined }
}

describe('a file the host could not read either', () => {
  it.each([
    ['{"hooks": {\n  "Stop": [}\n}', 2, '} stands where a value must be'],
    ['{\n  "model": "opus"\n  "hooks": {}\n}', 3, '" stands where "," or "}" must be'],
    ['<<<<<<< HEAD\n{}', 1, '< stands where a value must be'],
    ['[]', 1, 'the whole file is a list, where the host reads an object'],
    ['{\n\n"hooks": [] }', 3, '"hooks" is a list, where the host reads an object'],
    ['{"hooks": {"Stop":\n {}}}', 2, '"hooks" in "Stop" is an object, where the host reads a list'],
    ['{"hooks": null}', 1, '"hooks" is a single value, where the host reads an object'],
  ])('is refused with its line, and nothing is written: %j', async (text, line, what) => {
    place.write(place.settings, text)
    const before = place.snapshot()
    for (const run of [place.install, place.uninstall]) {
      const { message, hint, code } = await refused(() => run())
      expect(message).toBe(`${place.settings}, line ${line}: ${what}. Nothing was changed.`)
      expect(hint).toContain('Correct that line')
      expect(code).not.toMatch(/^BAD_/)
    }
    expect(place.snapshot()).toEqual(before)
    expect(fs.existsSync(place.home)).toBe(false)
  })

  it('is refused also when it is the second one', async () => {
    place.write(place.settings, '{}')
    place.write(place.servers, '{"mcpServers": []}')
    const before = place.snapshot()
    expect((await refused(() => place.install())).message).toContain('"mcpServers" is a list')
    expect(place.snapshot()).toEqual(before)
  })

  it('is refused where it is no text', async () => {
    fs.mkdirSync(path.dirname(place.settings))
    fs.writeFileSync(place.settings, Buffer.from([0x7b, 0xff, 0x7d]))
    expect((await refused(() => place.install())).message).toContain('it is not UTF-8 text')
    fs.rmSync(place.settings)
    fs.mkdirSync(place.settings)
    expect((await refused(() => place.install())).message).toContain('EISDIR')
  })

  it.skipIf(process.platform === 'win32')('is refused where nobody may ever write to it: a pipe', async () => {
    fs.mkdirSync(path.dirname(place.settings))
    spawnSync('mkfifo', [place.settings])
    expect((await refused(() => place.install())).message).toContain('cannot be read (it is no file)')
  })
})

describe.skipIf(process.platform === 'win32')('what cannot be written', () => {
  it('is refused, and the file written before it is put back', async ({ skip }) => {
    place.write(place.settings, '{"model":"opus"}')
    place.write(place.servers, '{"userID":"1"}')
    for (const directory of [place.root, place.userHome, path.dirname(place.settings)]) fs.chmodSync(directory, 0o777)
    fs.chmodSync(place.settings, 0o644)
    fs.chmodSync(place.servers, 0o644)
    fs.mkdirSync(place.home, { mode: 0o777 })
    fs.chmodSync(place.home, 0o777)
    place.program()
    const closed = outOfReach(place.userHome)
    if (closed !== undefined) skip(closed)
    fs.chmodSync(place.userHome, 0o555)
    const before = place.snapshot()
    const { message, hint } = await asSomebody(async () => refused(() => place.install(prepared())))
    fs.chmodSync(place.userHome, 0o777)
    expect(message).toBe(`${place.servers} cannot be written (EACCES). Nothing was changed.`)
    expect(hint).toContain('writable')
    expect(place.snapshot()).toEqual(before)
    expect(fs.existsSync(path.join(place.home, 'installed'))).toBe(false)
  })

  it('is a file that a person made read-only, also for whom the system lets write it', async () => {
    place.write(place.settings, '{"model":"opus"}')
    fs.chmodSync(place.settings, 0o444)
    const before = place.snapshot()
    const { message, hint } = await refused(() => place.install())
    expect(message).toBe(`${place.settings} is read-only (mode 444). Nothing was changed.`)
    expect(hint).toContain('make the file writable')
    expect(place.snapshot()).toEqual(before)
    expect(fs.existsSync(path.join(place.home, 'installed'))).toBe(false)
    fs.chmodSync(place.settings, 0o644)
    await place.install()
    fs.chmodSync(place.settings, 0o444)
    const wired = place.snapshot()
    expect((await refused(() => place.uninstall())).message).toContain('is read-only')
    expect(place.snapshot()).toEqual(wired)
  })

  it('leaves no directory behind either', () => {
    const made = path.join(place.userHome, 'a', 'b', 'settings.json')
    const other = path.join(place.userHome, 'file', 'x.json')
    const change = (file: string) => ({ ...readHostFile(file), next: '{}' })
    const changes = [change(made), change(other)]
    place.write(path.join(place.userHome, 'file'), 'in the way')
    const before = place.snapshot()
    expect(() => changeFiles(changes)).toThrow('Nothing was changed.')
    expect(place.snapshot()).toEqual(before)
  })
})

describe('a copy of a file', () => {
  it('that a killed process left beside it is removed by the next, and no other', async () => {
    place.write(place.settings, '{"model":"opus"}')
    const directory = path.dirname(place.settings)
    const { pid: gone } = spawnSync(process.execPath, ['-e', '0'])
    const left = path.join(directory, `.settings.json.session-mcp-${gone}`)
    const others = [
      `.settings.json.session-mcp-${process.ppid}`,
      `.settings.json.session-mcp-${gone}x`,
      '.settings.json',
    ]
    for (const run of [() => place.install(), () => place.uninstall()]) {
      for (const name of [left, ...others]) place.write(path.resolve(directory, name), 'copy')
      await run()
      expect(fs.readdirSync(directory).sort()).toEqual([...others, 'settings.json'].sort())
    }
  })
})

describe('the record of an install', () => {
  it('that another install made since the plan is planned with', async () => {
    place.write(place.settings, '{"model": "opus" }')
    place.write(place.servers, '{"mcpServers":{"session-mcp":{"command":"mine"}}}')
    const before = place.snapshot()
    let runs = 0
    const openHome = async () => {
      fs.mkdirSync(place.home, { recursive: true, mode: 0o700 })
      if (runs++ === 0) await place.install()
    }
    await place.install({ openHome })
    await place.uninstall()
    expect(place.snapshot()).toEqual(before)
  })

  it.skipIf(process.platform === 'win32')('that cannot be removed does not keep a host wired', async () => {
    await place.install()
    const record = path.join(place.home, 'installed', 'claude-code.json')
    const text = place.read(record)
    const closed = [place.home, path.join(place.home, 'locks'), path.dirname(record)]
    for (const directory of [place.root, place.userHome, path.dirname(place.settings)]) fs.chmodSync(directory, 0o777)
    for (const file of [place.settings, place.servers, record]) fs.chmodSync(file, 0o666)
    for (const directory of closed) fs.chmodSync(directory, 0o555)
    const { notes, changed } = await asSomebody(() => place.uninstall(prepared()))
    for (const directory of closed) fs.chmodSync(directory, 0o755)
    expect(changed).toBe(true)
    expect(notes).toEqual([`What is known of the install stays in ${place.home}, which cannot be written.`])
    expect([place.read(place.settings), place.read(record)]).toEqual([undefined, text])
  })
})

describe('a file that changes at that moment', () => {
  it('is planned again, so that nothing of it is lost', async () => {
    place.write(place.servers, '{"numStartups":1}')
    let runs = 0
    const openHome = async () => {
      fs.mkdirSync(place.home, { recursive: true })
      if (runs++ === 0) place.write(place.servers, '{"numStartups":2}')
    }
    await place.install({ openHome })
    expect(runs).toBe(2)
    expect(place.json(place.servers)).toMatchObject({ numStartups: 2, mcpServers: expect.anything() })
    await place.uninstall()
    expect(place.read(place.servers)).toBe('{"numStartups":2}')
  })

  it('is left alone when that never ends', async () => {
    let n = 0
    const openHome = async () => {
      fs.mkdirSync(place.home, { recursive: true })
      place.write(place.servers, `{"numStartups":${n++}}`)
    }
    expect((await refused(() => place.install({ openHome }))).message).toMatch(/changed by another program, again/)
    expect(fs.existsSync(place.settings)).toBe(false)
    expect(place.read(place.servers)).toBe('{"numStartups":2}')
    expect(fs.existsSync(path.join(place.home, 'installed'))).toBe(false)
  })
})

describe.skipIf(process.platform === 'win32')('links and rights', () => {
  it('stay: a linked file is written where it really is, with the mode it had', async () => {
    const real = path.join(place.userHome, 'dotfiles', 'claude.json')
    place.write(real, '{\n  "model": "opus"\n}\n')
    fs.chmodSync(real, 0o640)
    fs.mkdirSync(path.dirname(place.settings))
    fs.symlinkSync('../dotfiles/claude.json', place.settings)
    fs.symlinkSync('dotfiles/servers.json', place.servers) // nothing there yet
    const before = place.snapshot()
    await place.install()
    expect(fs.lstatSync(place.settings).isSymbolicLink()).toBe(true)
    expect(fs.lstatSync(place.servers).isSymbolicLink()).toBe(true)
    expect(place.json(real)).toHaveProperty('hooks')
    expect(fs.statSync(real).mode & 0o777).toBe(0o640)
    expect(fs.readdirSync(path.dirname(real)).sort()).toEqual(['claude.json', 'servers.json'])
    await place.uninstall()
    expect(place.snapshot()).toEqual(before)
  })

  it('of new files are for their owner alone, the record’s too', async () => {
    await place.install()
    const record = path.join(place.home, 'installed', 'claude-code.json')
    for (const file of [place.settings, place.servers, record]) expect(fs.statSync(file).mode & 0o777, file).toBe(0o600)
    expect(fs.statSync(path.dirname(record)).mode & 0o777).toBe(0o700)
  })
})

describe('the record', () => {
  it('holds no copy of what a person keeps in the file', async () => {
    place.write(place.servers, '{\n  "oauth": "secret",\n  "mcpServers": {},\n  "key": "secret"\n}\n')
    await place.install()
    expect(place.read(path.join(place.home, 'installed', 'claude-code.json'))).not.toContain('secret')
  })

  it('that is damaged only costs exactness', async () => {
    place.write(place.settings, '{\n  "model": "opus"\n}\n')
    const before = place.snapshot()
    await place.install()
    place.write(
      path.join(place.home, 'installed', 'claude-code.json'),
      '{"version":1,"host":"claude-code","files":[{}]}',
    )
    place.write(place.servers, '{}')
    await place.uninstall()
    expect(place.snapshot()).toEqual({ ...before, '.claude.json': expect.anything() })
  })
})

describe('before anything is looked at', () => {
  it('a host nobody knows is refused with the nearest', () => {
    expect(() => wiringOf('claudecode')).toThrow('There is no host "claudecode" to install for.')
    for (const [asked, hint] of [
      ['claude', 'Did you mean claude-code?'],
      ['claud-code', 'Did you mean claude-code?'],
      ['emacs', 'Hosts: claude-code'],
    ] as const) {
      try {
        wiringOf(asked)
        expect.unreachable()
      } catch (fault) {
        expect((fault as BusError).hint).toContain(hint)
      }
    }
    expect(wiringOf('Claude-Code').kind).toBe('claude-code')
  })

  it('scripts that are missing are named', async () => {
    const program = place.program()
    fs.rmSync(path.join(program.hooks, 'gate.sh'))
    const { message } = await refused(() => place.install({ program }))
    expect(message).toContain(`${path.join(program.hooks, 'gate.sh')} is missing`)
    expect(place.snapshot()).toEqual({})
  })
})
