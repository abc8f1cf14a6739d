/** Codex in a terminal, idle: what starts a turn, how soon, by whom, and what is not claimed. */
import { expect } from 'vitest'
import { codex, wired } from './lab/codex.ts'
import { endDaemon, wiredHome } from './lab/codex-home.ts'
import type { Conversation } from './lab/conversation.ts'
import { conversationOf, newIn, proof, reminders, times } from './lab/heard.ts'
import { tabTest } from './lab/installed.ts'
import { openPeer } from './lab/peer.ts'
import { inPlace, type Place } from './lab/place.ts'
import { proves } from './lab/proves.ts'
import { receipt, send } from './lab/shell.ts'
import { until } from './lab/until.ts'

const readInbox = { tool: /read_inbox$/, args: {} }
const WAKE = /session-mcp wake [0-9a-z]+: \d+ unread messages?\. Use read_inbox\./

const isIdle = (place: Place) =>
  until('the session is idle', async () => {
    const [only] = Object.values(await place.files('activity'))
    return only?.['state'] === 'idle'
  })

function readsWhenWoken(conversation: Conversation): void {
  conversation.play((request) => (WAKE.test(newIn(request)) ? readInbox : { text: `end ${request.turn}` }))
}

async function isRead(id: string, place: Place) {
  return until('it is read', async () => {
    const row = await receipt(place, id)
    return row.place === 'read' ? row : undefined
  })
}

for (const mode of ['--no-daemon', 'daemon'] as const) {
  const what = mode === 'daemon' ? 'served by the background server' : 'on its own'
  tabTest(`an idle terminal ${what} starts a turn, and the receipt says so`, [codex], async () => {
    await inPlace(async (place) => {
      const me = await wiredHome(place, 'sleeper')
      const sleeper = place.model.conversation('sleeper')
      readsWhenWoken(sleeper)
      const tab = await place.tab(wired('tab'), 'sleeper', '', { flags: mode === 'daemon' ? [] : [mode] })
      await tab.shows(/\? for shortcuts/)
      await tab.say('Begin.')
      await until('a first turn', () => sleeper.requests[0])
      await isIdle(place)

      expect((await send(place, 'project', 'thank you', '--intent', 'ack')).wake).toMatchObject({ outcome: 'none' })
      const took: number[] = []
      // On its own it looks into its queue every ten seconds.
      const texts = mode === 'daemon' ? ['hello', 'again', 'once more'] : ['hello', 'again']
      for (const text of texts) {
        const before = sleeper.requests.length
        const sentAt = Date.now()
        const { id, wake } = await send(place, 'project', text, '--intent', 'request')
        expect(wake).toMatchObject({
          outcome: 'unknown',
          door: 'queue',
          evidence: expect.stringMatching(/^codex queue took it as [\w-]+; no turn has been seen yet/),
        })
        const request = await until(`a turn for ${text}`, () => sleeper.requests[before])
        took.push(request.at - sentAt)
        expect(newIn(request)).toMatch(WAKE)
        expect(reminders(newIn(request)).filter((line) => line.includes(JSON.stringify(text)))).toHaveLength(1)
        expect(await isRead(id, place)).toMatchObject({ turnStartedAt: expect.any(String), readAt: expect.any(String) })
        await isIdle(place)
      }
      const last = sleeper.requests.at(-1)
      if (last === undefined) throw new Error('no turn')
      for (const text of texts) expect(times(conversationOf(last), `: ${JSON.stringify(text)}`)).toBe(1)
      proof(codex, `idle ${what}, then a turn ${took.join(', ')} ms after the send; each receipt: turn started, read`)
      proves(codex, 'wake')

      if (mode === 'daemon') {
        await tab.say('/quit')
        await tab.end()
        const { id } = await send(place, 'project', 'with no terminal')
        await isRead(id, place)
        proof(codex, 'with its terminal closed, the background server runs the turn that a message asks for')
        await endDaemon(me)
        await until('the bus sees the end', async () => {
          const { outcome } = (await send(place, 'project', 'with no server')).wake ?? {}
          return outcome === 'unavailable'
        })
        proof(codex, 'with the background server gone, nothing is claimed')
      }
    })
  })
}

tabTest('a server of another session opens the door, too; a codex exec that ended is left alone', [codex], async () => {
  await inPlace(async (place) => {
    await wiredHome(place, 'sleeper')
    const sleeper = place.model.conversation('sleeper')
    readsWhenWoken(sleeper)
    const peer = await openPeer(place, 'peer')
    await place.run(wired('exec'), 'sleeper', 'Begin and end.')
    const ended = await peer.call('send_message', { to: 'project', content: 'too late', intent: 'request' })
    expect(ended).toMatchObject({ to: [{ finished: 'ended', wake: { outcome: 'unavailable' } }] })
    proof(codex, `codex exec that ended: ${JSON.stringify(ended['to'])}`)

    const [id = ''] = Object.keys(await place.files('sessions')).map((name) => name.replace('.json', ''))
    const tab = await place.tab(wired('tab'), 'sleeper', '', { flags: ['resume', id, '--no-daemon'] })
    await tab.shows(/\? for shortcuts/)
    const asked = sleeper.requests.length
    await tab.say('Go on.')
    // The request that came too late holds this turn open once: it is seen idle for a moment, and goes on.
    const held = await until('the turn of the person goes on', () => sleeper.requests[asked + 1])
    expect(newIn(held)).toContain('"too late"')
    await isIdle(place)
    const before = sleeper.requests.length
    const { messageId } = await peer.call('send_message', { to: 'project', content: 'now', intent: 'request' })
    const request = await until('a turn', () => sleeper.requests[before])
    expect(newIn(request)).toMatch(WAKE)
    await until('it is read', async () => {
      const { recipients } = await peer.call('message_status', { messageId })
      return JSON.stringify(recipients).includes('"place":"read"')
    })
    proof(codex, `a message of another session, sent by its server, started a turn of session ${id}`)
    await peer.end()
  })
})
