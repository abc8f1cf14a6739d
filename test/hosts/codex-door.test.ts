/** `codex queue`, as a real process: what it is given, and what is made of its answer. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { DoorCall } from '../../src/core/ports-hosts.ts'
import { detectHost } from '../../src/hosts/detect.ts'
import { createDoors } from '../../src/hosts/doors.ts'
import { HOSTS } from '../../src/hosts/table.ts'
import { aSession } from '../contract/records.ts'

const isPosix = process.platform !== 'win32'

/** A directory for the PATH with a `codex` in it. */
function program(script: string): string {
  const directory = realpathSync(mkdtempSync(path.join(tmpdir(), "session-mcp it's a door ")))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  writeFileSync(path.join(directory, 'codex'), `#!/bin/sh\n${script}\n`)
  chmodSync(path.join(directory, 'codex'), 0o755)
  return directory
}

function call(text: string, over: Partial<DoorCall> = {}): DoorCall {
  const session = aSession('5e551011-0000-7000-8000-000000000001')
  return { session, activity: undefined, binding: undefined, text, ...over }
}

test('only Codex has a door that is opened so', () => {
  const doors = createDoors(HOSTS, {})
  expect(doors.has('queue')).toBe(true)
  for (const door of ['file-watch', 'none', 'toString']) expect(doors.has(door)).toBe(false)
  expect(detectHost('claude-code').openDoor).toBeUndefined()
})

test.runIf(isPosix)(
  'gets the thread and the text as arguments, the home of its conversation, and no identity',
  async () => {
    const directory = program(
      'printf "%s\\n" "$#" "$@" >"$CODEX_HOME/seen"; env >"$CODEX_HOME/env"; echo "Queued message q-1 for thread."',
    )
    const home = path.join(directory, 'a home')
    mkdirSync(home)
    const env = { PATH: `${directory}:/usr/bin:/bin`, CODEX_HOME: '/elsewhere', CODEX_SESSION_ID: 'me', HOME: '/h' }
    const binding = {
      hostKey: 'x',
      sessionId: 'x',
      boundAt: '',
      transcript: `${home}/sessions/2026/11/30/rollout-1.jsonl`,
    }
    const text = 'session-mcp wake w1: 1 unread message. $(touch /tmp/x) "quoted" \'it\''
    expect(await createDoors(HOSTS, env).open('queue', call(text, { binding }))).toEqual({
      isOpen: true,
      evidence: 'codex queue took it as q-1',
    })
    expect(readFileSync(path.join(home, 'seen'), 'utf8').split('\n')).toEqual([
      '5',
      'queue',
      '--thread',
      '5e551011-0000-7000-8000-000000000001',
      '--message',
      text,
      '',
    ])
    const seen = readFileSync(path.join(home, 'env'), 'utf8')
    expect(seen).toContain(`CODEX_HOME=${home}\n`)
    expect(seen).not.toContain('CODEX_SESSION_ID')
  },
)

test.runIf(isPosix)('what it says when it fails is the reason', async () => {
  const directory = program('echo "warming up" >&2; printf "\\033[31mno such thread\\033[0m\\n" >&2; exit 3')
  const answer = await createDoors(HOSTS, { PATH: directory }).open('queue', call('text'))
  expect(answer).toEqual({ isOpen: false, evidence: 'codex queue ended with 3: [31mno such thread[0m' })
})

test('without a codex anywhere, the reason says so', async () => {
  const answer = await createDoors(HOSTS, { PATH: '/nowhere:relative' }).open('queue', call('text'))
  expect(answer).toEqual({ isOpen: false, evidence: 'codex, which would have to queue the turn, is not on the PATH' })
})
