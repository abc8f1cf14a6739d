/** OpenCode with the plugin: several sessions in one process and one MCP server, each of them itself. */
import { expect } from 'vitest'
import type { ModelRequest } from './lab/dialect.ts'
import { identityIn, proof, reminders } from './lab/heard.ts'
import { conversationOf, systemOf } from './lab/heard-opencode.ts'
import { hostTest } from './lab/installed.ts'
import { modelConfig, opencode, withPlugin } from './lab/opencode.ts'
import { openSession } from './lab/opencode-session.ts'
import { inPlace } from './lab/place.ts'
import { proves } from './lab/proves.ts'
import { receipt, send } from './lab/shell.ts'
import { until } from './lab/until.ts'

const readInbox = { tool: /read_inbox$/, args: {} }

hostTest('C042: two sessions of one process, with one server, each get their own mail', [opencode], async (host) => {
  await inPlace(async (place) => {
    const all = place.model.conversation('all')
    all.play((request) => (request.turn === 0 ? readInbox : { text: `end ${request.turn}` }))
    const server = await place.server(withPlugin('serve'), 'all')
    const one = await openSession(server)
    const two = await openSession(server, { title: 'second' })
    const forTwo = await send(place, 'second', 'for the second', '--activate', 'never')
    const of = (name: string) =>
      all.requests.filter((request) => conversationOf(request).includes(`I am ${name}`)) as readonly ModelRequest[]

    await one.say('I am first')
    expect(identityIn(systemOf(of('first')[0] as ModelRequest))).toEqual({ name: 'project', id: one.id })
    for (const request of of('first')) expect(systemOf(request)).not.toContain('for the second')
    expect(JSON.parse(of('first').at(-1)?.exchanges[0]?.result ?? '')).toMatchObject({ messages: [], remaining: 0 })
    expect((await receipt(place, forTwo.id)).place).toBe('unread')

    await two.say('I am second')
    expect(identityIn(systemOf(of('second')[0] as ModelRequest))).toEqual({ name: 'second', id: two.id })
    expect(JSON.parse(of('second').at(-1)?.exchanges[0]?.result ?? '')).toMatchObject({
      messages: [{ content: 'for the second' }],
    })
    expect((await receipt(place, forTwo.id)).place).toBe('read')
    const records = Object.values(await place.files('sessions')).map(({ host }) => host as { server?: { pid: number } })
    const servers = new Set(records.map((record) => record.server?.pid))
    expect(servers.size).toBe(1)
    expect(records).toMatchObject([{ client: { pid: server.pid } }, { client: { pid: server.pid } }])
    proof(host, `process ${server.pid}, MCP server ${[...servers]}: "first" read nothing, "second" its one message`)
    proves(host, 'identity')

    await until('a request for a title', () =>
      place.model.recorded.some(({ body }) => systemText(body).includes('You are a title generator')),
    )
    const titles = place.model.recorded.filter(({ body }) => systemText(body).includes('You are a title generator'))
    for (const { body } of titles) expect(systemText(body)).not.toContain('session-mcp: this is')
    proof(
      host,
      `who it is stands in each of ${all.requests.length} requests, and in none of ${titles.length} for a title`,
    )
  })
})

function systemText(body: unknown): string {
  return typeof body === 'object' && body !== null && 'messages' in body ? systemOf({ body }) : ''
}

hostTest(
  'a server under another name is ours, and what a model writes as its identity is nothing',
  [opencode],
  async (host) => {
    await inPlace(async (place) => {
      const all = place.model.conversation('all')
      const server = await place.server(withPlugin('serve', { serverName: 'my.bus' }), 'all')
      const one = await openSession(server, { title: 'first' })
      const two = await openSession(server, { title: 'second' })
      const args = { _session: two.id, progress: 'written by the first' }
      all.play((request) => (request.turn === 0 ? { tool: /^my_bus_update_session$/, args } : { text: 'end' }))
      await one.say('I am first')
      const progress = Object.fromEntries(
        Object.values(await place.files('sessions')).map((session) => [session['name'], session['progress']]),
      )
      expect(progress).toEqual({ first: 'written by the first', second: undefined })
      proof(host, `the model of "first" wrote _session ${two.id}; the call counted for "first"`)
      const shown = JSON.stringify(all.requests.at(-1)?.exchanges[0]?.args)
      console.log(`the model sees its own call as ${shown}`)
    })
  },
)

