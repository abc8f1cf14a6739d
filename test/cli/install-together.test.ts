/** Two installs at the same moment, in processes of their own: what a person had is kept, whoever is first. */
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { cli } from '../hooks/hook.ts'
import { openPlace, type Place } from './install-place.ts'

const run = promisify(execFile)

let place: Place
beforeEach(() => {
  place = openPlace()
})
afterEach(() => place.close())

const ours = (...args: string[]) =>
  run(process.execPath, [cli, ...args], {
    cwd: place.userHome,
    env: { PATH: process.env['PATH'], HOME: place.userHome },
  })

const HOSTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  codex: {
    '.codex/config.toml': '# mine\nmodel = "x"\n\n[mcp_servers.session-mcp]\ncommand = "mine" # by hand\n',
    '.codex/hooks.json': '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}',
  },
  opencode: {
    '.config/opencode/opencode.jsonc':
      '{ // mine\n  "mcp": { "session-mcp": { "type": "remote", "url": "http://127.0.0.1:1" } }, "plugin": ["a"]\n}\n',
  },
  'claude-code': { '.claude.json': '{"mcpServers":{"session-mcp":{"command":"mine"}}}' },
}

describe.each(Object.entries(HOSTS))('%s', (host, files) => {
  it('installed by several at once can be taken out again to the byte, entries of one’s own included', {
    timeout: 60_000,
  }, async () => {
    for (const [name, text] of Object.entries(files)) place.write(path.join(place.userHome, name), text)
    const before = place.snapshot()
    for (let round = 0; round < 2; round++) {
      await Promise.all([1, 2, 3].map(() => ours('install', host)))
      expect((await ours('install', host, '--json')).stdout).toContain('"changed":false')
      await ours('uninstall', host)
      expect(place.snapshot()).toEqual(before)
      expect(fs.existsSync(path.join(place.home, 'installed'))).toBe(false)
    }
  })
})
