/** C155: of every text that reached a session there is a record of who sent it, with the recipient and with the sender. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { HUMAN_ID } from '../../src/core/caller.ts'
import type { Message } from '../../src/core/message.ts'
import { freshPlace } from '../store/place.ts'
import { openHost, type Talk } from './hosted.ts'
import { createWorld, only, type World } from './world.ts'

const place = freshPlace()

interface Told {
  readonly by: string
  readonly to: string
  readonly text: string
}

/** Sends, wakes, group and project sends, answers and held turns; every text says `text <n>`. */
async function mixedRun(world: World): Promise<{ told: Told[]; sent: number }> {
  const told: Told[] = []
  let sent = 0
  const host = openHost(world)
  const talks = new Map<string, Talk>()
  const hear = (to: string, text: string | undefined) => {
    for (const line of text?.split('\n') ?? []) {
      const [, by, said] = /from (the person|session "[^"]+").*: "(.*)"$/.exec(line) ?? []
      if (by !== undefined && said !== undefined) told.push({ by, to, text: said })
    }
  }
  for (const id of ['a', 'b', 'c', 'd']) {
    const talk = host.talk(id)
    talks.set(id, talk)
    await talk.start()
    await talk.tools.update({ name: id, groupId: id === 'd' ? 'other' : 'team' })
    await world.clock.advance(10)
  }
  const of = (id: string) => {
    const talk = talks.get(id)
    if (talk === undefined) throw new Error(`no session ${id}`)
    return talk
  }
  const say = () => `text ${++sent}`
  const moments: [string, () => Promise<unknown>][] = [
    ['b', () => of('a').tools.send('b', say(), { activationMessage: `line of ${sent}` })],
    ['c', () => of('a').tools.send('group:team', say(), { intent: 'request' })],
    ['d', () => of('b').tools.send('project:/p/shop', say())],
    ['a', () => world.human.send('a', say(), { priority: 'high' })],
    ['a', () => of('c').tools.send(['a', 'b', 'nobody'], say())],
    ['b', () => world.human.send('group:team', say())],
    ['a', () => of('d').tools.send('a', say(), { activate: 'never' })],
    [
      'c',
      async () => {
        const { messages } = await of('c').tools.read()
        for (const { id } of messages) await of('c').tools.send(undefined, say(), { replyTo: id })
      },
    ],
  ]
  for (const [id, act] of [...moments, ...moments]) {
    await act()
    await world.clock.advance(1000)
    const text = await of(id).wake()
    hear(id, await of(id).prompt(text ?? 'Go on.'))
    hear(id, await of(id).afterTools())
    for (const each of talks.keys()) if (each !== id) hear(each, await of(each).afterTools())
    hear(id, await of(id).stop())
    hear(id, await of(id).stop())
  }
  for (const [id, talk] of talks) {
    hear(id, await talk.start('compact'))
    for (const { from, content } of (await talk.tools.read()).messages)
      told.push({ by: from.id === HUMAN_ID ? 'the person' : `session "${from.name}"`, to: id, text: content })
  }
  return { told, sent }
}

describe.each(['memory', 'files'])('C155: in a store of %s', (kind) => {
  test('every text told has a message of its recipient and a record of its sender, which agree', async () => {
    const world = createWorld({
      store: (inner) => {
        if (kind === 'memory') return inner
        const store = place.open()
        onTestFinished(() => store.close())
        return store
      },
    })
    const { told, sent } = await mixedRun(world)
    expect(sent).toBeGreaterThan(15)
    expect(new Set(told.map(({ text }) => text)).size).toBeGreaterThan(15)
    expect(told.some(({ text }) => text.startsWith('line of'))).toBe(true)
    const histories = new Map<string, readonly Message[]>()
    for (const id of ['a', 'b', 'c', 'd']) {
      const found = await Promise.all(
        (await world.store.inbox.history(id, 1000)).map((each) => world.store.inbox.find(id, each)),
      )
      histories.set(
        id,
        found.flatMap((each) => each?.message ?? []),
      )
    }
    for (const { by, to, text } of told) {
      const number = /\d+$/.exec(text)?.[0]
      const message = only(histories.get(to)?.filter(({ content }) => content === `text ${number}`))
      expect({ by, to, verified: true }).toEqual({
        by: speakerOf(message),
        to: message.to,
        verified: message.from.verified,
      })
      const record = await world.store.sent.find(message.from.id, message.id)
      expect(record).toMatchObject({ id: message.id, from: message.from.id, sentAt: message.sentAt })
      expect(record?.to).toContain(to)
    }
  })
})

function speakerOf({ from }: Message): string {
  return from.id === HUMAN_ID ? 'the person' : `session "${from.name}"`
}
