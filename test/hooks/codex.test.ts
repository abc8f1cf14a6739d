/** What the hook of Codex makes of a session's life, from recorded payloads. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkHookLog } from '../../src/cli/doctor/hook-log.ts'
import { gated } from '../../src/hosts/gate.ts'
import {
  hookFile as claudeHookFile,
  context,
  folder,
  gateFile,
  type Payload,
  type Run,
  records,
  run,
  send,
} from './hook.ts'

const hookFile = claudeHookFile.replace(/claude-code\.js$/, 'codex.js')
const payloads = new URL('./payloads/codex/', import.meta.url)
const EVENTS = readdirSync(payloads).map((name) => name.replace(/\.json$/, ''))

function payload(event: string, over: Payload = {}): Payload {
  return { ...JSON.parse(readFileSync(new URL(`${event}.json`, payloads), 'utf8')), ...over }
}

const SESSION = String(payload('SessionStart')['session_id'])

const hook = (home: string, event: string, over: Payload = {}, env: Record<string, string> = {}): Promise<Run> =>
  run(home, payload(event, over), { command: [process.execPath, hookFile], env })

const states = (home: string) => records(home, 'activity').map(({ state }) => state)

/** Everything an event of Codex may answer with: one field more, and it throws the answer away. */
function shapeOf({ stdout }: Run): unknown {
  if (stdout === '') return undefined
  const answer = JSON.parse(stdout)
  const { hookSpecificOutput } = answer
  return {
    keys: Object.keys(answer),
    ...(hookSpecificOutput && { specific: Object.keys(hookSpecificOutput), event: hookSpecificOutput.hookEventName }),
  }
}

describe('the answers', () => {
  test('have exactly the fields that Codex knows', async () => {
    const home = folder()
    const told = (event: string) => ({
      keys: ['hookSpecificOutput'],
      specific: ['hookEventName', 'additionalContext'],
      event,
    })
    expect(shapeOf(await hook(home, 'SessionStart'))).toEqual(told('SessionStart'))
    await send(home, 'project', 'one')
    expect(shapeOf(await hook(home, 'UserPromptSubmit'))).toEqual(told('UserPromptSubmit'))
    await send(home, 'project', 'two')
    expect(shapeOf(await hook(home, 'PostToolUse'))).toEqual(told('PostToolUse'))
    await send(home, 'project', 'three', { intent: 'request' })
    expect(shapeOf(await hook(home, 'Stop'))).toEqual({ keys: ['decision', 'reason'] })
    for (const event of ['PermissionRequest', 'Interrupt', 'SubagentStart', 'SubagentStop', 'SessionEnd']) {
      expect(await hook(home, event)).toMatchObject({ code: 0, stdout: '', stderr: '' })
    }
  })

  test('are silence for an event nobody knows, for no event, and for no conversation', async () => {
    for (const over of [{ hook_event_name: 'PreModelRequest' }, { hook_event_name: 7 }, { session_id: undefined }]) {
      const home = folder()
      expect(await hook(home, 'SessionStart', over)).toMatchObject({ code: 0, stdout: '', stderr: '' })
      const sessions = path.join(home, 'sessions')
      expect(existsSync(sessions) ? readdirSync(sessions) : []).toEqual([])
    }
  })
})

test('a payload that lacks what it had is silence, and a line that doctor shows', async () => {
  for (const over of [{ session_id: undefined }, { hook_event_name: undefined }]) {
    const home = folder()
    for (const event of EVENTS) expect(await hook(home, event, over)).toMatchObject({ code: 0, stdout: '', stderr: '' })
    const log = readFileSync(path.join(home, 'log/hooks.log'), 'utf8')
    expect(log).toContain(
      '"event":"strange","host":"codex","what":"a payload without a conversation or a moment; it has ',
    )
    expect(checkHookLog(home)[0]?.text).toMatch(/^Hooks failed \d+ times in the last 7 days/)
  }
})

