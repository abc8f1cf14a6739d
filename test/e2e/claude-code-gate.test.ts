/** Claude Code at prompts where nothing is due: no hook starts, and the bus shows the turn all the same. */
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'vitest'
import { z } from 'zod'
import { claudeCode, claudeCodeNewest, withPlugin } from './lab/claude-code.ts'
import { identityIn, newIn, proof, reminders } from './lab/heard.ts'
import type { Host } from './lab/host.ts'
import { hostTest } from './lab/installed.ts'
import { inPlace } from './lab/place.ts'
import { send, shell } from './lab/shell.ts'

const Listed = z.looseObject({ sessions: z.array(z.looseObject({ id: z.string(), activity: z.string() })) })

async function isNoted(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const worker = place.model.conversation('worker')
    const noted: (readonly string[])[] = []
    const states: string[] = []
    const look = async () => {
      noted.push(await readdir(path.join(place.busHome, 'turns')))
      states.push(...Listed.parse(await shell(place, 'list')).sessions.map(({ activity }) => activity))
    }
    worker.play((request) => ({ text: `end ${request.turn}`, after: look }))
    const session = await place.stream(withPlugin(host, 'stream'), 'worker')
    for (const prompt of ['Work.', 'Go on.']) {
      await session.say(prompt)
      await look()
    }
    const id = identityIn(newIn(worker.requests[0] ?? fail()))?.id
    expect(noted).toEqual([[id], [], [id], []])
    expect(states).toEqual(['working', 'idle', 'working', 'idle'])
    const [only] = Object.values(await place.files('activity'))
    const trail = ['idle', 'working', 'idle', 'working', 'idle']
    expect(only).toMatchObject({
      state: 'idle',
      lastHumanPrompt: only?.['lastTurn'],
      trail: trail.map((state) => ({ state })),
    })
    proof(host, `two prompts, no hook at either: ${states.join(', ')}`)

    await send(place, 'project', 'now there is news', '--activate', 'never')
    await session.say('And now?')
    const told = newIn(worker.requests.at(-1) ?? fail())
    expect(reminders(told).join('\n')).toContain('"now there is news"')
    expect(noted.at(-1)).toEqual([])
    expect(states.at(-1)).toBe('working')
    proof(host, 'the next prompt, with mail, is met by the hook')
    expect(await session.end()).toMatchObject({ exitCode: 0, leftBehind: [] })
  })
}

function fail(): never {
  throw new Error('the model was never asked')
}

for (const host of [claudeCodeNewest, claudeCode])
  hostTest('a prompt with nothing due starts no hook, and is a turn for all others', [host], isNoted)
