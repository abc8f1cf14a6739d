/** A server that dies over an action: with a tmux that never comes back, so that the moment is certain. */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { CreateAnswer, ManageAnswer } from '../../src/core/answers-actions.ts'
import type { ReceiptAnswer, SendAnswer, SessionView } from '../../src/lib.ts'
import { makePlace, type Place } from './lab/place.ts'
import { endAll } from './lab/processes.ts'
import { startRemote } from './lab/remote.ts'
import { SERVER, startClient, startSession, type TestClient } from './lab/server.ts'
import { until } from './lab/until.ts'

let place: Place
let socket: net.Server
beforeEach(() => {
  place = makePlace('tabs')
  // From inside: a whole path may be longer than the system takes for a socket.
  const before = process.cwd()
  process.chdir(place.directory)
  socket = net.createServer().listen('socket')
  process.chdir(before)
})
afterEach(() => {
  socket.close()
  endAll()
  place.remove()
})

/** Shows every pane as one that runs `pid`, and hangs over everything it is to do. */
const HANGS = (log: string, pid: number) => `#!/bin/sh
shift 3
echo "$1" >> '${log}'
[ "$1" = display-message ] && { echo "$4 ${pid} 0 0 0 0 @1 1 \\$1 1 main"; exit 0; }
sleep 600
`
/** Opens windows in which nothing ever comes up. */
const OPENS = `#!/bin/sh
shift 3
[ "$1" = display-message ] && echo "$4 1 0 0 0 0 @1 1 \\$1 1 main"
[ "$1" = new-window ] && echo '%2 1 1'
exit 0
`

function program(name: string, text: string): void {
  const bin = path.join(place.directory, 'bin')
  fs.mkdirSync(bin, { recursive: true })
  fs.writeFileSync(path.join(bin, name), text, { mode: 0o755 })
}

/** A lead with a server in that tmux. */
async function leadIn(tmux: string) {
  program('tmux', tmux)
  program('claude', '#!/bin/sh\nexit 0\n')
  const env = {
    PATH: `${path.join(place.directory, 'bin')}:${process.env['PATH']}`,
    TMUX: `${terminal()},1,0`,
    TMUX_PANE: '%1',
  }
  const lead = await startClient(place.home)
  await lead.startServer({ env })
  const registration = { task: 'leads', projectPath: place.directory, name: 'lead' }
  const { id } = await lead.call<{ id: string }>('update_session', registration)
  return { lead, id, env }
}

const terminal = () => path.join(place.directory, 'socket')

/** The same with a tmux that hangs. `asked` lists how often it was to do something so far. */
async function hanging(pid = 1) {
  const log = path.join(place.directory, 'tmux.log')
  const asked = (what: string) =>
    fs.existsSync(log)
      ? fs
          .readFileSync(log, 'utf8')
          .split('\n')
          .filter((line) => line === what).length
      : 0
  return { ...(await leadIn(HANGS(log, pid))), asked }
}

/** A session in a pane of that tmux, and the server of its lead killed while tmux is to pin it. */
async function killedOverTab() {
  const host = await startRemote('ide-host', { args: [place.home] })
  await host.ask('open', { tab: 'critic', pane: '%3', terminal: terminal() })
  const { lead, id, env, asked } = await hanging(host.pid)
  const pinning = lead.call('manage_session', { session: 'critic', operation: 'pin' }).then(
    () => 'answered',
    () => 'no answer',
  )
  await until('tmux is at it', () => asked('list-windows') === 1)
  await lead.ask('signal', { signal: 'SIGKILL' })
  expect(await pinning).toBe('no answer')
  return { lead, id, env, asked }
}

const queue = (...parts: string[]) => path.join(place.home, 'actions', 'tmux', ...parts)
const actionsIn = (folder: string) => fs.readdirSync(folder).filter((name) => name.startsWith('act-'))

/** As if the one session that was opened had been so long ago, however long it took to get here. */
function wasMade(agoMs: number): void {
  const folder = path.join(place.home, 'sessions')
  for (const file of fs.readdirSync(folder).map((name) => path.join(folder, name))) {
    const record = JSON.parse(fs.readFileSync(file, 'utf8'))
    if (record.spawn === undefined) continue
    record.spawn.at = new Date(Date.now() - agoMs).toISOString()
    fs.writeFileSync(file, JSON.stringify(record))
  }
}

