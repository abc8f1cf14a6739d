/** `claude --bg`, with a program that records what it was started with and answers as the real one does. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Action, ActionTarget } from '../../src/core/action.ts'
import { backgroundExecutor } from '../../src/hosts/claude-code/background.ts'
import { identityVariables } from '../../src/hosts/launch.ts'

/** As 2.1.332 says it. */
const STARTED =
  'backgrounded · 045dd166 · helper one\n  claude agents             list sessions\n  claude attach 045dd166    open in this terminal\n'

let place: string
let project: string
beforeEach(() => {
  place = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'session-mcp-bg-')))
  project = path.join(place, `a "project" $(touch PWNED)`)
  fs.mkdirSync(project)
})
afterEach(() => fs.rmSync(place, { recursive: true, force: true }))

function claude(says: string, code = 0): void {
  fs.writeFileSync(path.join(place, 'says'), says)
  const script = `#!${process.execPath}
require('fs').writeFileSync(${JSON.stringify(path.join(place, 'seen'))}, JSON.stringify({ args: process.argv.slice(2), cwd: process.cwd(), env: process.env }))
process[${code} === 0 ? 'stdout' : 'stderr'].write(require('fs').readFileSync(${JSON.stringify(path.join(place, 'says'))}))
process.exitCode = ${code}
`
  fs.writeFileSync(path.join(place, 'claude'), script, { mode: 0o755 })
}

const seen = () => JSON.parse(fs.readFileSync(path.join(place, 'seen'), 'utf8'))

function ask(action: Partial<Action> & Pick<Action, 'kind'>, env: Record<string, string> = {}) {
  const executor = backgroundExecutor({ env: { PATH: place, HOME: place, ...env }, home: place })
  const target = { id: 'ses-new', hostKind: 'claude-code', hostSessionId: 'ses-new' }
  const by = { id: 'lead', name: 'lead' }
  const rest = { executor: 'background', requestedAt: '', state: 'requested', params: {} } as const
  return executor.perform({ id: 'act-0000000000', by, target, ...rest, ...action })
}

const create = (prompt: string, env?: Record<string, string>) =>
  ask(
    {
      kind: 'create',
      params: { host: 'claude-code', projectPath: project, prompt, name: 'helper one', spawn: 'ses-new.x' },
    },
    env,
  )

describe('opening a session in the background', () => {
  it('passes any prompt as one argument, and says which job it is', async () => {
    claude(STARTED)
    for (const prompt of ['-n --help', `'"$(touch PWNED)\`\\`, 'first\nsecond;']) {
      expect(await create(prompt)).toMatchObject({
        state: 'done',
        evidence: expect.stringMatching(/^claude --bg: job 045dd166/),
        byHand: expect.stringContaining('claude attach 045dd166'),
        place: { job: '045dd166' },
      })
      expect(seen()).toMatchObject({ args: ['--bg', '-n', 'helper one', '--', prompt], cwd: project })
    }
  })

  it('C055: inherits neither who asks, nor its terminal, nor a token that later sessions would find too', async () => {
    claude(STARTED)
    const outer = Object.fromEntries(identityVariables().map((name) => [name, 'outer']))
    await create('x', {
      ...outer,
      TMUX: '/s,1,0',
      TMUX_PANE: '%1',
      CLAUDE_CODE_LAUNCHED_BY_SESSION_IDS: 'lead',
      MINE: 'kept',
    })
    const { env } = seen()
    expect(Object.keys(env).filter((name) => name in outer || name.startsWith('TMUX'))).toEqual([])
    expect(env).toMatchObject({ SESSION_MCP_HOME: place, CLAUDE_CODE_LAUNCHED_BY_SESSION_IDS: 'lead', MINE: 'kept' })
  })

  it('says what claude said where it fails, and that nothing is known where it does not name a job', async () => {
    claude('error: not logged in\nmore', 1)
    expect(await create('x')).toEqual({ state: 'failed', evidence: 'claude says: error: not logged in' })
    claude('something new\n')
    expect(await create('x')).toMatchObject({
      state: 'unknown',
      evidence: expect.stringMatching(/did not say which job/),
    })
    fs.rmSync(path.join(place, 'claude'))
    expect(await create('x')).toMatchObject({
      state: 'failed',
      evidence: expect.stringMatching(/no claude in the PATH/),
    })
  })
})

describe('a session in the background', () => {
  const target: ActionTarget = { id: 'b', hostKind: 'claude-code', hostSessionId: 'b', job: '045dd166' }

  it('is stopped by its job, and nothing that is none', async () => {
    claude('stopped 045dd166\n')
    expect(await ask({ kind: 'close', target })).toMatchObject({
      state: 'done',
      evidence: 'claude stop 045dd166: stopped 045dd166',
    })
    expect(seen().args).toEqual(['stop', '045dd166'])
    expect(await ask({ kind: 'close', target: { ...target, job: '--all' } })).toMatchObject({ state: 'failed' })
    expect(seen().args).toEqual(['stop', '045dd166'])
  })

  it('can be closed and nothing else; of other hosts and of tabs nothing is offered', async () => {
    claude('')
    const executor = backgroundExecutor({ env: { PATH: place }, home: place })
    expect(await executor.offers('close', target, {})).toEqual({ can: true })
    expect(await executor.offers('cancel', target, {})).toMatchObject({
      can: false,
      byHand: 'In a terminal: claude attach 045dd166',
    })
    const { job: _, ...tab } = target
    expect(await executor.offers('close', tab, {})).toBeUndefined()
    expect(await executor.offers('cancel', { ...target, job: '$(touch PWNED)' }, {})).toBeUndefined()
    expect(await executor.offers('close', { ...target, hostKind: 'codex' }, {})).toBeUndefined()
    expect(await executor.offers('create', target, { host: 'codex' })).toBeUndefined()
    expect(await executor.offers('create', target, { host: 'claude-code' })).toEqual({ can: true })
  })
})
