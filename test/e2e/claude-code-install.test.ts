/** Both ways into Claude Code, as a person takes them: its plugin commands, and `session-mcp install`. And out again. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { claudeCode, claudeCodeNewest, pluginDir, wired, withPlugin } from './lab/claude-code.ts'
import { identityIn, newIn, proof, reminders } from './lab/heard.ts'
import type { Host } from './lab/host.ts'
import { hostTest } from './lab/installed.ts'
import { type Person, person } from './lab/person.ts'
import { expectCleanEnd, inPlace, type Place } from './lab/place.ts'
import { send } from './lab/shell.ts'

const FOREIGN_SETTINGS = `{
    "permissions": { "allow": ["Bash(ls:*)"] },
    "hooks": {
        "Stop": [{ "hooks": [{ "type": "command", "command": "true" }] }]
    },
    "theme":   "dark"
}
`
const FOREIGN_SERVERS = `{
\t"mcpServers": {"other": {"type": "stdio", "command": "true", "args": []}},
\t"hasCompletedOnboarding": true
}`

/** What `session-mcp doctor` says, without the table of settings. */
async function checkUp(me: Person, when: string): Promise<string> {
  const text = await me.ours('doctor')
  console.log(`doctor ${when}:${text.slice(text.indexOf('\n\nok '))}`)
  return text
}

/** The session is told who it is and of its mail, and its server answers as the same. */
async function works(place: Place, host: Host, what: string): Promise<void> {
  const conversation = place.model.conversation('one')
  conversation.play([
    { tool: /update_session$/, args: { task: 'be installed', projectPath: place.project } },
    {
      tool: /query_session$/,
      args: { session: 'me' },
      after: () => send(place, 'project', 'in the middle', '--activate', 'never'),
    },
    { tool: /read_inbox$/, args: {} },
    { text: 'done' },
  ])
  expectCleanEnd(await place.run(host, 'one', 'Begin.'))
  const [first, , third] = conversation.requests
  if (first === undefined || third === undefined) throw new Error('the turn ended early')
  const who = identityIn(newIn(first))
  expect(who?.name).toBe('project')
  expect(JSON.parse(conversation.result('update_session'))).toMatchObject({ id: who?.id, registered: false })
  expect(reminders(newIn(third)).join('\n')).toContain('"in the middle"')
  expect(JSON.parse(conversation.result('read_inbox')).messages).toMatchObject([{ content: 'in the middle' }])
  expect(Object.keys(await place.files('sessions'))).toEqual([`${who?.id}.json`])
  proof(host, `${what}: identity ${who?.name} (${who?.id}), mail told after a tool and read`)
}

async function byPlugin(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const me = await person(place, 'one')
    await checkUp(me, 'before')
    console.log(await me.host(host, 'plugin', 'marketplace', 'add', path.dirname(pluginDir)))
    console.log(await me.host(host, 'plugin', 'install', 'session-mcp@session-mcp'))
    await works(place, withPlugin(host, 'print', 'installed'), 'installed as a plugin')
    const doctor = await checkUp(me, 'after')
    expect(doctor).toContain('Claude Code is wired by its plugin session-mcp')
    expect(doctor).toContain('All is well.')
    expect(await me.ours('install', 'claude-code')).toMatch(/plugin/)
    console.log(await me.host(host, 'plugin', 'uninstall', 'session-mcp@session-mcp'))
  })
}

async function byOurselves(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const me = await person(place, 'one')
    const settings = path.join(me.home, '.claude', 'settings.json')
    const servers = path.join(me.home, '.claude.json')
    mkdirSync(path.dirname(settings))
    writeFileSync(settings, FOREIGN_SETTINGS)
    writeFileSync(servers, FOREIGN_SERVERS)
    await checkUp(me, 'before')

    await me.ours('install', 'claude-code')
    expect(readFileSync(settings, 'utf8')).toContain('claude-code.js')
    expect(readFileSync(servers, 'utf8')).toContain('session-mcp')
    console.log(await me.ours('uninstall', 'claude-code'))
    expect(readFileSync(settings, 'utf8')).toBe(FOREIGN_SETTINGS)
    expect(readFileSync(servers, 'utf8')).toBe(FOREIGN_SERVERS)
    proof(host, 'install and uninstall leave both files as they were, byte for byte')

    console.log(await me.ours('install', 'claude-code'))
    await works(place, wired(host), 'wired by session-mcp install')
    const doctor = await checkUp(me, 'after')
    expect(doctor).toMatch(/ok {4}Claude Code: 9 entries wired; the hook answers in \d+ ms\./)

    expect(readFileSync(servers, 'utf8')).not.toBe(FOREIGN_SERVERS)
    console.log(await me.ours('uninstall', 'claude-code'))
    const after = { settings: readFileSync(settings, 'utf8'), servers: readFileSync(servers, 'utf8') }
    expect(JSON.parse(after.settings)).toMatchObject(JSON.parse(FOREIGN_SETTINGS))
    expect(JSON.parse(after.settings).hooks).toEqual(JSON.parse(FOREIGN_SETTINGS).hooks)
    expect(JSON.parse(after.servers)).toMatchObject({ hasCompletedOnboarding: true })
    expect(JSON.parse(after.servers).mcpServers).toEqual(JSON.parse(FOREIGN_SERVERS).mcpServers)
    const left = Object.values(after).flatMap((text) => text.split('\n').filter((line) => line.includes('session-mcp')))
    expect(left).toEqual([])
    proof(host, 'after a run in between: foreign hooks and servers are there, none of ours')
    expect(existsSync(place.busHome)).toBe(true)
  })
}

for (const host of [claudeCodeNewest, claudeCode]) {
  hostTest('installed as a plugin it works at once', [host], byPlugin)
  hostTest('session-mcp install wires it, uninstall takes out what it wired', [host], byOurselves)
}
