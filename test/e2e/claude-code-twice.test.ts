/** One conversation open in two clients at once: two sessions, and the first loses nothing (C047). */
import { expect } from 'vitest'
import { claudeCode, claudeCodeNewest, withPlugin } from './lab/claude-code.ts'
import type { Step } from './lab/conversation.ts'
import { conversationOf, identityIn, newIn, proof, reminders } from './lab/heard.ts'
import type { Host } from './lab/host.ts'
import { hostTest } from './lab/installed.ts'
import { expectCleanEnd, inPlace } from './lab/place.ts'
import { receipt, send } from './lab/shell.ts'

async function isOpenTwice(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const [left, right] = [place.model.conversation('left'), place.model.conversation('right')]
    left.play(({ turn }) => ({ text: `left ${turn}` }))
    const one = await place.stream(withPlugin(host, 'stream'), 'left', { home: 'person' })
    await one.say('Begin.')
    const who = identityIn(conversationOf(left.requests[0] ?? fail()))
    const { id: message } = await send(place, 'project', 'for the first', '--activate', 'never')

    // What it resumes is longer than what it says itself.
    const steps: Step[] = [
      { tool: /update_session$/, args: { task: 'be the second', projectPath: place.project } },
      { tool: /read_inbox$/, args: {} },
    ]
    right.play(({ exchanges }) => steps[exchanges.length] ?? { text: 'right' })
    const flags = ['--resume', who?.id ?? '']
    expectCleanEnd(await place.run(withPlugin(host, 'print'), 'right', 'Second.', { home: 'person', flags }))
    const started = newIn(right.requests[0] ?? fail())
    const second = identityIn(started)
    expect(second?.name).toBe('project-2')
    expect(second?.id).not.toBe(who?.id)
    expect(started).toContain('which keeps its session and mail. Here it is a session of its own')
    expect(started).not.toContain('for the first')
    expect(JSON.parse(right.result('update_session'))).toMatchObject({ id: second?.id, registered: false })
    expect(JSON.parse(right.result('read_inbox'))).toMatchObject({ sessionId: second?.id, messages: [] })
    expect(await receipt(place, message)).toMatchObject({ place: 'unread' })
    const sessions = await place.files('sessions')
    expect(sessions[`${second?.id}.json`]).toMatchObject({ parentSessionId: who?.id })
    const states = Object.values(await place.files('activity')).map(({ id, state }) => [id, state])
    expect(Object.fromEntries(states)).toEqual({ [who?.id ?? '']: 'idle', [second?.id ?? '']: 'ended' })
    proof(host, `--resume of an open conversation is ${second?.id}; its end leaves ${who?.id} idle, with its mail`)

    await one.say('Go on.')
    const told = newIn(left.requests.at(-1) ?? fail())
    expect(reminders(told).join('\n')).toContain('"for the first"')
    expect(identityIn(told)).toEqual(who)
    expect(told).toContain('this conversation was opened in process')
    await one.say('And again.')
    expect(newIn(left.requests.at(-1) ?? fail())).not.toContain('was opened in process')
    proof(host, 'the first is told of it once, and of its mail')
    expect(await one.end()).toMatchObject({ exitCode: 0, leftBehind: [] })
  })
}

function fail(): never {
  throw new Error('the model was never asked')
}

for (const host of [claudeCodeNewest, claudeCode]) {
  hostTest('C047: a conversation that is resumed while it is open is two sessions', [host], isOpenTwice)
}
