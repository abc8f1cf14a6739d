/** Conversations that come back, branch off, lie beside each other or inside each other: each session stays itself. */
import { expect } from 'vitest'
import { claudeCode, claudeCodeNewest, pluginDir, withPlugin } from './lab/claude-code.ts'
import type { ModelRequest } from './lab/dialect.ts'
import { conversationOf, identityIn, newIn, proof, reminders } from './lab/heard.ts'
import { entry, type Host } from './lab/host.ts'
import { hostTest, installed } from './lab/installed.ts'
import { APPROVED } from './lab/model.ts'
import { inPlace } from './lab/place.ts'
import { receipt, send } from './lab/shell.ts'

function last<T>(list: readonly T[]): T {
  const item = list.at(-1)
  if (item === undefined) throw new Error('nothing there')
  return item
}

function identityOf(request: ModelRequest) {
  return identityIn(conversationOf(request)) ?? { name: 'nobody', id: '' }
}

/** The same conversation, run after run: the session and its mail are the same; a fork is another one. */
async function comesBack(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const print = withPlugin(host, 'print')
    const tool = place.model.conversation('one')
    tool.play(() => ({ text: 'said' }))
    await place.run(print, 'one', 'First.')
    const { id } = identityOf(last(tool.requests))
    const { id: message } = await send(place, 'project', 'while you were away')

    await place.run(print, 'one', 'Second.', { flags: ['--continue'] })
    expect(conversationOf(last(tool.requests))).toContain('First.')
    expect(identityIn(newIn(last(tool.requests)))).toEqual({ name: 'project', id })
    expect(reminders(newIn(last(tool.requests))).join('\n')).toContain('"while you were away"')
    proof(host, `--continue is session ${id} again, and is told of the mail that came meanwhile`)

    await place.run(print, 'one', 'Fork.', { flags: ['--resume', id, '--fork-session'] })
    const fork = identityIn(newIn(last(tool.requests)))
    expect(fork).toMatchObject({ name: 'project-2' })
    expect(fork?.id).not.toBe(id)
    expect(reminders(newIn(last(tool.requests))).join('\n')).not.toContain('while you were away')
    proof(host, `--fork-session is ${fork?.id}, without the mail of the session it branches off`)

    tool.play(({ exchanges }) => (exchanges.length === 0 ? { tool: /read_inbox$/, args: {} } : { text: 'read' }))
    await place.run(print, 'one', 'Third.', { flags: ['--resume', id] })
    expect(identityIn(conversationOf(last(tool.requests)))).toEqual({ name: 'project', id })
    expect(JSON.parse(tool.result('read_inbox'))).toMatchObject({
      sessionId: id,
      messages: [{ content: 'while you were away' }],
    })
    expect(await receipt(place, message)).toMatchObject({ place: 'read' })
    expect(Object.keys(await place.files('sessions')).sort()).toEqual([`${id}.json`, `${fork?.id}.json`].sort())
    proof(host, '--resume reads the mail of the session it resumes')
  })
}

/** The host started in a shell of the host inherits the outer identity variables, and is a session of its own. */
async function startsInside(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const found = installed(host)
    if ('missing' in found) throw new Error(found.missing)
    const outer = place.model.conversation('outer')
    const inner = place.model.conversation('inner')
    const flags = `--plugin-dir ${pluginDir} --allowedTools=mcp__plugin_session-mcp_session-mcp --output-format json`
    const server = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    outer.play([
      { tool: /update_session$/, args: { task: 'be outside', projectPath: place.project } },
      {
        tool: /^Bash$/,
        args: {
          command: `env | grep ^CLAUDE | cut -d= -f1; ANTHROPIC_API_KEY=inner${APPROVED} ${found.executable} -p 'Inside.' ${flags} < /dev/null`,
          description: 'starts another',
          dangerouslyDisableSandbox: true,
        },
      },
      // A server of the same client that comes and goes, as `claude mcp list` starts one.
      { tool: /^Bash$/, args: { command: `echo '${server}' | node ${entry} serve | head -c 60`, description: 'asks' } },
      { tool: /update_session$/, args: { progress: 'still outside' } },
      { text: 'done' },
    ])
    inner.play([
      { tool: /update_session$/, args: { task: 'be inside', projectPath: place.project } },
      { tool: /send_message$/, args: { to: 'project', content: 'from inside', activate: 'never' } },
      { text: 'inside' },
    ])
    const session = await place.stream(withPlugin(host, 'stream'), 'outer')
    await session.say('Outside.')
    const outside = identityOf(last(outer.requests))
    const inside = identityOf(last(inner.requests))
    expect([outside.name, inside.name]).toEqual(['project', 'project-2'])
    expect(inside.id).not.toBe(outside.id)
    const results = outer.requests.at(-1)?.exchanges.map(({ result = '' }) => result) ?? []
    expect(results[1]).toContain('CLAUDE_CODE_SESSION_ID')
    for (const text of [results[0], results[3]]) expect(JSON.parse(text ?? '')).toMatchObject({ id: outside.id })
    const tasks = Object.values(await place.files('sessions')).map(({ id, task }) => [id, task])
    expect(Object.fromEntries(tasks)).toEqual({ [outside.id]: 'be outside', [inside.id]: 'be inside' })
    expect(reminders(conversationOf(last(outer.requests))).join('\n')).toContain(
      'from session "project-2" (not the user)',
    )
    proof(host, `nested runs: outer ${outside.id}, inner ${inside.id}, each with its own record, and mail between them`)
    expect(await session.end()).toMatchObject({ exitCode: 0, leftBehind: [] })
  })
}

/** Two sessions in one directory and one HOME. */
async function liesBeside(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const [left, right] = ['left', 'right'].map((name) => place.model.conversation(name))
    if (left === undefined || right === undefined) throw new Error('two were asked for')
    const script = (task: string) => (request: ModelRequest) =>
      request.turn === 0
        ? { tool: /update_session$/, args: { task, projectPath: place.project } }
        : { text: `end ${request.turn}` }
    left.play(script('be left'))
    right.play(script('be right'))
    const one = await place.stream(withPlugin(host, 'stream'), 'left', { home: 'person' })
    await one.say('Begin.')
    const two = await place.stream(withPlugin(host, 'stream'), 'right', { home: 'person' })
    await two.say('Begin.')
    const ids = [left, right].map((side) => identityOf(last(side.requests)))
    expect(ids.map(({ name }) => name)).toEqual(['project', 'project-2'])
    expect([left, right].map((side) => JSON.parse(side.result('update_session')).id)).toEqual(ids.map(({ id }) => id))
    await send(place, 'project-2', 'for the right one', '--activate', 'never')
    await one.say('Anything?')
    await two.say('Anything?')
    expect(reminders(newIn(last(left.requests)))).toEqual([])
    expect(reminders(newIn(last(right.requests))).join('\n')).toContain('"for the right one"')
    proof(host, `two sessions in one directory: ${ids.map(({ name }) => name).join(' and ')}, each with its own mail`)
    expect(await one.end()).toMatchObject({ exitCode: 0 })
    expect(await two.end()).toMatchObject({ exitCode: 0 })
  })
}

for (const host of [claudeCodeNewest, claudeCode]) {
  hostTest('C043 C047: --continue and --resume are the same session, a fork is a new one', [host], comesBack)
  hostTest('C055: a run inside a run has its own identity, and a second server takes nothing', [host], startsInside)
  hostTest('C042: two sessions in one directory keep their own names and mail', [host], liesBeside)
}
