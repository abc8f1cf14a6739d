/**
 * The fixtures in test/hooks/payloads/codex are what Codex really says: recorded with RECORD_PAYLOADS=1, compared otherwise.
 * Every field of a fixture must still come, with the same type of value.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { z } from 'zod'
import { codex, wired } from './lab/codex.ts'
import { codexHome, trustHooks } from './lab/codex-home.ts'
import { newIn, proof } from './lab/heard.ts'
import { ourServer } from './lab/host.ts'
import { tabTest } from './lab/installed.ts'
import { inPlace, type Place } from './lab/place.ts'
import { until } from './lab/until.ts'

const EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PostToolUse',
  'PermissionRequest',
  'SubagentStart',
  'SubagentStop',
  'Stop',
  'Interrupt',
  'SessionEnd',
]
const fixtures = fileURLToPath(new URL('../hooks/payloads/codex', import.meta.url))
const recorder = fileURLToPath(new URL('./lab/record-hook.mjs', import.meta.url))
const Payload = z.looseObject({
  hook_event_name: z.string(),
  session_id: z.string(),
  prompt: z.string().optional(),
  agent_id: z.string().optional(),
  tool_name: z.string().optional(),
  turn_id: z.string().optional(),
})
type Payload = z.infer<typeof Payload>

/** Two sessions that meet every event: one ends by itself, one is interrupted. */
async function record(place: Place): Promise<ReadonlyMap<string, Payload>> {
  const me = await codexHome(place, 'said')
  const directory = path.join(place.root, 'payloads')
  const hook = { type: 'command', command: `exec '${process.execPath}' '${recorder}' '${directory}'`, timeout: 60 }
  writeFileSync(
    me.hooks,
    JSON.stringify({ hooks: Object.fromEntries(EVENTS.map((event) => [event, [{ hooks: [hook] }]])) }),
  )
  const { args } = ourServer(place.busHome)
  const server = `\n[mcp_servers.session-mcp]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify(args)}\n`
  writeFileSync(me.config, `${readFileSync(me.config, 'utf8')}${server}`)
  await trustHooks(place, 'said')
  const said = place.model.conversation('said')
  said.play((request) => {
    const done = request.exchanges.length
    if (JSON.stringify(request.body).includes('subagent_kind'))
      return done === 0 ? { tool: /exec_command$/, args: { cmd: 'echo child' } } : { text: 'child done' }
    if (done === 0) return { tool: /update_session$/, args: { task: 'be recorded', projectPath: place.project } }
    if (done === 1) return { tool: /spawn_agent$/, args: { message: 'Be a child.' } }
    if (done === 2) {
      const { agent_id } = JSON.parse(request.exchanges[1]?.result ?? '{}')
      return { tool: /wait_agent$/, args: { targets: [agent_id], timeout_ms: 600_000 } }
    }
    return { text: 'recorded' }
  })
  await place.run(wired('exec'), 'said', 'Spawn one.')
  const recorded = () => {
    const first = new Map<string, Payload>()
    for (const name of readdirSync(directory).sort(byTime)) {
      const payload = Payload.parse(JSON.parse(readFileSync(path.join(directory, name), 'utf8')))
      const isWake = payload.prompt?.includes('session-mcp wake') === true
      const suffix = isWake
        ? '.wake'
        : payload.agent_id !== undefined && !payload.hook_event_name.startsWith('Subagent')
          ? '.subagent'
          : ''
      const key = `${payload.hook_event_name}${suffix}`
      if (!first.has(key)) first.set(key, payload)
    }
    return first
  }
  said.play((request) => {
    if (!newIn(request).includes('Ask.')) return { text: 'begun' }
    const args = { cmd: 'sleep 30', sandbox_permissions: 'require_escalated', justification: 'May I' }
    return { tool: /exec_command$/, args }
  })
  const tab = await place.tab(wired('tab'), 'said', '', { flags: ['--no-daemon'] })
  await tab.shows(/\? for shortcuts/)
  const before = readdirSync(directory).length
  await tab.say('Begin.')
  const stop = await until('the end of a turn', () => {
    const [name] = readdirSync(directory)
      .sort(byTime)
      .slice(before)
      .filter((each) => each.startsWith('Stop'))
    return name === undefined ? undefined : Payload.parse(JSON.parse(readFileSync(path.join(directory, name), 'utf8')))
  })
  const text = 'session-mcp wake wake000001: 1 unread message. Use read_inbox.'
  await me.host(codex, 'queue', '--thread', stop.session_id, '--message', text)
  await until('the wake', () => recorded().has('UserPromptSubmit.wake'))
  // Last: a terminal in which the person ended a turn takes nothing from its queue before the next prompt.
  await tab.say('Ask.')
  await tab.shows(/Would you like to run the following command/)
  await until('the host asks', () => recorded().has('PermissionRequest'))
  await tab.press('Escape')
  await until('the interrupt', () => recorded().has('Interrupt'))
  return recorded()
}

function byTime(a: string, b: string): number {
  const [x, y] = [a, b].map((name) => BigInt(name.split('.')[1] ?? 0))
  return (x ?? 0n) < (y ?? 0n) ? -1 : 1
}

/** Without what differs from run to run. */
function plain(payload: Payload, place: Place): Payload {
  const text = JSON.stringify(payload)
    .replaceAll(payload.session_id, '5e551011-0000-7000-8000-000000000001')
    .replaceAll(payload.turn_id ?? ' none ', '70e00000-0000-7000-8000-000000000002')
    .replaceAll(payload.agent_id ?? ' none ', 'a6e00000-0000-7000-8000-000000000003')
    .replaceAll(place.root, '/lab')
    .replace(
      /sessions\/\d{4}\/\d\d\/\d\d\/rollout-[\dT-]+-(?=[5a])/g,
      'sessions/2026/11/30/rollout-2026-11-30T12-00-00-',
    )
  return Payload.parse(JSON.parse(text))
}

function shape(payload: Payload): Record<string, string> {
  return Object.fromEntries(
    Object.entries(payload).map(([key, value]) => [key, Array.isArray(value) ? 'array' : typeof value]),
  )
}

tabTest('says to its hooks what our fixtures say', [codex], async () => {
  await inPlace(async (place) => {
    const payloads = await record(place)
    console.log([...payloads.keys()].join(', '))
    for (const event of [...EVENTS, 'UserPromptSubmit.wake', 'UserPromptSubmit.subagent', 'PostToolUse.subagent']) {
      const payload = payloads.get(event)
      if (payload === undefined) throw new Error(`${event} never came`)
      const file = path.join(fixtures, `${event}.json`)
      if (process.env['RECORD_PAYLOADS'] === '1') {
        mkdirSync(fixtures, { recursive: true })
        writeFileSync(file, `${JSON.stringify(plain(payload, place), null, 2)}\n`)
      }
      const fixture = Payload.parse(JSON.parse(readFileSync(file, 'utf8')))
      expect({ [event]: shape(payload) }).toMatchObject({ [event]: shape(fixture) })
    }
    proof(codex, `${payloads.size} events carry the fields of test/hooks/payloads/codex`)
  })
})
