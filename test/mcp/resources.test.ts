/** Sessions and inboxes as resources, seen by a real client. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { ResourceListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, test } from 'vitest'
import { LIMITS } from '../../src/core/limits.ts'
import { until } from '../e2e/lab/until.ts'
import { attachHome, faultOf, readJson } from './attached.ts'

/** A net for what never comes, far above what any machine needs. */
const PATIENCE_MS = 120_000
const URIS = /^(session|inbox):\/\/[A-Za-z0-9_-]+$/

describe('resources/list', () => {
  test('has the own session and inbox first, then the other open sessions, and no closed one', async () => {
    const home = attachHome()
    const [a, b, gone] = [
      await home.join('a'),
      await home.join('b', { task: 'reviews <the> parser' }),
      await home.join('gone'),
    ]
    await gone.call('complete_session')
    const { resources, nextCursor } = await a.client.listResources()
    expect(nextCursor).toBeUndefined()
    expect(resources.map(({ uri }) => uri)).toEqual(['session://a', 'inbox://a', `session://${b.id}`])
    expect(resources[2]).toMatchObject({ name: 'b', mimeType: 'application/json' })
    expect(resources[2]?.description).toContain('"reviews \\u003cthe\\u003e parser"')
    const stranger = await home.look()
    const seen = (await stranger.client.listResources()).resources
    expect(seen.map(({ uri }) => uri).sort()).toEqual(['session://a', 'session://b'])
  })

  test('comes in pages where there are many, each session once', async () => {
    const home = attachHome()
    const a = await home.join('a')
    const names = Array.from({ length: 45 }, (_, n) => `s-${n}`)
    const many = await home.look()
    for (const name of names) await many.call('update_session', { sessionId: name, task: 'x', projectPath: '/project' })
    const uris: string[] = []
    let cursor: string | undefined
    let pages = 0
    do {
      const page = await a.client.listResources(cursor === undefined ? {} : { cursor })
      expect(page.resources.length).toBeLessThanOrEqual(22)
      uris.push(...page.resources.map(({ uri }) => uri))
      cursor = page.nextCursor
      pages += 1
    } while (cursor !== undefined)
    expect(pages).toBeGreaterThan(2)
    expect(uris.slice(0, 2)).toEqual(['session://a', 'inbox://a'])
    expect([...new Set(uris)].length).toBe(uris.length)
    expect(uris.slice(2).sort()).toEqual(names.map((name) => `session://${name}`).sort())
    for (const uri of uris) expect(uri).toMatch(URIS)
  })

  test('refuses a cursor it did not make', async () => {
    const { client } = await attachHome().join('a')
    expect(await faultOf(client.listResources({ cursor: 'nonsense' }))).toMatchObject({
      code: -32602,
      message: expect.stringContaining('nextCursor'),
    })
  })

  test('has two templates beside it', async () => {
    const { client } = await attachHome().look()
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['session://{id}', 'inbox://{id}'])
  })
})

