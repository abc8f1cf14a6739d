/** `session-mcp install codex`, the review of its hooks, a real run, and out again. */
import { cpSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { codex, wired } from './lab/codex.ts'
import { type CodexHome, codexHome, trustHooks } from './lab/codex-home.ts'
import type { ModelRequest } from './lab/dialect.ts'
import { conversationOf, identityIn, newIn, proof, reminders } from './lab/heard.ts'
import { entry } from './lab/host.ts'
import { tabTest } from './lab/installed.ts'
import { expectCleanEnd, inPlace, type Place } from './lab/place.ts'
import { tools } from './lab/results.ts'
import { send } from './lab/shell.ts'

const FOREIGN_HOOKS = `{
    "hooks": {
        "Stop": [{ "hooks": [{ "type": "command", "command": "true" }] }]
    }
}
`

async function checkUp(me: CodexHome, when: string): Promise<string> {
  const text = await me.ours('doctor')
  console.log(`doctor ${when}:${text.slice(text.indexOf('\n\nok '))}`)
  return text
}

/** The session is told who it is and of its mail, its server answers as the same, and its model sees every tool. */
async function works(place: Place, what: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
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
  expectCleanEnd(await place.run(wired('exec'), 'one', 'Begin.', { env }))
  const [first, , third] = conversation.requests
  if (first === undefined || third === undefined) throw new Error('the turn ended early')
  const ours = first.tools.flatMap((name) => /^mcp__session_mcp__(\w+)$/.exec(name)?.[1] ?? [])
  expect(ours.sort()).toEqual(tools)
  const who = identityIn(newIn(first))
  expect(who?.name).toBe('project')
  expect(JSON.parse(conversation.result('update_session'))).toMatchObject({ id: who?.id, registered: false })
  expect(reminders(newIn(third)).join('\n')).toContain('"in the middle"')
  expect(JSON.parse(conversation.result('read_inbox')).messages).toMatchObject([{ content: 'in the middle' }])
  expect(Object.keys(await place.files('sessions'))).toEqual([`${who?.id}.json`])
  const [activity] = Object.values(await place.files('activity'))
  expect(activity).toMatchObject({ state: 'ended', evidence: 'session end (thread closed: other)' })
  proof(codex, `${what}: ${ours.length} tools, identity ${who?.name} (${who?.id}), mail told after a tool and read`)
}

tabTest('session-mcp install wires it, uninstall leaves both files as they were', [codex], async () => {
  await inPlace(async (place) => {
    const me = await codexHome(place, 'one')
    const before = readFileSync(me.config, 'utf8')
    writeFileSync(me.hooks, FOREIGN_HOOKS)
    await checkUp(me, 'before')
    console.log(await me.ours('install', 'codex', '--dry-run'))
    expect(readFileSync(me.config, 'utf8')).toBe(before)
    expect(await me.ours('install', 'codex')).toContain('Hooks need review')
    await me.ours('uninstall', 'codex')
    expect(readFileSync(me.config, 'utf8')).toBe(before)
    expect(readFileSync(me.hooks, 'utf8')).toBe(FOREIGN_HOOKS)
    proof(codex, 'install and uninstall leave both files as they were, byte for byte')

    console.log(await me.ours('install', 'codex'))
    expect(await checkUp(me, 'before the review')).toMatch(/But Codex does not run any of its hooks \(not reviewed\)\./)
    await trustHooks(place, 'one')
    const trusted = readFileSync(me.config, 'utf8')
    expect(trusted).toContain('trusted_hash')
    expect(await checkUp(me, 'after the review')).toMatch(/ok {4}Codex: 8 entries wired; the hook answers in \d+ ms\./)
    expect(await me.ours('install', 'codex')).toContain('Already installed')
    expect(readFileSync(me.config, 'utf8')).toBe(trusted)
    await works(place, 'wired by session-mcp install')

    const used = readFileSync(me.config, 'utf8')
    console.log(await me.ours('uninstall', 'codex'))
    const left = readFileSync(me.config, 'utf8')
    expect(left).not.toContain('mcp_servers')
    expect(left.startsWith(before)).toBe(true)
    expect(used.split('\n').filter((line) => !left.split('\n').includes(line))).toEqual([
      '[mcp_servers.session-mcp]',
      expect.stringMatching(/^command = /),
      expect.stringMatching(/^args = /),
    ])
    expect(readFileSync(me.hooks, 'utf8')).toBe(FOREIGN_HOOKS)
    const last = place.model.conversation('one')
    last.play([{ text: 'alone' }])
    expectCleanEnd(await place.run(wired('exec'), 'one', 'Are you alone?'))
    expect(last.requests.at(-1)?.tools.filter((name) => name.includes('session_mcp'))).toEqual([])
    proof(codex, 'after a run in between: what Codex wrote itself is there, none of ours, and Codex starts')
  })
})

tabTest('installed as a plugin it works once its hooks are trusted', [codex], async () => {
  await inPlace(async (place) => {
    const me = await codexHome(place, 'one')
    console.log(await me.host(codex, 'plugin', 'marketplace', 'add', path.join(path.dirname(entry), 'plugins')))
    console.log(await me.host(codex, 'plugin', 'add', 'session-mcp@session-mcp'))
    await trustHooks(place, 'one')
    await works(place, 'installed as a plugin', { SESSION_MCP_HOME: place.busHome })
    const doctor = await checkUp(me, 'after')
    expect(doctor).toContain('Codex is wired by its plugin session-mcp')
    expect(await me.ours('install', 'codex')).toMatch(/The plugin session-mcp is installed in Codex as well/)
    console.log(await me.host(codex, 'plugin', 'remove', 'session-mcp@session-mcp'))
    await me.ours('uninstall', 'codex')
  })
})

tabTest('works from paths with spaces and quotes', [codex], async () => {
  await inPlace(async (place) => {
    const me = await codexHome(place, 'one')
    const odd = path.join(place.root, `it's "odd" $HOME`)
    mkdirSync(odd)
    const node = path.join(odd, 'node')
    try {
      linkSync(process.execPath, node)
    } catch {
      cpSync(process.execPath, node) // on another disk
    }
    const dist = path.join(odd, 'session-mcp', 'dist')
    cpSync(path.dirname(entry), dist, { recursive: true })
    const busHome = path.join(odd, 'bus')
    const said = await me.run(node, path.join(dist, 'index.js'), 'install', 'codex', '--home', busHome)
    console.log(said)
    await trustHooks(place, 'one')
    expect(existsSync(path.join(busHome, 'installed', 'codex.json'))).toBe(true)
    await works({ ...place, busHome, files: place.filesOf(busHome) }, 'from odd paths')

    // An update of session-mcp, or a checkout that is gone: the person's turns go on as if it had never been there.
    rmSync(path.join(dist, 'hooks'), { recursive: true })
    const later = place.model.conversation('one')
    later.play([{ tool: /exec_command$/, args: { cmd: 'echo "the $((40 + 2))"' } }, { text: 'end' }])
    const run = await place.run(wired('exec'), 'one', 'And without it?')
    expectCleanEnd(run)
    expect(later.requests.at(-1)?.exchanges[0]?.result).toContain('the 42')
    expect(`${conversationOf(later.requests.at(-1) as ModelRequest)}${run.stdout}`).not.toContain('gate.sh')
    proof(codex, 'its hooks gone, a turn runs with the prompt and the result of its tool as they are')
  })
})