/** What a host gets after a tool has answered. */
interface Told {
  readonly actions: readonly object[]
  readonly text: string
}

/** The client of lead starts its server again, which goes on as lead. @returns what its first answers say beside themselves. */
async function notice(lead: TestClient, env: Readonly<Record<string, string>>, id: string): Promise<string> {
  await lead.startServer({ env, server: 'two' })
  const asLead = { sessionId: id, task: 'leads' }
  return until('it is told', async () => {
    const { news } = await lead.call<{ news?: { notices?: readonly string[] } }>('update_session', asLead, 'two')
    return news?.notices?.join('\n')
  })
}

describe('an executor killed in the middle', () => {
  test('leaves its action unknown, which is shown, and nobody does it again', async () => {
    const { lead, env, asked } = await hanging()
    const creating = lead.call('create_session', { prompt: 'Help.', name: 'helper', host: 'claude-code' }).then(
      () => 'answered',
      () => 'no answer',
    )
    await until('tmux is at it', () => asked('new-window') === 1)
    await lead.ask('signal', { signal: 'SIGKILL' })

    const other = await startSession(place.home, 'other')
    wasMade(0)
    const view = await other.call<SessionView>('query_session', { session: 'helper' })
    expect(view.opened).toMatchObject({
      kind: 'create',
      state: 'unknown',
      evidence: 'its executor ended before it said how it went; not registered yet',
    })
    // Its own client's next server does not take it up either.
    await lead.startServer({ env, server: 'two' })
    await lead.call('list_sessions', {}, 'two')
    wasMade(0)
    const again = await lead.call<SessionView>('query_session', { session: 'helper' }, 'two')
    expect(again.opened).toMatchObject({ id: view.opened?.id, state: 'unknown' })
    expect(asked('new-window')).toBe(1)
    expect(actionsIn(queue())).toEqual([])
    expect(actionsIn(queue('claimed'))).toEqual([])
    expect(await creating).toBe('no answer')
  })

  test('over a tab leaves word with the session that asked, once, and shows it to all', async () => {
    const { lead, id, env, asked } = await killedOverTab()
    const row = {
      kind: 'pin',
      target: 'critic',
      by: 'lead',
      state: 'unknown',
      evidence: 'its executor ended before it said how it went',
      requestedAt: expect.any(String),
      next: expect.stringContaining('nobody does it a second time'),
    }
    for (const session of ['critic', 'lead']) {
      const args = [SERVER, 'show', session, '--json', `--home=${place.home}`]
      const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' })
      expect(JSON.parse(stdout)).toMatchObject({ actions: [row] })
    }
    expect(await notice(lead, env, id)).toContain('Nobody knows whether "pin" of session "critic"')
    expect(await lead.call('list_sessions', {}, 'two')).not.toHaveProperty('news')
    expect(asked('list-windows')).toBe(1)
    expect(actionsIn(queue('claimed'))).toEqual([])
  })

  test('that nobody asks about is found out by the next server of whoever asked, before it does anything else', async () => {
    const { lead, id, env } = await killedOverTab()
    expect(await notice(lead, env, id)).toContain('Nobody knows whether "pin" of session "critic"')
  })
})

describe('a host that performs __actions', () => {
  /** An IDE of one process whose plugin registers two tabs, and which never shows the bridge what a tool answered. */
  async function silentHost() {
    const host = await startRemote('ide-host', { args: [place.home, 'performs'] })
    for (const tab of ['tab-1', 'tab-2']) await host.ask('open', { tab })
    const server = await startClient(place.home)
    await server.startServer()
    const pin = { sessionId: 'tab-1', session: 'tab-2', operation: 'pin' }
    const { action } = await server.call<ManageAnswer>('manage_session', pin)
    const file = (...parts: string[]) => path.join(place.home, 'actions', 'msun', ...parts)
    return { host, server, action, file }
  }

  test('and never answers: what was asked of it is failed when its time is over, and not done when it wakes', async () => {
    const { host, server, action, file } = await silentHost()
    expect(action).toMatchObject({ state: 'requested' })
    // As if it had been asked an hour ago.
    const waits = file(`${action.id}.json`)
    const record = JSON.parse(fs.readFileSync(waits, 'utf8'))
    fs.writeFileSync(waits, JSON.stringify({ ...record, requestedAt: new Date(Date.now() - 3_600_000).toISOString() }))
    const { actions, text } = await host.ask<Told>('result', { tab: 'tab-1', result: { action } })
    expect(actions).toEqual([])
    expect(text).toContain('"pin" of session "tab-2"')
    const view = await server.call<SessionView>('query_session', { sessionId: 'tab-1', session: 'tab-2' })
    expect(view.actions).toMatchObject([
      { id: action.id, state: 'failed', evidence: 'not taken within 600 s; it is not done any more' },
    ])
    expect(await host.ask('prompt', { tab: 'tab-1' })).not.toContain('"pin" of session "tab-2"')
  })

  test('and is killed after it took one: unknown, shown, and handed to no other', async () => {
    const { host, server, action, file } = await silentHost()
    await host.ask('take', { id: action.id })
    expect(fs.readdirSync(file('claimed'))).toHaveLength(1)
    host.kill()
    await until('it is gone', async () => {
      const view = await server.call<SessionView>('query_session', { sessionId: 'tab-1', session: 'tab-2' })
      return view.actions?.[0]?.state === 'unknown'
    })
    const again = await startRemote('ide-host', { args: [place.home, 'performs'] })
    await again.ask('open', { tab: 'tab-1' })
    expect((await again.ask<Told>('result', { tab: 'tab-1', result: { action } })).actions).toEqual([])
    expect(fs.readdirSync(file('claimed'))).toEqual([])
  })
})