describe('resources/read', () => {
  test('of a session is what query_session returns, by id, name or me', async () => {
    const home = attachHome()
    const a = await home.join('a')
    const b = await home.join('b', { name: 'The Reviewer' })
    const asked = await a.call<Record<string, unknown>>('query_session', { session: 'b' })
    const { news: _, lastSeenAt: __, ...view } = asked
    for (const id of ['b', encodeURIComponent('The Reviewer')])
      expect(await readJson(a.client, `session://${id}`)).toMatchObject(view)
    expect(await readJson(b.client, 'session://me')).toMatchObject({ id: 'b' })
    // The letters of a scheme are the same in either case; those of an id are not.
    expect(await readJson(b.client, 'SESSION://me')).toMatchObject({ id: 'b' })
    expect(await readJson(b.client, 'Inbox://me')).toMatchObject({ sessionId: 'b' })
    expect(await faultOf(a.client.readResource({ uri: 'session://B' }))).toMatchObject({ code: -32002 })
  })

  test('of an inbox is a peek: attributed, within the byte budget, and it consumes nothing', async () => {
    const home = attachHome()
    const [a, b] = [await home.join('a'), await home.join('b')]
    for (const text of ['one', 'x'.repeat(30_000), 'y'.repeat(30_000)])
      await a.call('send_message', { to: 'b', content: text, activate: 'never' })
    const files = () => readdirSync(path.join(home.home, 'inboxes', 'b'), { recursive: true, encoding: 'utf8' }).sort()
    const before = files()
    const asked = await b.call<Record<string, unknown>>('read_inbox', { peek: true })
    for (const [reader, id] of [
      [b, 'b'],
      [b, 'me'],
      [a, 'b'],
    ] as const) {
      const answer = await readJson(reader.client, `inbox://${id}`)
      expect(Object.keys(answer)).toEqual(Object.keys(asked))
      expect(answer).toMatchObject({ sessionId: 'b', note: asked['note'], peek: true, remaining: 1 })
      expect(answer['messages']).toMatchObject([{ from: { id: 'a' }, content: 'one' }, { from: { id: 'a' } }])
      expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(LIMITS.inboxAnswerBytes)
    }
    expect(files()).toEqual(before)
    const taken = await b.call<{ messages: unknown[] }>('read_inbox', {})
    expect(taken.messages).toHaveLength(2)
    expect(await readJson(a.client, 'inbox://human')).toMatchObject({ sessionId: 'human', messages: [] })
  })

  test('says clearly what is not there, and what is no resource', async () => {
    const { client } = await attachHome().join('reviewer')
    for (const uri of ['session://reviewr', 'inbox://reviewr']) {
      expect(await faultOf(client.readResource({ uri }))).toMatchObject({
        code: -32002,
        message: expect.stringMatching(/No session answers to "reviewr".*reviewer/),
        data: { uri, code: 'SESSION_NOT_FOUND' },
      })
    }
    for (const uri of [
      'file:///etc/passwd',
      'session://',
      'session://a/b',
      'inbox://%',
      'session://..%2F..',
      'nonsense',
    ]) {
      const { code, message } = await faultOf(client.readResource({ uri }))
      expect([-32602, -32002], uri).toContain(code)
      expect(message).not.toMatch(/node:|\bat \//)
    }
    const stranger = await attachHome().look()
    expect(await faultOf(stranger.client.readResource({ uri: 'inbox://me' }))).toMatchObject({
      code: -32002,
      data: { code: 'NOT_REGISTERED' },
    })
    // The connection goes on.
    expect(await readJson(client, 'session://me')).toMatchObject({ id: 'reviewer' })
  })
})

/** What the process watches; undefined where the system does not say. */
function watches(pid: number): number | undefined {
  if (process.platform !== 'linux') return undefined
  const directory = `/proc/${pid}/fdinfo`
  const texts = readdirSync(directory).map((name) => {
    try {
      return readFileSync(path.join(directory, name), 'utf8')
    } catch {
      return '' // closed meanwhile
    }
  })
  return texts.join('\n').split('inotify wd:').length - 1
}

/** False where this user's processes have used up what the system grants them: there the server polls. */
function mayWatch(directory: string): boolean {
  const probe = 'require("fs").watch(process.argv[1]).close()'
  return spawnSync(process.execPath, ['-e', probe, directory]).status === 0
}

describe('notifications/resources/list_changed', () => {
  test('come when a session came or closed, to whoever has listed; nothing is watched for the others', async () => {
    const home = attachHome()
    const [a, quiet] = [await home.join('a'), await home.join('quiet')]
    const idle = watches(quiet.pid)
    const heard = { a: 0, quiet: 0 }
    a.client.setNotificationHandler(ResourceListChangedNotificationSchema, () => {
      heard.a += 1
    })
    quiet.client.setNotificationHandler(ResourceListChangedNotificationSchema, () => {
      heard.quiet += 1
    })
    await a.client.listResources()
    if (idle !== undefined && mayWatch(home.home)) expect(watches(a.pid)).toBeGreaterThan(idle)

    const b = await home.join('b')
    await until('the new session is told of', () => heard.a > 0, PATIENCE_MS)
    expect(heard.a).toBe(1)
    expect((await a.client.listResources()).resources.map(({ uri }) => uri)).toContain('session://b')
    await b.call('update_session', { progress: 'half' })
    await b.call('complete_session')
    await until('the closed one is told of', () => heard.a > 1, PATIENCE_MS)
    expect(heard.a).toBe(2)
    expect((await a.client.listResources()).resources.map(({ uri }) => uri)).not.toContain('session://b')
    expect(heard.quiet).toBe(0)
    expect(watches(quiet.pid)).toBe(idle)
  })

  test('hold no server that its client has left', async () => {
    const home = attachHome()
    const a = await home.join('a')
    await a.client.listResources()
    await a.client.close()
    expect(await a.ended).toEqual({ code: 0, signal: null })
  })
})
