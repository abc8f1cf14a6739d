/** What only the real executable can show: exit codes, pipes, many writers at once. */

import type { ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ListAnswer, SendAnswer } from '../../src/core/answers.ts'
import { until } from '../e2e/lab/until.ts'
import { finished, openShell, PATIENCE_MS, type Shell } from './shell.ts'

let shell: Shell
beforeEach(async () => {
  shell = await openShell()
})
afterEach(() => shell.close())

/** A wait that has begun: it is that of a session, of which the bus says whom it waits for. */
async function startWaiting(target: string): Promise<ChildProcess> {
  await shell.register('waiter', { client: shell.opened.processes.self })
  const child = shell.start(['wait', target, '--timeout=1h'])
  const hasBegun = async () => {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`)
    return ((await shell.opened.store.sessions.read('waiter'))?.activity?.waitingFor ?? []).length > 0
  }
  await until('it waits', hasBegun, PATIENCE_MS)
  return child
}

describe('exit codes and where things are written', () => {
  it('0: the answer on stdout, nothing on stderr', async () => {
    await shell.register('a', { name: 'reviewer' })
    const { code, stdout, stderr } = await shell.run(['list'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/reviewer +active/)
    expect(stdout).toMatch(/1 session: 1 running\.\n$/)
  })

  it('1: a refusal on stderr with what to do, or as JSON on stdout', async () => {
    await shell.register('a', { name: 'reviewer' })
    const text = await shell.run(['show', 'reveiwer'])
    expect(text).toMatchObject({ code: 1, stdout: '' })
    expect(text.stderr).toMatch(/^session-mcp: No session answers to "reveiwer".*"reviewer"/)
    const json = await shell.run(['show', 'reveiwer', '--json'])
    expect(json).toMatchObject({ code: 1, stderr: '' })
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, error: { code: 'SESSION_NOT_FOUND' } })
  })

  it('2: wrong usage, before anything is done', async () => {
    for (const args of [
      ['lsit'],
      ['list', '--limit=x'],
      ['wait', 'a', '--timeout=soon'],
      ['list', '--default-ttl=x'],
      ['show'],
    ]) {
      expect((await shell.run(args)).code, args.join(' ')).toBe(2)
    }
    const json = await shell.run(['list', '--nope', '--json'])
    expect(json.code).toBe(2)
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, error: { code: 'BAD_INPUT' } })
  })

  it('3: the wait ran out; 0 once it is over', async () => {
    await shell.register('a')
    expect((await shell.run(['wait', 'a', '--timeout=1s'])).code).toBe(3)
    const ran = finished(await startWaiting('a'))
    const { bus } = shell.opened
    const host = { kind: 'generic', doors: [] }
    await bus.complete(await bus.identify({ connection: { named: new Set(), own: 'a' }, host }), { result: 'Fine' })
    const { code, stdout, stderr } = await ran
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('Fine')
  })

  it.skipIf(process.platform === 'win32')('130: Ctrl-C stops waiting without a trace', async () => {
    await shell.register('a')
    const child = await startWaiting('a')
    const ran = finished(child)
    child.kill('SIGINT')
    expect(await ran).toEqual({ code: 130, stdout: '', stderr: '' })
  })

  it('settings come from flags, the environment and either side of the command', async () => {
    const env = { SESSION_MCP_MESSAGE_TTL: '1d', SESSION_MCP_HMOE: '/x' }
    const { code, stdout } = await shell.run(['--default-ttl', '30m', 'doctor', '--json', '--inbox-limit=5'], { env })
    expect(code).toBe(0)
    const { settings, warnings } = JSON.parse(stdout)
    expect(settings).toContainEqual({ setting: '--default-ttl', value: '30m', source: 'flag' })
    expect(settings).toContainEqual({ setting: '--inbox-limit', value: 5, source: 'flag' })
    expect(settings).toContainEqual({ setting: '--message-ttl', value: '1d', source: 'SESSION_MCP_MESSAGE_TTL' })
    expect(warnings).toHaveLength(1)
    expect((await shell.run(['list'], { env })).stderr).toMatch(/SESSION_MCP_HMOE/)
  })

  it('a home that cannot be one is refused, and doctor says the same', async () => {
    const file = path.join(shell.home, 'a-file')
    writeFileSync(file, '')
    const list = await shell.run(['list', `--home=${file}`])
    expect(list.code).toBe(1)
    expect(list.stderr).toContain('not a directory')
    const doctor = await shell.run(['doctor', `--home=${file}`])
    expect(doctor.code).toBe(1)
    expect(doctor.stdout).toMatch(/fail.*not a directory/)
  })

  it('doctor makes no home where there is none', async () => {
    const home = path.join(shell.home, 'none')
    const { code, stdout } = await shell.run(['doctor', `--home=${home}`])
    expect(code).toBe(0)
    expect(stdout).toContain('does not exist yet')
    expect((await shell.run(['doctor', `--home=${home}`])).stdout).toContain('does not exist yet')
  })
})

describe('send', () => {
  beforeEach(() => shell.register('b'))

  it('refuses an unknown option and sends nothing (C247)', async () => {
    writeFileSync(path.join(shell.home, 'f'), 'x')
    const { code, stderr } = await shell.run(['send', '--to', 'b', '--bodyfile', path.join(shell.home, 'f')])
    expect(code).toBe(2)
    expect(stderr).toMatch(/"--bodyfile".*\n.*--file/)
    expect(await shell.unread('b')).toBe(0)
  })

  it('refuses what is empty, and what is not text, and sends nothing', async () => {
    expect((await shell.run(['send', 'b'], { input: '' })).code).toBe(2)
    expect((await shell.run(['send', 'b'], { input: ' \n' })).code).toBe(2)
    expect((await shell.run(['send', 'b', ''])).code).toBe(2)
    expect((await shell.run(['send', 'b', '-'], { input: Buffer.from([0x61, 0xff, 0x62]) })).stderr).toContain(
      'not UTF-8',
    )
    expect((await shell.run(['send', 'b', '--file=/no/such/file'])).stderr).toContain('ENOENT')
    expect(await shell.unread('b')).toBe(0)
  })

  it('stores every byte it is given, by argument, file and stdin, or refuses (C249)', async () => {
    const file = path.join(shell.home, 'body')
    const ways: readonly ((text: string) => Promise<unknown>)[] = [
      (text) => shell.json(['send', 'b', text]),
      (text) => {
        writeFileSync(file, text)
        return shell.json(['send', 'b', `--file=${file}`])
      },
      (text) => shell.json(['send', '--to=b', '-'], { input: text }),
    ]
    for (const size of [8_185, 8_191, 8_200, 32_768, 131_000]) {
      const text = 'é'.repeat(Math.floor(size / 2)).padEnd(size - Math.floor(size / 2), 'x')
      expect(Buffer.byteLength(text)).toBe(size)
      for (const way of ways) {
        const { messageId } = (await way(text)) as SendAnswer
        const found = await shell.opened.store.inbox.find('b', messageId)
        expect(found?.message.content === text, `${size} bytes`).toBe(true)
      }
    }
    const before = await shell.unread('b')
    const refused = { ok: false, error: { code: 'MESSAGE_TOO_LARGE' } }
    for (const way of ways.slice(1)) expect(await way('x'.repeat(1_000_000))).toMatchObject(refused)
    // One argument of this length is more than the system passes on.
    if (process.platform === 'linux') await expect(ways[0]?.('x'.repeat(1_000_000))).rejects.toThrow(/E2BIG/)
    expect(await shell.unread('b')).toBe(before)
  })

  it('keeps odd text exactly: NUL aside, control characters, a BOM, no line end', async () => {
    const text = '\ufeffа—🎯测试\r\n\u001b[31m\u0001tail'
    const { messageId } = (await shell.json(['send', 'b'], { input: text })) as SendAnswer
    expect((await shell.opened.store.inbox.find('b', messageId))?.message.content).toBe(text)
  })

  it('fails when one who was named could not be reached, and says who got it (C020)', async () => {
    const { code, stdout } = await shell.run(['send', 'b,ghost', 'hello', '--json'])
    expect(code).toBe(1)
    const { to, skipped } = JSON.parse(stdout) as SendAnswer
    expect(to.map(({ id }) => id)).toEqual(['b'])
    expect(skipped?.map((left) => left.to)).toEqual(['ghost'])
    expect(((await shell.json(['list'])) as ListAnswer).sessions.map(({ id }) => id)).toEqual(['b'])
  })

  it('every writer that says 0 has its message stored, thirty at once (C005)', async () => {
    const codes = await Promise.all(Array.from({ length: 30 }, (_, i) => shell.run(['send', '--to', 'b', `item-${i}`])))
    expect(codes.filter(({ code }) => code === 0)).toHaveLength(30)
    const { ids } = await shell.opened.store.inbox.unread('b')
    const found = await Promise.all(ids.map((id) => shell.opened.store.inbox.find('b', id)))
    expect(new Set(found.map((one) => one?.message.content)).size).toBe(30)
  })
})

describe('whose shell it is', () => {
  it('a session reads and sends as itself, and may not close another', async () => {
    await shell.register('mine', { name: 'builder', client: shell.opened.processes.self })
    await shell.register('other')
    await shell.mail('mine', 'for the builder')
    const { stdout } = await shell.run(['inbox'])
    expect(stdout).toMatch(/messages of other sessions, not of the user[\s\S]*│ for the builder/)
    expect(((await shell.json(['send', 'other', 'hi'])) as SendAnswer).from).toBe('builder')
    const refused = await shell.run(['complete', 'other'])
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('only other itself or the person may close it')
    expect((await shell.run(['complete', 'builder'])).code).toBe(0)
  })

  it('the person closes any session, and hears what was done', async () => {
    await shell.register('a', { name: 'reviewer' })
    await shell.mail('a', 'unread')
    const { code, stdout } = await shell.run(['complete', 'reviewer', '--cancelled', '--ttl=10m'])
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^reviewer is cancelled, and leaves the list in (9|10)m\.\n1 message in its inbox stays unread\.\n$/,
    )
  })

  it('tabs of one client must say which they are before they act', async () => {
    const client = shell.opened.processes.self
    await shell.register('tab-1', { client })
    await shell.register('tab-2', { client })
    expect((await shell.run(['list'])).code).toBe(0)
    const refused = await shell.run(['send', 'tab-1', 'hi'])
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/2 open sessions.*\n.*--session-id/)
    expect(((await shell.json(['send', 'tab-1', 'hi', '--session-id=tab-2'])) as SendAnswer).from).toBe('tab-2')
  })
})

describe('without a command', () => {
  it('a client gets the server: nothing but the protocol on stdout', async () => {
    const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'probe', version: '1' } }
    const input = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello })}\n`
    const { code, stdout, stderr } = await shell.run([], { input, env: { SESSION_MCP_HMOE: 'x' } })
    expect(code).toBe(0)
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).result?.serverInfo?.name),
    ).toEqual(['session-mcp'])
    expect(stderr).toContain('SESSION_MCP_HMOE')
  })

  it('a setting that is wrong stops it with a sentence, not a trace', async () => {
    const { code, stdout, stderr } = await shell.run(['--default-tll=4h'])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^session-mcp: serve has no option "--default-tll".*\n.*--default-ttl/)
  })
})