describe('a session of Codex', () => {
  test('is the conversation: registered at its start with what the payload says, and woken by the queue', async () => {
    const home = folder()
    expect(context(await hook(home, 'SessionStart'))).toContain(`(id ${SESSION})`)
    expect(records(home, 'sessions')).toMatchObject([
      {
        id: SESSION,
        name: 'project',
        projectPath: '/lab/project',
        model: 'scripted',
        host: { kind: 'codex', hostKey: SESSION, doors: ['queue'], hooked: true, client: { pid: process.pid } },
      },
    ])
  })

  test('has the states its events say', async () => {
    const home = folder()
    const seen: unknown[] = []
    for (const event of ['SessionStart', 'UserPromptSubmit', 'PermissionRequest', 'PostToolUse', 'Stop']) {
      await hook(home, event)
      seen.push(...states(home))
    }
    await hook(home, 'UserPromptSubmit')
    await hook(home, 'Interrupt')
    seen.push(...states(home))
    await hook(home, 'SessionEnd')
    seen.push(...states(home))
    expect(seen).toEqual(['idle', 'working', 'needs_permission', 'working', 'idle', 'idle', 'ended'])
  })

  test('C049: its agents carry its id: they are told nothing, end nothing, and set nothing', async () => {
    const home = folder()
    await hook(home, 'SessionStart')
    await hook(home, 'UserPromptSubmit')
    await send(home, 'project', 'for the session', { intent: 'request' })
    const before = states(home)
    for (const event of ['SubagentStart', 'UserPromptSubmit.subagent', 'PostToolUse.subagent', 'SubagentStop']) {
      expect(await hook(home, event)).toMatchObject({ code: 0, stdout: '' })
    }
    const { agent_id } = payload('SubagentStop')
    for (const event of ['Stop', 'SessionEnd', 'Interrupt'])
      expect((await hook(home, event, { agent_id })).stdout).toBe('')
    expect(states(home)).toEqual(before)
    expect(context(await hook(home, 'PostToolUse'))).toContain('"for the session"')
    expect(records(home, 'sessions')).toHaveLength(1)
  })

  test('a cleared conversation is another session, and the first one ends with its thread', async () => {
    const home = folder()
    await hook(home, 'SessionStart')
    const cleared = 'c1ea0000-0000-7000-8000-000000000009'
    await hook(home, 'SessionStart', { session_id: cleared, source: 'clear', transcript_path: '/lab/rollout-x.jsonl' })
    await hook(home, 'SessionEnd', { reason: 'clear' })
    const ended = Object.fromEntries(records(home, 'activity').map(({ id, state }) => [id, state]))
    expect(ended).toEqual({ [SESSION]: 'ended', [cleared]: 'idle' })
  })

  test('is told what it holds no longer after a compaction', async () => {
    const home = folder()
    await hook(home, 'SessionStart')
    await send(home, 'project', 'news')
    expect(context(await hook(home, 'UserPromptSubmit'))).toContain('"news"')
    expect(context(await hook(home, 'SessionStart', { source: 'compact' }))).toContain('"news"')
    expect(states(home)).toEqual(['working'])
  })

  test('the prompt that a wake sent is the proof of its turn', async () => {
    const home = folder()
    await hook(home, 'SessionStart')
    await hook(home, 'UserPromptSubmit.wake')
    expect(records(home, 'activity')[0]).not.toHaveProperty('lastHumanPrompt')
  })

  test('the pane of a terminal is its own, but that of the background server is nobody’s', async () => {
    const home = folder()
    await hook(home, 'SessionStart', {}, { TMUX_PANE: '%7', TMUX: '/tmp/tmux-1/default,1,0' })
    expect(records(home, 'sessions')).toMatchObject([{ host: { pane: '%7', terminal: '/tmp/tmux-1/default' } }])
    const other = folder()
    const daemon = path.join(other, 'app-server-daemon')
    mkdirSync(daemon)
    writeFileSync(path.join(daemon, 'daemon.pid'), JSON.stringify({ pid: process.pid }))
    await hook(other, 'SessionStart', {}, { TMUX_PANE: '%7', TMUX: '/tmp/tmux-1/default,1,0', CODEX_HOME: other })
    for (const fact of ['pane', 'terminal']) expect(records(other, 'sessions')[0]?.['host']).not.toHaveProperty(fact)
  })
})

describe('where a hook of one host is run by another', () => {
  test('the hook of Claude Code is silent for every event of Codex, and leaves no trace', async () => {
    for (const event of EVENTS) {
      const home = folder()
      expect(await run(home, payload(event))).toMatchObject({ code: 0, stdout: '', stderr: '' })
      expect(readdirSync(home)).toEqual([])
    }
  })
})

describe('the gate', () => {
  test('lets the hook through when there is word for anybody, and only then', async () => {
    const home = folder()
    await hook(home, 'SessionStart')
    const command = ['sh', ...gated(gateFile, '--any', home, process.execPath, hookFile)] as const
    expect((await run(home, payload('PostToolUse'), { command })).stdout).toBe('')
    await send(home, 'project', 'news')
    expect(context(await run(home, payload('PostToolUse'), { command }))).toContain('"news"')
  })
})

test.each(EVENTS)('%s is answered within a home that cannot be used, in silence', async (event) => {
  const home = path.join(folder(), 'file', 'bus')
  expect(await hook(home, event, {}, { SESSION_MCP_HOME: '/dev/null/bus' })).toMatchObject({ code: 0, stdout: '' })
})
