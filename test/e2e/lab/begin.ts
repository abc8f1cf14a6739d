/** A first turn in a terminal; on a slow machine several, until our server is connected and its tools are offered. */
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import type { Conversation } from './conversation.ts'
import type { Place } from './place.ts'
import type { Tab } from './tab.ts'
import { until } from './until.ts'

/** Resolves to the id of the only session when it is idle: by its record, and no turn is noted that the record lacks. */
export function idle(place: Place): Promise<string> {
  return until('the session is idle', async () => {
    const turns = await readdir(path.join(place.busHome, 'turns')).catch(() => [])
    const [only] = Object.values(await place.files('activity'))
    return only?.['state'] === 'idle' && turns.length === 0 ? String(only['id']) : undefined
  })
}

export async function begin(place: Place, tab: Tab, conversation: Conversation, text = 'Begin.'): Promise<void> {
  await idle(place)
  do {
    const before = conversation.requests.length
    await tab.say(text)
    await until('a first turn', () => conversation.requests[before])
    await idle(place)
  } while (!conversation.requests.at(-1)?.tools.some((name) => name.endsWith('read_inbox')))
}
