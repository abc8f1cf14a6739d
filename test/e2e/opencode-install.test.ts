/** `session-mcp install opencode` and back, in a HOME like a person’s, with the real host in between. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'vitest'
import { z } from 'zod'
import type { ModelRequest } from './lab/dialect.ts'
import { identityIn, proof } from './lab/heard.ts'
import { systemOf } from './lab/heard-opencode.ts'
import { hostTest } from './lab/installed.ts'
import { modelConfig, opencode, recorder, wired } from './lab/opencode.ts'
import { person } from './lab/person.ts'
import { inPlace } from './lab/place.ts'

const Diagnosis = z.looseObject({
  checks: z.array(z.looseObject({ area: z.string(), level: z.string(), text: z.string(), fix: z.string().optional() })),
})

hostTest(
  'C181: install wires the host, doctor says so, and uninstall restores the file byte for byte',
  [opencode],
  async (host) => {
    await inPlace(async (place) => {
      const { ours, home } = await person(place, 'wired')
      const file = path.join(home, '.config', 'opencode', 'opencode.json')
      await mkdir(path.dirname(file), { recursive: true })
      const settings = JSON.stringify(modelConfig(place.model.url, 'wired'), null, '\t')
      const text = `// mine\n${settings.replace('\n', '\n\t/* and this */\n')}\n`
      await writeFile(file, text)
      // A plugin that the project names comes on top of the person's.
      const record = path.join(place.root, 'record.jsonl')
      await writeFile(path.join(place.project, 'opencode.json'), JSON.stringify({ plugin: [recorder] }))
      const doctor = async () => {
        const { checks } = Diagnosis.parse(JSON.parse(await ours('doctor', '--json')))
        return checks.find((check) => check.area === 'hosts' && check.text.startsWith('OpenCode'))
      }

      expect(await doctor()).toMatchObject({ level: 'warn', fix: 'Run session-mcp install opencode.' })
      expect(await ours('install', 'opencode', '--dry-run')).toContain('Nothing was written.')
      expect(await readFile(file, 'utf8')).toBe(text)
      await ours('install', 'opencode')
      const once = await readFile(file, 'utf8')
      expect(await ours('install', 'opencode')).toMatch(/^Already installed/)
      expect(await readFile(file, 'utf8')).toBe(once)
      const well = await doctor()
      expect(well).toMatchObject({
        level: 'ok',
        text: expect.stringMatching(/2 entries wired; the hook answers in \d+ ms/),
      })
      proof(host, `doctor: ${well?.text}`)

      const task = { task: 'show that the wiring works', name: 'wired', projectPath: place.project }
      const conversation = place.model.conversation('wired')
      conversation.play([{ tool: /^session-mcp_update_session$/, args: task }, { text: 'done' }])
      await place.run(wired('run'), 'wired', 'Begin.', { env: { OPENCODE_RECORD: record } })
      const first = conversation.requests[0] as ModelRequest
      const [session] = Object.values(await place.files('sessions'))
      expect(identityIn(systemOf(first))?.id).toBe(session?.['id'])
      expect(session).toMatchObject({
        name: 'wired',
        task: task.task,
        host: { kind: 'opencode', version: expect.any(String) },
      })
      expect(await readFile(record, 'utf8')).toContain('"hook":"chat.message"')
      proof(host, 'wired by install: the first request says who the session is, and its tool call counted for it')

      await ours('uninstall', 'opencode')
      expect(await readFile(file, 'utf8')).toBe(text)
      proof(host, 'uninstall: the file is byte for byte what it was, comments and all')
    })
  },
)

hostTest('joins its files, and takes its list of plugins from the last one that has one', [opencode], async (host) => {
  await inPlace(async (place) => {
    const me = await person(place, 'wired')
    const directory = path.join(me.home, '.config', 'opencode')
    await mkdir(directory, { recursive: true })
    const write = (name: string, root: object) => writeFile(path.join(directory, name), JSON.stringify(root))
    const joined = async () => Joined.parse(JSON.parse(await me.host(host, 'debug', 'config')))
    await write('config.json', { plugin: ['file:///legacy.js'], mcp: { a: { type: 'local', command: ['a'] } } })
    await write('opencode.json', { plugin: ['file:///plain.js'], mcp: { b: { type: 'local', command: ['b'] } } })
    await write('opencode.jsonc', { mcp: { c: { type: 'local', command: ['c'] } } })
    const before = await joined()
    expect(before).toMatchObject({ plugin: ['file:///plain.js'] })
    expect(Object.keys(before.mcp).sort()).toEqual(['a', 'b', 'c'])
    await me.ours('install', 'opencode')
    const after = await joined()
    expect(after.plugin).toEqual([
      'file:///plain.js',
      [expect.stringContaining('session-mcp.js'), { home: place.busHome }],
    ])
    expect(Object.keys(after.mcp).sort()).toEqual(['a', 'b', 'c', 'session-mcp'])
    proof(host, `of three files: plugins ${JSON.stringify(after.plugin)}; servers ${Object.keys(after.mcp).join(', ')}`)
  })
})

const Joined = z.looseObject({ plugin: z.array(z.unknown()), mcp: z.record(z.string(), z.unknown()) })
