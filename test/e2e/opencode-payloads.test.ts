/**
 * The fixtures in test/hosts/payloads/opencode are what OpenCode really gives its plugins: recorded with RECORD_PAYLOADS=1,
 * compared otherwise. Every field of a fixture must still come, with the same type of value.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { z } from 'zod'
import { proof } from './lab/heard.ts'
import { lastPromptOf, promptsOf } from './lab/heard-opencode.ts'
import type { Host } from './lab/host.ts'
import { hostTest } from './lab/installed.ts'
import { opencode, recorder, withPlugin } from './lab/opencode.ts'
import { openSession } from './lab/opencode-session.ts'
import { inPlace, type Place } from './lab/place.ts'
import { until } from './lab/until.ts'

/** What the adapter listens to; of some, the second sort it has to tell apart. */
const WANTED = [
  'config',
  'chat.message',
  'experimental.chat.system.transform',
  'experimental.chat.system.transform.title',
  'tool.execute.before',
  'event.session.created',
  'event.session.created.child',
  'event.session.updated',
  'event.session.updated.archived',
  'event.session.status',
  'event.session.idle',
  'event.session.error',
  'event.session.deleted',
  'event.permission.asked',
  'event.permission.replied',
  'event.question.asked',
  'event.question.replied',
]
const fixtures = fileURLToPath(new URL('../hosts/payloads/opencode', import.meta.url))
const UNREAD = new Set(['provider', 'plugin', 'plugin_origins', 'username', 'cost', 'tokens'])
const Line = z.looseObject({ hook: z.string(), input: z.unknown(), output: z.unknown().optional() })
type Line = z.infer<typeof Line>
const Pending = z.array(z.looseObject({ id: z.string() }))

/** One server that meets all of it. */
async function record(host: Host, place: Place): Promise<ReadonlyMap<string, Line>> {
  const file = path.join(place.root, 'record.jsonl')
  const all = place.model.conversation('all')
  const never = new Promise(() => undefined)
  const steps = [
    { tool: /list_sessions$/, args: {} },
    { tool: /^bash$/, args: { command: 'echo said', description: 'says' } },
    {
      tool: /^question$/,
      args: {
        questions: [{ question: 'Which?', header: 'Which', options: [{ label: 'a', description: 'the first' }] }],
      },
    },
    { tool: /^task$/, args: { description: 'looks', prompt: 'Look.', subagent_type: 'general' } },
    { text: 'done' },
  ]
  all.play((request) => {
    if (promptsOf(request)[0]?.startsWith('Look.')) return { text: 'looked' }
    if (lastPromptOf(request) === 'Never.') return { text: 'never said', after: never }
    return steps[request.turn] ?? { text: 'done' }
  })
  const server = await place.server(host, 'all', { env: { OPENCODE_RECORD: file } })
  const answer = async (kind: 'permission' | 'question', body: unknown) => {
    const pending = await until(`a ${kind}`, async () => Pending.parse(await server.call('GET', `/${kind}`))[0])
    await server.call('POST', `/${kind}/${pending.id}/reply`, body)
  }
  const session = await openSession(server)
  await session.ask('Begin.')
  await answer('permission', { reply: 'once' })
  await answer('question', { answers: [['a']] })
  await until('the end of the turn', () => all.requests.some(({ turn }) => turn === 4))
  await session.idle()
  await session.ask('Never.')
  await until('the next turn', () => all.requests.some((request) => lastPromptOf(request) === 'Never.'))
  await server.call('POST', `/session/${session.id}/abort`)
  await server.call('PATCH', `/session/${session.id}`, { time: { archived: 1 } })
  await server.call('DELETE', `/session/${session.id}`)
  const read = () => firsts(readFileSync(file, 'utf8'))
  await until('the end of the session', () => read().has('event.session.deleted'))
  return read()
}

function firsts(text: string): ReadonlyMap<string, Line> {
  const found = new Map<string, Line>()
  for (const each of text.split('\n').slice(0, -1)) {
    const line = Line.parse(JSON.parse(each))
    const key = `${line.hook}${sortOf(each)}`
    if (!found.has(key)) found.set(key, line)
  }
  return found
}

function sortOf(line: string): string {
  if (line.startsWith('{"hook":"event.session.created"')) return line.includes('"parentID"') ? '.child' : ''
  if (line.startsWith('{"hook":"event.session.updated"')) return line.includes('"archived"') ? '.archived' : ''
  return line.includes('You are a title generator') ? '.title' : ''
}

/** Without what differs from run to run, and without what nobody reads. */
function plain(line: Line, place: Place): Line {
  const ids = new Map<string, string>()
  const text = JSON.stringify(line, (key, value: unknown) => {
    if (UNREAD.has(key) || (key === 'model' && JSON.stringify(value).includes('"capabilities"'))) return undefined
    return typeof value === 'string' && value.length > 300 ? `${value.slice(0, 120)}...` : value
  })
    .replaceAll(place.root, '/lab')
    .replaceAll(place.root.slice(1), 'lab')
    .replace(/\/[^" ]*\/(bin\/node|dist\/[^" ]*|test\/e2e\/[^" ]*)"/g, '/opt/session-mcp/$1"')
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, 'http://127.0.0.1:1')
    .replace(/\b(evt|ses|msg|prt|per|que)_[0-9a-zA-Z]{20,}/g, (id, kind) => {
      if (!ids.has(id)) ids.set(id, `${kind}_${String(ids.size + 1).padStart(12, '0')}AbCdEfGhIjKlMn`)
      return ids.get(id) ?? ''
    })
    .replace(/\b1[789]\d{11}\b/g, '1796000000000')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-11-30T12:00:00.000Z')
    .replace(/"slug":"[a-z-]+"/g, '"slug":"quiet-harbor"')
  return Line.parse(JSON.parse(text))
}

/** Types, down to where the adapter reads. */
function shape(value: unknown, depth = 5): unknown {
  if (Array.isArray(value)) return 'array'
  if (typeof value !== 'object' || value === null) return typeof value
  if (depth === 0) return 'object'
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shape(each, depth - 1)]))
}

hostTest('gives its plugins what our fixtures say', [opencode], async (host) => {
  await inPlace(async (place) => {
    const recorded = await record(
      withPlugin('serve', { plugins: [recorder], config: { permission: { bash: 'ask' } } }),
      place,
    )
    for (const key of WANTED) {
      const line = recorded.get(key)
      if (line === undefined) throw new Error(`${key} was not seen; seen: ${[...recorded.keys()].join(', ')}`)
      const file = path.join(fixtures, `${key}.json`)
      if (process.env['RECORD_PAYLOADS'] === '1') {
        mkdirSync(fixtures, { recursive: true })
        writeFileSync(file, `${JSON.stringify(plain(line, place), null, 2)}\n`)
      }
      const fixture = Line.parse(JSON.parse(readFileSync(file, 'utf8')))
      expect({ [key]: shape(line) }).toMatchObject({ [key]: shape(fixture) as object })
    }
    proof(host, `${WANTED.length} hooks and events carry the fields of test/hosts/payloads/opencode`)
  })
})
