/** Hooks in the form of Claude Code that another host runs: it has an adapter of its own, or hears of the bus through our tools. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkHookLog } from '../../src/cli/doctor/hook-log.ts'
import { isOtherHost } from '../../src/hosts/claude-code/payload.ts'
import { EVENTS, folder, type Payload, payload, records, run, SESSION } from './hook.ts'

const CLAUDE = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolBatch', 'Stop', 'SessionEnd']

const common = (event: string): Payload => ({ hook_event_name: event, session_id: SESSION, cwd: '/lab/project' })

/** As the hosts document or were seen to send them, November 2026; without the variables that name the host as well. */
const SHAPES: Readonly<Record<string, (event: string) => Payload>> = {
  Cursor: (event) => ({
    ...common(event),
    ...{ conversation_id: SESSION, generation_id: 'g1', model: 'm', cursor_version: '3.1.0' },
    ...{ workspace_roots: ['/lab/project'], user_email: 'x@example.com', transcript_path: '/lab/t.jsonl' },
  }),
  'Cursor, of an early version': (event) => ({
    ...common(event),
    ...{ conversation_id: SESSION, workspace_roots: ['/lab/project'], prompt: 'hi' },
  }),
  'Copilot, events in capitals': (event) => ({
    ...common(event),
    ...{ timestamp: 1796000000000, tool_name: 'sess-open', tool_result: { text_result_for_llm: '{}' } },
  }),
  'Copilot, events in camel case': (event) => ({
    ...{ sessionId: SESSION, timestamp: 1796000000000, cwd: '/lab/project' },
    ...{ toolName: 'sess-open', toolArgs: {}, hookEventName: event },
  }),
  'VS Code': (event) => ({
    ...{ timestamp: '2026-11-30T12:00:00Z', cwd: '/lab/project', sessionId: SESSION, hookEventName: event },
    ...{ transcript_path: '/lab/t.json', tool_name: 'x', tool_input: {}, tool_use_id: 't1', tool_response: '' },
  }),
  'VS Code, with names in the style of Claude Code': (event) => ({
    ...common(event),
    ...{ timestamp: '2026-11-30T12:00:00Z', transcript_path: '/lab/t.json', source: 'new' },
  }),
  Gemini: (event) => ({
    ...common(event),
    ...{ transcript_path: '/lab/t.json', timestamp: '2026-11-30T12:00:00Z', mcp_context: { server_name: 's' } },
  }),
  Codex: (event) => ({
    ...common(event),
    ...{ model: 'm', permission_mode: 'default', source: 'startup' },
    transcript_path: '/x/.codex/sessions/2026/11/30/rollout-2026-11-30T12-00-00-1.jsonl',
  }),
  'Codex, without a transcript': (event) => ({ ...common(event), turn_id: 't1', transcript_path: null }),
}

describe.each(Object.entries(SHAPES))('a payload of %s', (_, shape) => {
  test('is met with silence at every moment, and leaves nothing on the bus', async () => {
    const home = path.join(folder(), 'bus')
    const said = CLAUDE.map((event) => run(home, shape(event), { env: { HOME: path.dirname(home) } }))
    for (const { code, stdout, stderr } of await Promise.all(said))
      expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(existsSync(home)).toBe(false)
  })

  test('is told by any one of the fields that Claude Code does not have', () => {
    const own = new Set(EVENTS.flatMap((event) => Object.keys(payload(event))))
    const whole = shape('Stop')
    const foreign = Object.keys(whole).filter((name) => !own.has(name) && !IN_BOTH.includes(name))
    for (const name of foreign) {
      for (const event of EVENTS) {
        expect(isOtherHost({}, payload(event)), event).toBe(false)
        expect(isOtherHost({}, payload(event, { [name]: whole[name] })), `${name} in ${event}`).toBe(true)
      }
    }
  })
})

/** Also in a payload of Claude Code that was not recorded, or of use to nobody as a sign. */
const IN_BOTH = ['tool_response', 'toolArgs', 'user_email']

describe('a payload of Claude Code that lacks what it had', () => {
  test.each(['session_id', 'hook_event_name'])('%s: silence, and a line that doctor shows', async (field) => {
    const home = folder()
    for (const event of EVENTS) {
      const { [field]: _, ...rest } = payload(event)
      expect(await run(home, rest)).toMatchObject({ code: 0, stdout: '', stderr: '' })
    }
    expect(existsSync(path.join(home, 'sessions')) ? readdirSync(path.join(home, 'sessions')) : []).toEqual([])
    expect(existsSync(path.join(home, 'hosts')) ? records(home, 'hosts') : []).toEqual([])
    const line = strangeLines(home).find(({ event }) => event === 'strange')
    expect(line).toMatchObject({ level: 'warn', event: 'strange', host: 'claude-code' })
    expect(line?.['what']).toMatch(/^a payload without a conversation or a moment; it has .*\bcwd\b/)
    // Names of fields only.
    expect(JSON.stringify(line)).not.toContain('/lab/project')
    expect(checkHookLog(home)[0]?.text).toMatch(/^Hooks failed \d+ times in the last 7 days/)
  })
})

function strangeLines(home: string): Record<string, unknown>[] {
  const text = readFileSync(path.join(home, 'log/hooks.log'), 'utf8')
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}
