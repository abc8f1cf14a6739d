/** What a host waits for at each event: its hook, from start to exit, beside a Node that does nothing. */

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { type Benchmark, interleave, type Row } from './harness.ts'
import { join, makePlace, openIn, type Place } from './place.ts'

const HOOK = path.resolve('dist/hooks/claude-code.js')
const GATE = path.resolve('dist/hooks/gate.sh')
const KEY = '0f1d4b6e-1111-4222-8333-444455556666'
const ROUNDS = 31

export const hooks: Benchmark = {
  name: 'hooks',
  async run() {
    const place = makePlace('hooks')
    try {
      run(place, 'SessionStart')
      const rows: Row[] = []
      const env = environment(place)
      const floor = () => spawnSync(process.execPath, ['-e', '0'], { env })
      const row = measure(floor)
      rows.push(await row('hook after tools, nothing to say', 0.2, () => gate(place)))
      rows.push(await row('hook at a prompt, nothing to say', 1.15, () => run(place, 'UserPromptSubmit')))
      await sendThree(place)
      // What was told once is told again only to a context that forgot it.
      const forget = () => fs.rmSync(path.join(place.directory, 'home/shown', `${KEY}.json`), { force: true })
      rows.push(await row('hook at a prompt, three unread messages', 1.3, () => run(place, 'UserPromptSubmit'), forget))
      return rows
    } finally {
      place.remove()
    }
  },
}

/** Both in the same environment: a variable such as NODE_EXTRA_CA_CERTS makes every Node start slower. */
function measure(floor: () => unknown) {
  return async (name: string, atMost: number, ours: () => void, prepare?: () => void): Promise<Row> => {
    const taken = await interleave({ rounds: ROUNDS, floor, ours, ...(prepare && { prepare }) })
    return { name, unit: 'ms', against: 'node -e 0', ...taken, bar: { of: 'ratio', atMost } }
  }
}

function environment(place: Place): NodeJS.ProcessEnv {
  return {
    ...process.env,
    HOME: place.directory,
    SESSION_MCP_HOME: path.join(place.directory, 'home'),
    CLAUDE_PID: String(process.pid),
    CLAUDE_CODE_SESSION_ID: KEY,
    CLAUDE_PROJECT_DIR: place.directory,
  }
}

function run(place: Place, event: string): void {
  const payload = {
    session_id: KEY,
    transcript_path: path.join(place.directory, 't.jsonl'),
    cwd: place.directory,
    hook_event_name: event,
    source: 'startup',
    prompt: 'go on',
  }
  const hook = spawnSync(process.execPath, [HOOK], { env: environment(place), input: JSON.stringify(payload) })
  if (hook.status !== 0) throw new Error(`the hook exited with ${hook.status}: ${hook.stderr}`)
}

function gate(place: Place): void {
  const args = [GATE, '', process.execPath, HOOK]
  const hook = spawnSync('sh', args, { env: environment(place), input: '{}' })
  if (hook.status !== 0 || hook.stdout.length > 0) throw new Error('the gate was not silent')
}

async function sendThree(place: Place): Promise<void> {
  const opened = await openIn(place, { durability: 'process' })
  const sender = await join(opened, 'sender')
  for (const n of [1, 2, 3])
    await opened.bus.send(sender.caller, { to: [KEY], content: `message ${n}`, activate: 'never' })
  opened.close()
}
