/** What doctor says where a host may have changed since it was tested, or does not run what was installed. */
import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkHosts } from '../../src/cli/doctor/hosts.ts'
import { PROOFS } from '../../src/hosts/proofs.ts'
import { WIRINGS } from '../../src/hosts/table.ts'
import { type OpenedBus, openBus } from '../../src/open.ts'
import { lookUp } from '../../src/system/process-table.ts'
import { openPlace, type Place } from './install-place.ts'

let place: Place
let opened: OpenedBus | undefined
beforeEach(() => {
  place = openPlace()
  const plugin = path.join(place.program().plugins, 'opencode', 'session-mcp.js')
  place.write(plugin, 'export const SessionMcp = async () => ({ event: async () => {}, dispose: async () => {} })\n')
})
afterEach(() => {
  opened?.close()
  opened = undefined
  place.close()
})

const wirings = WIRINGS.filter(({ kind }) => PROOFS.some(([of]) => of === kind))
const bin = () => path.join(place.root, 'bin')

async function texts(kind: string): Promise<string[]> {
  const env = { PATH: bin(), HOME: place.userHome }
  const config = { home: place.home, userHome: place.userHome, env }
  const view = { config, machine: { ...place.machine, env }, program: place.program(), opened }
  const wiring = wirings.filter((each) => each.kind === kind)
  return (await checkHosts(view, wiring)).map(({ level, text, fix }) => `${level}: ${text}${fix ? ` > ${fix}` : ''}`)
}

/** A program of the host that says `answer` when it is asked for its version. */
function program(name: string, answer: string): void {
  place.write(path.join(bin(), name), `#!/bin/sh\n${answer}\n`)
  fs.chmodSync(path.join(bin(), name), 0o755)
}

describe.each(wirings.map((wiring) => [wiring.kind, wiring] as const))('%s', (kind, wiring) => {
  const [name = ''] = wiring.binaries
  const tested = PROOFS.filter(([of]) => of === kind).map(([, version]) => version)
  const [newest = ''] = tested.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))

  it.each([
    ['with a word around it', (version: string) => `${name} ${version}`],
    ['with a word behind it', (version: string) => `${version} (${name})`],
  ])('of a version newer than all that tests have run is told of, by what it says: %s', async (_, said) => {
    await place.install({ wiring })
    const [major = 0, minor = 0, patch = 0] = newest.split('.').map(Number)
    for (const version of [`${major + 1}.0.0`, `${major}.${minor + 1}.0`, `${major}.${minor}.${patch + 1}-beta.1`]) {
      program(name, `echo '${said(version)}'`)
      expect(await texts(kind)).toContain(
        `ok: ${wiring.title} ${version.replace('-beta.1', '')} is newer than ${newest}, the last one that tests have run: something may have changed.`,
      )
    }
  })

  it('of a version that was tested, an older one, or one that says no version, is not told of', async () => {
    await place.install({ wiring })
    for (const answer of [`echo ${newest}`, 'echo 0.0.1', 'echo latest', 'exit 3', 'exec sleep 0']) {
      program(name, answer)
      expect((await texts(kind)).join('\n')).not.toContain('newer than')
    }
  })

  it('makes no folder of its own in a home that is looked at, though it makes some when it is asked for its version', async () => {
    await place.install({ wiring })
    const folders = ['CONFIG', 'CACHE', 'DATA', 'STATE'].map((kind) => `"\${XDG_${kind}_HOME:-$HOME/${kind}}/${name}"`)
    const [major = 0] = newest.split('.').map(Number)
    program(
      name,
      `for each in ${folders.join(' ')}; do /bin/mkdir -p "$each" && echo > "$each/file"; done; echo ${major + 1}.0.0`,
    )
    const before = place.snapshot()
    expect((await texts(kind)).join('\n')).toContain('newer than')
    expect(place.snapshot()).toEqual(before)
  })

  it('of which a session calls our tools without a word from its hooks or its plugin is told of', async () => {
    await place.install({ wiring })
    opened = await openBus({ home: place.home, durability: 'process' })
    const child: ChildProcess = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
    try {
      const sight = lookUp(child.pid ?? 0)
      if (typeof sight === 'string') throw new Error(`the process is ${sight}`)
      const client = { ...opened.processes.self, pid: child.pid ?? 0, start: sight.start }
      const session = (id: string, host: object) => {
        const record = {
          ...{ id, name: `name of ${id}\u001b[31m`, task: '', status: 'active', ttl: '4h', projectPath: '/w' },
          ...{ createdAt: new Date().toISOString(), updatedAt: new Date().toISOString(), statusSeq: 1 },
          host: { kind, hostKey: id, client, ...host },
        }
        place.write(path.join(place.home, 'sessions', `${id}.json`), JSON.stringify(record))
      }
      session('ses-hooked', { hooked: true })
      expect((await texts(kind)).join('\n')).not.toContain('had no word')
      session('ses-other', { kind: 'generic' })
      session('ses-silent', {})
      const said = (await texts(kind)).find((text) => text.includes('had no word'))
      expect(said).toMatch(
        new RegExp(
          `^warn: 1 ${wiring.title} session on the bus had no word from ${wiring.title} itself: name of ses-silent`,
        ),
      )
      expect(said).not.toContain('\u001b')
      expect(said).toContain('> Restart it.')
    } finally {
      child.kill()
    }
  })
})
