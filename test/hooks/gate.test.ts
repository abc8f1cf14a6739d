/** What stands around the hook: the shell in front of it, and the second look after a start. */
import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { context, folder, gateFile, hookFile, payload, run, SESSION, send } from './hook.ts'

describe('the gate in front of the hook', () => {
  const through = (home: string, env: Record<string, string> = {}, explicit = '') =>
    run(home, payload('PostToolBatch'), { command: ['sh', gateFile, explicit, process.execPath, hookFile], env })
  const id = { CLAUDE_CODE_SESSION_ID: SESSION }

  test('starts no hook without a mark, and the hook with one', async () => {
    const home = folder()
    await run(home, payload('SessionStart'))
    expect(await through(home, id)).toMatchObject({ code: 0, stdout: '', stderr: '' })
    await send(home, 'project', 'news')
    expect(context(await through(home, id))).toContain('"news"')
    expect(readdirSync(path.join(home, 'pending'))).toEqual([])
  })

  test('the mark of another conversation starts nothing', async () => {
    const home = folder()
    await run(home, payload('SessionStart'))
    await send(home, 'project', 'news')
    expect((await through(home, { CLAUDE_CODE_SESSION_ID: 'another' })).stdout).toBe('')
    expect(readdirSync(path.join(home, 'pending'))).toEqual([SESSION])
  })

  test('where the host gives no id, any mark counts', async () => {
    const home = folder()
    await run(home, payload('SessionStart'))
    expect((await through(home)).stdout).toBe('')
    await send(home, 'project', 'news')
    expect(context(await through(home))).toContain('"news"')
  })

  test('where the host gives none, an id inherited from a host around it says nothing', async () => {
    const home = folder()
    await run(home, payload('SessionStart'))
    const command = ['sh', gateFile, '--any', '', process.execPath, hookFile] as const
    const env = { CLAUDE_CODE_SESSION_ID: 'outer' }
    expect((await run(home, payload('PostToolBatch'), { command, env })).stdout).toBe('')
    await send(home, 'project', 'news')
    expect(context(await run(home, payload('PostToolBatch'), { command, env }))).toContain('"news"')
  })

  test('an id with capital letters is told, too', async () => {
    const home = folder()
    const session_id = 'ABCD-1234'
    await run(home, payload('SessionStart', { session_id }))
    await send(home, 'project', 'news')
    const command = ['sh', gateFile, '', process.execPath, hookFile] as const
    const env = { CLAUDE_CODE_SESSION_ID: session_id }
    expect(context(await run(home, payload('PostToolBatch', { session_id }), { command, env }))).toContain('"news"')
  })

  test('paths may hold spaces, quotes and other letters', async () => {
    const home = path.join(folder(), `my "bus" it's – 버스`)
    await run(home, payload('SessionStart'))
    await send(home, 'project', 'news')
    expect(context(await through('/nowhere', { ...id, SESSION_MCP_HOME: home }, home))).toContain('"news"')
  })

  test('without a home at all it is silent', async () => {
    const home = path.join(folder(), 'nothing')
    expect(await through(home, id)).toMatchObject({ code: 0, stdout: '', stderr: '' })
    expect(existsSync(home)).toBe(false)
  })
})

describe('after a start', () => {
  test('the wake file is touched again if mail has come before the host watches it, and only then', async () => {
    const home = folder()
    const other = folder()
    for (const each of [home, other]) await run(each, payload('SessionStart'))
    const wakes = [home, other].map((each) => path.join(each, 'wakes', SESSION))
    await send(home, 'project', 'early', { activate: 'auto' })
    for (const file of wakes) utimesSync(file, 1, 1)
    const touched = () => wakes.map((file) => statSync(file).mtimeMs > 1_000)
    await expect.poll(touched, { timeout: 5_000 }).toEqual([true, false])
  })
})
