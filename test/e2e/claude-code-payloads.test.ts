/**
 * The fixtures in test/hooks/payloads are what Claude Code really says: recorded with RECORD_PAYLOADS=1, compared otherwise.
 * Every field of a fixture must still come, with the same type of value.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { z } from 'zod'
import { begin, idle } from './lab/begin.ts'
import { claudeCodeNewest, withPlugin } from './lab/claude-code.ts'
import { newIn, proof } from './lab/heard.ts'
import type { Host } from './lab/host.ts'
import { tabTest } from './lab/installed.ts'
import { inPlace, type Place } from './lab/place.ts'
import { send } from './lab/shell.ts'
import { until } from './lab/until.ts'

const EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolBatch',
  'Notification',
  'Stop',
  'FileChanged',
  'SessionEnd',
]
const fixtures = fileURLToPath(new URL('../hooks/payloads/claude-code', import.meta.url))
const recorder = fileURLToPath(new URL('./lab/record-hook.mjs', import.meta.url))
const Payload = z.looseObject({ hook_event_name: z.string(), session_id: z.string(), prompt: z.string().optional() })
type Payload = z.infer<typeof Payload>

/** One session that meets every event the plugin listens to. */
async function record(host: Host, place: Place): Promise<ReadonlyMap<string, Payload>> {
  const directory = path.join(place.root, 'payloads')
  const hook = { type: 'command', command: 'node', args: [recorder, directory], timeout: 60 }
  const settings = { hooks: Object.fromEntries(EVENTS.map((event) => [event, [{ hooks: [hook] }]])) }
  const said = place.model.conversation('said')
  const tools = [
    { tool: /read_inbox$/, args: {} },
    { tool: /^Write$/, args: { file_path: path.join(place.project, 'new.txt'), content: 'new' } },
  ]
  said.play((request) => {
    if (newIn(request).includes('session-mcp wake')) return { text: 'awake' }
    if (newIn(request).includes('Begin.')) return { text: 'begun' }
    return tools[request.exchanges.length] ?? { text: 'written' }
  })
  const tab = await place.tab(withPlugin(host, 'tab'), 'said', '', {
    flags: ['--permission-mode', 'default', '--settings', JSON.stringify(settings)],
  })
  await begin(place, tab, said)
  await tab.say('Write a file.')
  await tab.shows(/Do you want to create new\.txt/)
  const recorded = () => {
    const names = readdirSync(directory)
    const first = new Map<string, Payload>()
    for (const name of names.sort()) {
      const payload = Payload.parse(JSON.parse(readFileSync(path.join(directory, name), 'utf8')))
      const isWake = payload.prompt?.includes('session-mcp wake') === true
      const key = isWake ? `${payload.hook_event_name}.wake` : payload.hook_event_name
      if (!first.has(key)) first.set(key, payload)
    }
    return first
  }
  await until('the host says that it waits', () => recorded().has('Notification'))
  await until('the bus shows it', async () => {
    const [only] = Object.values(await place.files('activity'))
    return only?.['state'] === 'needs_permission'
  })
  proof(host, 'while the host asks the person for permission, the session is shown as needs_permission')
  await tab.press('Enter')
  await idle(place)
  await send(place, 'project', 'wake up')
  await until('the wake file changed', () => recorded().has('FileChanged'))
  await until('a turn', () => said.requests.some((request) => newIn(request).includes('session-mcp wake')))
  await idle(place)
  await tab.say('/exit')
  await until('the end', () => recorded().has('SessionEnd'))
  return recorded()
}

/** Without what differs from run to run. */
function plain(payload: Payload, place: Place): Payload {
  const text = JSON.stringify(payload)
    .replaceAll(payload.session_id, '5e551011-0000-4000-8000-000000000001')
    .replaceAll(place.root, '/lab')
    .replaceAll(place.root.replaceAll('/', '-'), '-lab')
    .replace(/"prompt_id":"[^"]+"/, '"prompt_id":"9c0ffee0-0000-4000-8000-000000000002"')
    .replace(/session-mcp wake [0-9a-z]+/, 'session-mcp wake wake000001')
    .replace(/"duration_ms":\d+/g, '"duration_ms":7')
  return Payload.parse(JSON.parse(text))
}

function shape(payload: Payload): Record<string, string> {
  return Object.fromEntries(
    Object.entries(payload).map(([key, value]) => [key, Array.isArray(value) ? 'array' : typeof value]),
  )
}

tabTest('says to its hooks what our fixtures say', [claudeCodeNewest], async (host) => {
  await inPlace(async (place) => {
    const payloads = await record(host, place)
    expect([...payloads.keys()].sort()).toEqual([...EVENTS, 'UserPromptSubmit.wake'].sort())
    for (const [event, payload] of payloads) {
      const file = path.join(fixtures, `${event}.json`)
      if (process.env['RECORD_PAYLOADS'] === '1') {
        mkdirSync(fixtures, { recursive: true })
        writeFileSync(file, `${JSON.stringify(plain(payload, place), null, 2)}\n`)
      }
      const fixture = Payload.parse(JSON.parse(readFileSync(file, 'utf8')))
      expect({ [event]: shape(payload) }).toMatchObject({ [event]: shape(fixture) })
    }
    proof(host, `${payloads.size} events carry the fields of test/hooks/payloads/claude-code`)
  })
})
