/** A server that dies over an action: with a tmux that never comes back, so that the moment is certain. */
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { CreateAnswer, ManageAnswer } from '../../src/core/answers-actions.ts'
import type { SessionView } from '../../src/lib.ts'
import { makePlace, type Place } from './lab/place.ts'
import { endAll } from './lab/processes.ts'
import { startClient, startSession } from './lab/server.ts'
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

/** Knows one pane, and hangs over everything it is to do. */
const TMUX = (log: string) => `#!/bin/sh
shift 3
echo "$1" >> '${log}'
[ "$1" = display-message ] && { echo "%1 1 0 0 @1 1 \\$1 1 main"; exit 0; }
sleep 600
`

describe('an executor killed in the middle', () => {
  test('leaves its action unknown, which is shown, and nobody does it again', async () => {
    const log = path.join(place.directory, 'tmux.log')
    const bin = path.join(place.directory, 'bin')
    fs.mkdirSync(bin)
    fs.writeFileSync(path.join(bin, 'tmux'), TMUX(log), { mode: 0o755 })
    fs.writeFileSync(path.join(bin, 'claude'), '#!/bin/sh\nexit 0\n', { mode: 0o755 })
    const env = {
      PATH: `${bin}:${process.env['PATH']}`,
      TMUX: `${path.join(place.directory, 'socket')},1,0`,
      TMUX_PANE: '%1',
    }
    const asked = () =>
      fs.existsSync(log)
        ? fs
            .readFileSync(log, 'utf8')
            .split('\n')
            .filter((line) => line === 'new-window')
        : []
    const lead = await startClient(place.home)
    await lead.startServer({ env })
    await lead.call('update_session', { task: 'leads', projectPath: place.directory, name: 'lead' })
    const creating = lead.call('create_session', { prompt: 'Help.', name: 'helper', host: 'claude-code' }).then(
      () => 'answered',
      () => 'no answer',
    )
    await until('tmux is at it', () => asked().length === 1)
    await lead.ask('signal', { signal: 'SIGKILL' })

    const other = await startSession(place.home, 'other')
    const view = await other.call<SessionView>('query_session', { session: 'helper' })
    expect(view.opened).toMatchObject({
      kind: 'create',
      state: 'unknown',
      evidence: 'its executor ended before it said how it went; not registered yet',
    })
    // Its own client's next server does not take it up either.
    await lead.startServer({ env, server: 'two' })
    await lead.call('list_sessions', {}, 'two')
    const again = await lead.call<SessionView>('query_session', { session: 'helper' }, 'two')
    expect(again.opened).toMatchObject({ id: view.opened?.id, state: 'unknown' })
    expect(asked()).toHaveLength(1)
    const queue = path.join(place.home, 'actions', 'tmux')
    expect(fs.readdirSync(queue).filter((name) => name.endsWith('.json'))).toEqual([])
    expect(fs.readdirSync(path.join(queue, 'claimed'))).toEqual([])
    void creating
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
