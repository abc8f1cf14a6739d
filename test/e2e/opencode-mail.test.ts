/** OpenCode with the plugin: mail in the middle of a turn, at its end, and while nothing runs. */
import { expect } from 'vitest'
import type { ModelRequest } from './lab/dialect.ts'
import { proof, reminders } from './lab/heard.ts'
import { isFirstAfterPrompt, lastPromptOf, modelOf, promptsOf, systemOf } from './lab/heard-opencode.ts'
import type { Host } from './lab/host.ts'
import { hostTest, tabTest } from './lab/installed.ts'
import { opencode, withPlugin } from './lab/opencode.ts'
import { openSession } from './lab/opencode-session.ts'
import { pace } from './lab/pace.ts'
import { inPlace, type Place } from './lab/place.ts'
import { proves } from './lab/proves.ts'
import { receipt, send } from './lab/shell.ts'
import { until } from './lab/until.ts'

const readInbox = { tool: /read_inbox$/, args: {} }
const look = { tool: /list_sessions$/, args: {} }
const WAKE = /^session-mcp wake [0-9a-z]+: \d+ unread messages?\. Use read_inbox\.$/m

function isWoken(request: ModelRequest): boolean {
  return WAKE.test(lastPromptOf(request))
}

/** How many tools have answered since the last prompt. */
function round(request: ModelRequest, since: number): number {
  return request.exchanges.length - since
}

function announced(request: ModelRequest): string {
  return reminders(systemOf(request)).join('\n')
}

async function isRead(place: Place, id: string) {
  return until('it is read', async () => {
    const row = await receipt(place, id)
    return row.place === 'read' ? row : undefined
  })
}

async function midTurn(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const all = place.model.conversation('all')
    all.play((request) => {
      if (request.turn === 0) return { ...look, after: () => send(place, 'project', 'while you work') }
      return request.turn === 1 ? readInbox : { text: 'end' }
    })
    const server = await place.server(withPlugin('serve'), 'all')
    const session = await openSession(server)
    await session.say('Begin.')
    const [first, second, third] = all.requests as [ModelRequest, ModelRequest, ModelRequest]
    expect(announced(first)).not.toContain('unread')
    expect(announced(second)).toContain('1 unread message in the inbox of this session:')
    expect(announced(second)).toContain('"while you work"')
    expect(announced(third)).not.toContain('unread')
    expect(promptsOf(third)).toEqual(['Begin.'])
    const [{ trail }] = Object.values(await place.files('activity')) as [{ trail: unknown }]
    expect(trail).toMatchObject([{ state: 'idle' }, { state: 'working' }, { state: 'idle' }])
    proof(host, 'sent during a tool call, told in the very next request, gone from the one after it was read')
    proves(host, 'mid-turn')
    proves(host, 'activity')
  })
}

async function atStop(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const all = place.model.conversation('all')
    const sent: { id: string; wake: unknown }[] = []
    all.play((request) => {
      if (isWoken(request)) return round(request, 0) === 0 ? readInbox : { text: 'read it' }
      return {
        text: 'the end of my turn',
        after: async () => sent.push(await send(place, 'project', 'before you go', '--intent', 'request')),
      }
    })
    const server = await place.server(withPlugin('serve'), 'all')
    const session = await openSession(server)
    await session.ask('Begin.')
    const woken = await until('a second turn', () => all.requests.find(isWoken))
    expect(sent[0]?.wake).toMatchObject({ outcome: 'deferred' })
    expect(announced(woken)).toContain('"before you go"')
    const row = await isRead(place, sent[0]?.id ?? '')
    expect(row).toMatchObject({ turnStartedAt: expect.any(String), readAt: expect.any(String) })
    await session.idle()
    expect(all.requests.filter(isWoken)).toHaveLength(2)
    proof(host, `sent in the middle of a turn: nothing until its end, then one turn more; receipt: ${row.evidence}`)
    proves(host, 'continue')
  })
}

async function whileIdle(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const all = place.model.conversation('all')
    let read = 0
    all.play((request) => {
      if (!isWoken(request)) return { text: 'end' }
      if (round(request, read) === 0) return readInbox
      read = request.exchanges.length
      return { text: 'read it' }
    })
    const server = await place.server(withPlugin('serve'), 'all')
    const session = await openSession(server)
    // Neither the default agent nor the default model: a turn of ours must not leave plan mode.
    await session.say('Begin.', { agent: 'plan', model: { providerID: 'lab', modelID: 'other' } })
    const soon = pace(place)
    for (const text of ['hello', 'again']) {
      const before = all.requests.length
      const sentAt = Date.now()
      const { id, wake } = await send(place, 'project', text)
      expect(wake).toMatchObject({ outcome: 'unknown', door: 'prompt-async' })
      const request = await until(`a turn for ${text}`, () => all.requests[before])
      expect(lastPromptOf(request)).toMatch(WAKE)
      expect(announced(request)).toContain(JSON.stringify(text))
      expect(modelOf(request)).toBe('other')
      const row = await isRead(place, id)
      expect(row).toMatchObject({ turnStartedAt: expect.any(String) })
      await session.idle()
      await soon.took(request.at - sentAt)
      proof(host, `receipt: ${row.evidence}`)
    }
    expect(all.requests.at(-1) && promptsOf(all.requests.at(-1) as ModelRequest).at(-1)).toContain('Plan mode ACTIVE')
    const messages = (await server.call('GET', `/session/${session.id}/message`)) as { info: Record<string, unknown> }[]
    expect(messages.filter(({ info }) => info['role'] === 'user').map(({ info }) => info['agent'])).toEqual([
      'plan',
      'plan',
      'plan',
    ])
    soon.isKept(host, 'idle')
    const quiet = [
      await send(place, 'project', 'thank you', '--intent', 'ack'),
      await send(place, 'project', 'when you like', '--activate', 'never'),
    ]
    for (const { wake } of quiet) expect(wake).toMatchObject({ outcome: 'none' })
    await send(place, 'project', 'now')
    const last = await until('a turn', () => all.requests.filter(isWoken)[4])
    expect(lastPromptOf(last)).toContain('3 unread messages')
    await session.idle()
    proves(host, 'wake')
  })
}

