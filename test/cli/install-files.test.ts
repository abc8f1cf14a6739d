import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { jsonOf, parseJson } from '../../src/cli/install/json-tree.ts'
import { openPlace, type Place } from './install-place.ts'

let place: Place
beforeEach(() => {
  place = openPlace()
})
afterEach(() => place.close())

const EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'Stop',
  'SessionEnd',
  'Notification',
  'PreToolUse',
  'PostToolBatch',
  'FileChanged',
]
const OTHER = { type: 'command', command: 'node', args: ['/opt/other/hooks/claude-code.js'], timeout: 5 }
const FOREIGN = JSON.stringify(
  { hooks: { Stop: [{ hooks: [OTHER] }], PostToolBatch: [{ hooks: [{ type: 'command', command: 'echo hi' }] }] } },
  undefined,
  2,
)

/** What people really have in their settings, and a little worse. */
const SETTINGS: Readonly<Record<string, string | undefined>> = {
  'a missing file': undefined,
  'an empty file': '',
  'only white space': '\n\n',
  'an empty object': '{}',
  'an empty object with room': '{\n\n}\n',
  'two spaces': '{\n  "model": "opus",\n  "env": {\n    "A": "1"\n  }\n}\n',
  'four spaces and no final newline': '{\n    "model": "opus",\n    "permissions": { "allow": ["Bash(ls:*)"] }\n}',
  tabs: '{\n\t"model": "opus",\n\t"hooks": {\n\t\t"Stop": []\n\t}\n}\n',
  CRLF: '{\r\n  "model": "opus",\r\n  "hooks": {}\r\n}\r\n',
  'a byte order mark': '\ufeff{\n  "model": "opus"\n}\n',
  'one line': '{"model":"opus","hooks":{"Stop":[{"hooks":[]}]}}',
  comments:
    '// mine\n{\n  // the model\n  "model": "opus", // best\n  /* hooks */\n  "hooks": {\n    // none\n  }\n  // end\n}\n',
  'trailing commas': '{\n  "model": "opus",\n  "hooks": {\n    "Stop": [\n      { "hooks": [], },\n    ],\n  },\n}\n',
  'foreign hooks on the same events': `${FOREIGN}\n`,
  'strange order and spaces': '{ "z" : 1 ,\n"hooks":{ "Stop" :[ ] } , "a":2}',
  'other letters': '{\n  "note": "größe → 🎉 \\u2028",\n  "model": "opus"\n}\n',
}

describe('a file as people have it', () => {
  for (const [name, text] of Object.entries(SETTINGS)) {
    it(`is kept but for our entries, and restored to the byte: ${name}`, async () => {
      place.write(place.settings, text)
      place.write(place.servers, text?.replaceAll('"hooks"', '"mcpServers"').replaceAll('"Stop"', '"x"'))
      const before = place.snapshot()
      const was = text === undefined || text.trim() === '' ? {} : (jsonOf(parseJson(text).root as never) as object)
      expect((await place.install()).changed).toBe(true)

      const now = jsonOf(parseJson(place.read(place.settings) ?? '').root as never) as Record<string, never>
      expect(Object.keys(now).filter((key) => key !== 'hooks')).toEqual(
        Object.keys(was).filter((key) => key !== 'hooks'),
      )
      for (const event of EVENTS) {
        const list = now['hooks']?.[event] as unknown as unknown[]
        const old = ((was as Record<string, never>)['hooks']?.[event] ?? []) as unknown[]
        expect(list.slice(0, -1), event).toEqual(old)
      }

      const written = place.snapshot()
      expect(await place.install()).toMatchObject({ changed: false })
      expect(await place.install()).toMatchObject({ changed: false })
      expect(place.snapshot()).toEqual(written)

      await place.uninstall()
      expect(place.snapshot()).toEqual(before)
      expect(fs.existsSync(path.join(place.home, 'installed'))).toBe(false)
    })

    it(`is restored to the byte through an older checkout and a newer one: ${name}`, async () => {
      place.write(place.settings, text)
      place.write(place.servers, text?.replaceAll('"hooks"', '"mcpServers"').replaceAll('"Stop"', '"x"'))
      const before = place.snapshot()
      const older = { ...place.program(path.join(place.root, 'old', 'dist')), node: '/old/node' }
      await place.install({ program: older })
      const first = place.read(place.settings)
      await place.install()
      const second = place.read(place.settings)
      expect(second).toBe(
        first
          ?.replaceAll(JSON.stringify(older.hooks).slice(1, -1), place.program().hooks)
          .replaceAll('/old/node', process.execPath),
      )
      await place.uninstall()
      expect(place.snapshot()).toEqual(before)
    })

    it(`loses only our entries when others wrote to it since: ${name}`, async () => {
      place.write(place.settings, text)
      await place.install()
      const later = `${place.read(place.settings)}\n`
      place.write(place.settings, later)
      await place.uninstall()
      const left = place.read(place.settings)
      if (text === undefined) expect(left).toBeUndefined()
      else if (/"/.test(text)) expect(left?.replace(/\s+/g, '')).toBe(text.replace(/\s+/g, ''))
      expect(left ?? '').not.toContain(place.program().hooks)
    })
  }
})