describe('a created session that never registers', () => {
  test('has failed after 60 s, its creator is told, and its mail is kept and counted', async () => {
    const { lead } = await leadIn(OPENS)
    const made = await lead.call<CreateAnswer>('create_session', { prompt: 'Go.', name: 'helper', host: 'claude-code' })
    expect(made).toMatchObject({ name: 'helper', action: { kind: 'create' } })
    const sent = await lead.call<SendAnswer>('send_message', { to: 'helper', content: 'Are you there?' })
    wasMade(61_000)

    const told = await lead.call<{ news?: { changes?: readonly string[] } }>('list_sessions')
    expect(told.news?.changes).toEqual(['"helper" never registered within 60 s; 1 unread message is kept for it'])
    const view = await lead.call<SessionView>('query_session', { session: 'helper' })
    expect(view).toMatchObject({
      finished: 'ended',
      unread: 1,
      opened: {
        state: 'failed',
        evidence: 'never registered within 60 s',
        next: expect.stringContaining('its mail is kept'),
      },
    })
    const own = await lead.call<SessionView>('query_session', { session: 'lead' })
    expect(own.actions).toMatchObject([{ kind: 'create', target: 'helper', state: 'failed' }])
    const receipt = await lead.call<ReceiptAnswer>('message_status', { messageId: sent.messageId })
    expect(receipt.recipients).toMatchObject([{ name: 'helper', place: 'unread', stored: true }])
  })
})

describe('a server outside tmux', () => {
  test('says so, and what a person can type, and leaves no session behind', async () => {
    const lead = await startClient(place.home)
    // No claude in this PATH either, so nothing can be opened in the background.
    await lead.startServer({ env: { PATH: path.dirname(process.execPath) } })
    const folder = path.join(place.directory, 'new app')
    fs.mkdirSync(folder)
    await lead.call('update_session', { task: 'leads', projectPath: folder, name: 'lead' })
    const create = (host: string) =>
      lead.call<CreateAnswer>('create_session', { prompt: "It's $(touch PWNED)", name: 'helper', host })
    const claude = await create('claude-code')
    expect(claude).toEqual({
      host: 'claude-code',
      action: {
        kind: 'create',
        state: 'unsupported',
        evidence: 'no window can be opened beside you: it is not known to run in tmux',
        byHand: `In a terminal: cd '${folder}' && claude -n helper -- 'It'\\''s $(touch PWNED)'`,
      },
    })
    expect((await create('cursor')).action).toMatchObject({
      state: 'unsupported',
      evidence: 'how a session of cursor is started in a terminal is not known',
      byHand: `Open cursor in ${folder} and give it the prompt.`,
    })
    const switched = await lead.call<ManageAnswer>('manage_session', { session: 'lead', operation: 'switch' })
    expect(switched.action).toMatchObject({
      state: 'unsupported',
      evidence: 'it is not known to run in tmux',
      byHand: 'Bring its window to the front.',
    })
    expect(fs.readdirSync(path.join(place.home, 'sessions'))).toHaveLength(1)
    expect(fs.readdirSync(path.join(place.home, 'names'))).toEqual(['lead'])
  })
})