async function afterAbort(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const all = place.model.conversation('all')
    const never = new Promise(() => undefined)
    all.play((request) =>
      lastPromptOf(request) === 'Begin.' ? { text: 'never said', after: never } : { text: 'awake' },
    )
    const server = await place.server(withPlugin('serve'), 'all')
    const session = await openSession(server)
    await session.ask('Begin.')
    await until('a request', () => all.requests[0])
    await send(place, 'project', 'in the turn that is broken off', '--intent', 'request')
    await server.call('POST', `/session/${session.id}/abort`)
    const evidence = await until('it is idle', async () => {
      const [only] = Object.values(await place.files('activity'))
      return only?.['state'] === 'idle' ? String(only['evidence']) : undefined
    })
    expect(evidence).toBe('the turn was broken off')
    expect(all.requests).toHaveLength(1)
    await send(place, 'project', 'afterwards')
    const woken = await until('a turn', () => all.requests[1])
    expect(lastPromptOf(woken)).toContain('2 unread messages')
    await session.idle()
    proof(host, 'aborted by the person: no turn for the mail of that turn; the next message starts one')
  })
}

/** Each answers every message with one that may wake. */
async function twoChatting(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const all = place.model.conversation('all')
    const read = new Map<string, number>()
    all.play((request) => {
      const me = promptsOf(request)[0] === 'I am left' ? 'left' : 'right'
      if (!isWoken(request)) return { text: 'end' }
      const since = read.get(me) ?? 0
      if (round(request, since) === 0) return readInbox
      if (round(request, since) === 1)
        return {
          tool: /send_message$/,
          args: { to: me === 'left' ? 'right' : 'left', content: 'ok', activate: 'auto' },
        }
      read.set(me, request.exchanges.length)
      return { text: 'answered' }
    })
    const server = await place.server(withPlugin('serve'), 'all')
    const [left, right] = [await openSession(server, { title: 'left' }), await openSession(server, { title: 'right' })]
    await left.say('I am left')
    await right.say('I am right')
    await send(place, 'left', 'begin')
    const outcomes = () =>
      all.requests.flatMap(({ exchanges }) =>
        exchanges.flatMap(({ tool, result = '' }) => (tool.endsWith('send_message') ? [result] : [])),
      )
    const last = await until('the budget is spent', () => outcomes().find((each) => each.includes('"budget"')))
    await left.idle()
    await right.idle()
    const turns = all.requests.filter((request) => isWoken(request) && isFirstAfterPrompt(request)).length
    expect(turns).toBeLessThanOrEqual(13)
    expect(JSON.parse(last)).toMatchObject({ to: [{ stored: true, wake: { outcome: 'budget' } }] })
    proof(host, `two that answer each other: ${turns} turns, then ${JSON.parse(last).to[0].wake.evidence}`)
  })
}

async function inTerminal(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const tab = place.model.conversation('tab')
    tab.play((request) => (isWoken(request) && round(request, 0) === 0 ? readInbox : { text: 'spoken' }))
    const terminal = await place.tab(withPlugin('tab'), 'tab', '')
    await terminal.shows(/Ask anything/)
    await terminal.say('Begin.')
    await terminal.shows(/spoken/)
    await until('idle', async () => Object.values(await place.files('activity'))[0]?.['state'] === 'idle')
    const sentAt = Date.now()
    const { id } = await send(place, 'project', 'hello terminal')
    const woken = await until('a turn', () => tab.requests.find(isWoken))
    await isRead(place, id)
    await terminal.shows(/session-mcp wake/)
    proof(host, `a terminal: a turn ${woken.at - sentAt} ms after the send; the person sees why`)
  })
}

hostTest('mail that comes in the middle of a turn is in the next request', [opencode], midTurn)
hostTest('C103: a request in the middle of a turn starts one turn, when that one has ended', [opencode], atStop)
hostTest(
  'an idle session starts a turn within 3 s, with its own agent and model, and the receipt says so',
  [opencode],
  whileIdle,
)
hostTest('a turn that the person aborted is not followed by another one', [opencode], afterAbort)
hostTest('C105: two sessions that answer each other stop, and are told why', [opencode], twoChatting)
tabTest('an idle session starts a turn by itself when a message comes, and its person sees why', [opencode], inTerminal)
