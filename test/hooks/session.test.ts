/** What the hook process makes of a session’s life, from recorded payloads. */
import { describe, expect, test } from 'vitest'
import { cli, context, folder, hookFile, payload, type Run, records, run, SESSION, send } from './hook.ts'

const BOUND = { project: '/lab/project' }

function activity(home: string): unknown {
  return records(home, 'activity').map(({ state }) => state)
}

async function inbox(home: string, id: string): Promise<unknown[]> {
  const { stdout } = await run(home, '', { command: [process.execPath, cli, 'inbox', '--json', id] })
  return JSON.parse(stdout).messages
}

function quiet({ code, stdout, stderr }: Run): boolean {
  return code === 0 && stdout === '' && stderr === ''
}

describe('a turn', () => {
  test('C165: whatever is told at once is one JSON object', async () => {
    const home = folder()
    await run(home, payload('SessionStart'))
    for (let n = 0; n < 7; n++) await send(home, 'project', `message ${n}`)
    const done = await run(home, payload('SessionStart', { source: 'compact' }))
    const text = context(done)
    expect(text?.split('\n')[0]).toContain(`(id ${SESSION})`)
    expect(text).toContain('7 unread messages in the inbox of this session')
    expect(text).toContain('- and 2 more')
    expect(JSON.parse(done.stdout).hookSpecificOutput.watchPaths).toHaveLength(1)
  })

  test('C171: a turn that was held already is not held again, whatever is unread', async () => {
    const home = folder()
    await run(home, payload('SessionStart'))
    await run(home, payload('UserPromptSubmit'))
    for (let n = 0; n < 5; n++) await send(home, 'project', `please ${n}`, { intent: 'request' })
    expect(quiet(await run(home, payload('Stop', { stop_hook_active: true })))).toBe(true)
    const wake = await run(home, payload('FileChanged'))
    expect(wake).toMatchObject({ code: 2, stdout: '' })
    expect(wake.stderr).toMatch(/^session-mcp wake [0-9a-z]{10}: 5 unread messages\. Use read_inbox\.$/)
  })

  test('a turn is held once for each message', async () => {
    const home = folder()
    await run(home, payload('SessionStart'))
    await run(home, payload('UserPromptSubmit'))
    await send(home, 'project', 'please', { intent: 'request' })
    expect(JSON.parse((await run(home, payload('Stop'))).stdout)).toMatchObject({ decision: 'block' })
    expect(activity(home)).toEqual(['working'])
    expect(quiet(await run(home, payload('Stop')))).toBe(true)
    expect(activity(home)).toEqual(['idle'])
  })

  test('a stop with tasks in the background is still working', async () => {
    const home = folder()
    await run(home, payload('SessionStart'))
    await run(home, payload('Stop', { background_tasks: [{ id: '1' }] }))
    expect(activity(home)).toEqual(['working'])
  })

  test('the activation message of a wake is shown as what its sender said', async () => {
    const home = folder()
    await run(home, payload('SessionStart'))
    await send(home, 'project', 'body', { activationMessage: 'Human: stop all agents' })
    const { stderr } = await run(home, payload('FileChanged'))
    const prompt = String(payload('UserPromptSubmit.wake')['prompt']).replace(/session-mcp wake .*inbox\./, stderr)
    const text = context(await run(home, payload('UserPromptSubmit.wake', { prompt })))
    expect(text).toContain('This turn was started by a message from the person at this machine, through the shell:')
    expect(text).toContain('"Human: stop all agents"')
  })
})

describe('subagents', () => {
  const agent = { agent_id: 'a1', agent_type: 'general-purpose' }

  test('C049: whatever a subagent starts, uses and ends, the session stays as it is', async () => {
    const home = folder()
    await run(home, payload('SessionStart'))
    await run(home, payload('UserPromptSubmit'))
    await send(home, 'project', 'for the parent')
    const before = [records(home, 'activity'), records(home, 'shown')]
    const events = ['SessionStart', 'UserPromptSubmit', 'PostToolBatch', 'Stop', 'Notification', 'SessionEnd']
    for (const event of [...events, 'SubagentStart', 'SubagentStop']) {
      const input = payload(events.includes(event) ? event : 'Stop', { ...agent, hook_event_name: event })
      expect({ event, quiet: quiet(await run(home, input)) }).toEqual({ event, quiet: true })
    }
    expect([records(home, 'activity'), records(home, 'shown')]).toEqual(before)
    expect(context(await run(home, payload('PostToolBatch')))).toContain('"for the parent"')
  })

  test('its calls of our tools say so, and what a model writes into them does not count', async () => {
    const input = { peek: true, _session: 'forged', _agent: 'forged' }
    const home = folder()
    const own = JSON.parse((await run(home, payload('PreToolUse', { tool_input: { _session: 'forged' } }))).stdout)
    expect(own.hookSpecificOutput.updatedInput).toEqual({ _session: SESSION })
    const done = await run(home, payload('PreToolUse', { ...agent, tool_input: input }))
    const { updatedInput } = JSON.parse(done.stdout).hookSpecificOutput
    expect(updatedInput).toEqual({ peek: true, _session: SESSION, _agent: 'a1' })
  })
})

describe('ends', () => {
  test('clear and resume end nothing; anything else does', async () => {
    const home = folder()
    await run(home, payload('SessionStart'))
    for (const reason of ['clear', 'resume']) await run(home, payload('SessionEnd', { reason }))
    expect(activity(home)).toEqual(['idle'])
    await run(home, payload('SessionEnd'))
    expect(activity(home)).toEqual(['ended'])
  })

  test('C177: a session whose end hook never came is seen to be gone, and keeps its mail', async () => {
    const home = folder()
    // The client of the hook is this shell, which is gone when the hook has ended.
    const command = ['sh', '-c', '"$0" "$1"; true', process.execPath, hookFile] as const
    await run(home, payload('SessionStart'), { command })
    await send(home, 'project', 'anybody there?')
    const { stdout } = await run(home, '', { command: [process.execPath, cli, 'list', '--json'] })
    expect(JSON.parse(stdout).sessions).toMatchObject([
      { id: SESSION, activity: 'ended', finished: 'ended', unread: 1 },
    ])
    expect(await inbox(home, SESSION)).toHaveLength(1)
  })

  test('C045: hooks that still speak of an old conversation do not touch the session of their client', async () => {
    const home = folder()
    await run(home, payload('SessionStart', { session_id: 'old-one' }))
    await run(home, payload('SessionEnd', { session_id: 'old-one' }))
    await run(home, payload('SessionStart'))
    await run(home, payload('UserPromptSubmit'))
    const own = () => records(home, 'activity').filter(({ id }) => id === SESSION)
    const before = own()
    await run(home, payload('Notification', { session_id: 'old-one' }))
    await run(home, payload('SessionEnd', { session_id: 'old-one' }))
    expect(own()).toEqual(before)
    expect(
      records(home, 'sessions')
        .map(({ id }) => id)
        .sort(),
    ).toEqual([SESSION, 'old-one'].sort())
  })
})

test('names and paths of the payload are the session’s', async () => {
  const home = folder()
  await run(home, payload('SessionStart', { session_title: 'Fix: the <bug> "now"' }))
  expect(records(home, 'sessions')).toMatchObject([
    { name: expect.stringMatching(/^Fix- the -bug- -now/), projectPath: BOUND.project },
  ])
})
