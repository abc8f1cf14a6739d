/** Claude Code in a terminal, idle: what starts a turn, how soon, and what does not. */
import { utimes } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'vitest'
import { z } from 'zod'
import { begin, idle } from './lab/begin.ts'
import { claudeCode, claudeCodeNewest, withPlugin } from './lab/claude-code.ts'
import type { Conversation } from './lab/conversation.ts'
import { conversationOf, newIn, proof, reminders, times } from './lab/heard.ts'
import type { Host } from './lab/host.ts'
import { tabTest } from './lab/installed.ts'
import { pace } from './lab/pace.ts'
import { openPeer } from './lab/peer.ts'
import { inPlace, type Place } from './lab/place.ts'
import { proves } from './lab/proves.ts'
import { receipt, send } from './lab/shell.ts'
import { until } from './lab/until.ts'

const readInbox = { tool: /read_inbox$/, args: {} }

function wakesIn(conversation: Conversation): number {
  const last = conversation.requests.at(-1)
  return last === undefined ? 0 : new Set(conversationOf(last).match(/session-mcp wake [0-9a-z]+/g)).size
}

/** Sends, and measures until the request of the model that the wake caused. */
async function wake(place: Place, conversation: Conversation, text: string, ...options: string[]) {
  const before = conversation.requests.length
  const sentAt = Date.now()
  const sent = await send(place, 'project', text, ...options)
  const request = await until(`a turn for ${text}`, () => conversation.requests[before])
  const ms = request.at - sentAt
  expect(newIn(request)).toMatch(/session-mcp wake [0-9a-z]+: \d+ unread messages?\. Use read_inbox\./)
  return { ...sent, request, ms }
}

async function isWoken(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const sleeper = place.model.conversation('sleeper')
    sleeper.play((request) =>
      newIn(request).includes('session-mcp wake') ? readInbox : { text: `end ${request.turn}` },
    )
    const tab = await place.tab(withPlugin(host, 'tab'), 'sleeper', '')
    await begin(place, tab, sleeper)

    const soon = pace(place)
    const texts = ['hello', 'again', 'and again', 'once more']
    for (const [index, text] of texts.entries()) {
      const options = index % 2 === 0 ? ['--intent', 'request'] : []
      const { id, wake: asked, request, ms } = await wake(place, sleeper, text, ...options)
      expect(asked).toMatchObject({ outcome: 'unknown', door: 'file-watch' })
      expect(newIn(request)).toContain('<task-notification>')
      expect(reminders(newIn(request)).filter((line) => line.includes(JSON.stringify(text)))).toHaveLength(1)
      const status = await until('it is read', async () => {
        const row = await receipt(place, id)
        return row.place === 'read' ? row : undefined
      })
      expect(status).toMatchObject({ turnStartedAt: expect.any(String), readAt: expect.any(String) })
      await idle(place)
      await soon.took(ms)
    }
    const last = sleeper.requests.at(-1)
    if (last === undefined) throw new Error('no turn')
    for (const text of texts) expect(times(conversationOf(last), `: ${JSON.stringify(text)}`)).toBe(1)
    soon.isKept(host, 'idle, each receipt: turn started, read')
    expect(await tab.screen()).not.toContain('error')
    proves(host, 'wake')
  })
}

/** The host begins to watch a moment after its session is on the bus: a message in between counts as well. */
async function isWokenAtOnce(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const sleeper = place.model.conversation('sleeper')
    sleeper.play((request) => (request.turn === 0 ? readInbox : { text: 'end' }))
    const peer = await openPeer(place, 'peer')
    await place.tab(withPlugin(host, 'tab'), 'sleeper', '')
    await until('the session is there', async () => (await place.names()).includes('project'))
    const sentAt = Date.now()
    const { messageId } = await peer.call('send_message', { to: 'project', content: 'so early' })
    const request = await until('a turn', () => sleeper.requests[0])
    expect(newIn(request)).toContain('session-mcp wake')
    await until('it is read', async () => {
      const { recipients } = await peer.call('message_status', { messageId })
      return z.array(z.looseObject({ place: z.string() })).parse(recipients)[0]?.place === 'read'
    })
    proof(host, `a message sent as soon as the session was there started its turn ${request.at - sentAt} ms later`)
    await peer.end()
  })
}

async function sleepsOn(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const sleeper = place.model.conversation('sleeper')
    sleeper.play((request) => (newIn(request).includes('Read your mail') ? readInbox : { text: `end ${request.turn}` }))
    const tab = await place.tab(withPlugin(host, 'tab'), 'sleeper', '')
    const id = await idle(place)
    const touch = () => utimes(path.join(place.busHome, 'wakes', id), new Date(), new Date())

    const ack = await send(place, 'project', 'thank you', '--intent', 'ack')
    expect(ack.wake).toMatchObject({ outcome: 'none' })
    const quiet = await send(place, 'project', 'when you like', '--activate', 'never')
    expect(quiet.wake).toMatchObject({ outcome: 'none' })
    await touch()
    await begin(place, tab, sleeper, 'Read your mail')
    await until('it is read', async () => (await receipt(place, quiet.id)).place === 'read')
    await idle(place)
    expect(wakesIn(sleeper)).toBe(0)
    await touch()
    await touch()
    const { ms } = await wake(place, sleeper, 'now wake')
    await idle(place)
    // Announced, left unread, and touched again: nobody is woken twice for one message.
    await touch()
    await wake(place, sleeper, 'another one')
    await idle(place)
    expect(wakesIn(sleeper)).toBe(2)
    proof(host, `not by an ack, by mail it has read, or twice by one message; by the next one, in ${ms} ms`)
  })
}

/** The host does not let us hold a turn that we started; what came too late for it starts the next one. */
async function isWokenAgain(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const sleeper = place.model.conversation('sleeper')
    const sent: string[] = []
    sleeper.play((request) => {
      if (newIn(request).includes('session-mcp wake')) return readInbox
      const late = async () => {
        if (newIn(request).includes('not too early') && sent.length === 0)
          sent.push((await send(place, 'project', 'too late', '--intent', 'request')).id)
      }
      return { text: `end ${request.turn}`, after: late }
    })
    const tab = await place.tab(withPlugin(host, 'tab'), 'sleeper', '')
    await begin(place, tab, sleeper)
    await wake(place, sleeper, 'not too early')
    await until('the late one is read', async () => sent[0] && (await receipt(place, sent[0])).place === 'read')
    await idle(place)
    const last = sleeper.requests.at(-1)
    if (last === undefined) throw new Error('no turn')
    expect(times(conversationOf(last), '"too late"')).toBe(1)
    proof(host, `a request at the end of a woken turn: ${wakesIn(sleeper)} wakes, all read`)
    expect(wakesIn(sleeper)).toBe(2)
  })
}

for (const host of [claudeCodeNewest, claudeCode]) {
  tabTest('an idle session starts a turn within 3 s of a message, and the receipt says so', [host], isWoken)
  tabTest('a message that is sent as soon as a session appears starts a turn', [host], isWokenAtOnce)
  tabTest('a message that comes as a woken turn ends starts the next one', [host], isWokenAgain)
  tabTest('nothing starts a turn but unread mail that asks for it', [host], sleepsOn)
}