hostTest(
  'names a session after a title a person gave it, and never after one that OpenCode made up',
  [opencode],
  async (host) => {
    await inPlace(async (place) => {
      place.model.conversation('all').play(() => ({ text: 'end' }))
      const server = await place.server(withPlugin('serve'), 'all')
      const plain = await openSession(server)
      await plain.say('a prompt that gets a title')
      await openSession(server, { title: 'release notes' })
      await server.call('POST', `/session/${plain.id}/fork`, {})
      const names = await place.names()
      expect(names.sort()).toEqual(['project', 'project-2', 'release notes'])
      proof(host, `three sessions, the second with a title: ${names.join(', ')}`)
    })
  },
)

hostTest(
  'C043: a session that is resumed in a later process is the same one, with its mail',
  [opencode],
  async (host) => {
    await inPlace(async (place) => {
      const again = place.model.conversation('again')
      again.play((request) =>
        request.turn === 0 ? { text: 'begun' } : request.turn === 1 ? readInbox : { text: 'end' },
      )
      await place.run(withPlugin('run'), 'again', 'Begin.')
      const [before] = Object.values(await place.files('sessions'))
      await send(place, 'project', 'while you were away')
      await place.run(withPlugin('run'), 'again', 'Go on.', { flags: ['-s', String(before?.['id'])] })
      const last = again.requests.at(-1)
      expect(last === undefined ? '' : reminders(systemOf(again.requests[1] as ModelRequest)).join('\n')).toContain(
        '"while you were away"',
      )
      expect(JSON.parse(last?.exchanges[0]?.result ?? '')).toMatchObject({
        messages: [{ content: 'while you were away' }],
      })
      expect(Object.keys(await place.files('sessions'))).toHaveLength(1)
      proof(host, `session ${before?.['id']} came back in another process and read what was left for it`)
      proves(host, 'inject')
    })
  },
)

hostTest(
  'C047: a session that a second process opens is another session there, and both are told',
  [opencode],
  async (host) => {
    await inPlace(async (place) => {
      const first = place.model.conversation('first')
      const second = place.model.conversation('second')
      first.play(() => ({ text: 'end' }))
      second.play((request) => (request.exchanges.length === 0 ? readInbox : { text: 'end' }))
      const server = await place.server(withPlugin('serve'), 'first')
      const session = await openSession(server, { title: 'original' })
      await session.say('I am the first.')
      const { id } = await send(place, 'original', 'for the first', '--activate', 'never')
      // The same HOME, so the same conversations; the model tells the two processes apart by their key.
      const env = { OPENCODE_CONFIG_CONTENT: JSON.stringify(modelConfig(place.model.url, 'second')) }
      await place.run(withPlugin('run'), 'second', 'Go on.', { home: 'first', flags: ['-s', session.id], env })
      const told = systemOf(second.requests[0] as ModelRequest)
      expect(identityIn(told)?.id).toMatch(new RegExp(`^${session.id}-\\d+-`))
      expect(told).toContain(`was still open in process ${server.pid}, which keeps its session and mail`)
      expect(told).not.toContain('"for the first"')
      expect(JSON.parse(second.requests.at(-1)?.exchanges[0]?.result ?? '')).toMatchObject({ messages: [] })
      expect((await receipt(place, id)).place).toBe('unread')
      await session.say('And I?')
      expect(systemOf(first.requests.at(-1) as ModelRequest)).toContain('this conversation was opened in process')
      proof(host, 'two processes on one conversation: two sessions, the mail stayed with the first, and both know')
    })
  },
)
