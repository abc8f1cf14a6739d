/** What a host waits for at each event: its hook, from start to exit, beside a Node that does nothing. */

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { startOfGate } from '../src/hosts/gate.ts'
import { type Benchmark, interleave, type Row } from './harness.ts'
import { join, makePlace, openIn, type Place } from './place.ts'

const HOOK = path.resolve('dist/hooks/claude-code.js')
const GATE = path.resolve('dist/hooks/gate.sh')
const KEY = '0f1d4b6e-1111-4222-8333-444455556666'
const ROUNDS = 31

export const hooks: Benchmark = {
  name: 'hooks',
  async run() {
    const rows = await all({})
    // Certificates are read at every start of Node, ours and the floor: without them the same hooks look dearer.
    if (process.env['NODE_EXTRA_CA_CERTS'] === undefined) return rows
    const without = await all({ NODE_EXTRA_CA_CERTS: undefined })
    return [
      ...rows,
      ...without.map(({ bar: _, name, ...row }) => ({ name: `${name}, without NODE_EXTRA_CA_CERTS`, ...row })),
    ]
  },
}

async function all(over: NodeJS.ProcessEnv): Promise<readonly Row[]> {
  const place = makePlace('hooks')
  const env = { ...environment(place), ...over }
  const direct = (event: string) => run(place, env, process.execPath, [HOOK], event)
  const [shell, ...gate] = startOfGate(GATE)
  const gated = (event: string, ...at: string[]) =>
    run(place, env, shell, [...gate, ...at, '', process.execPath, HOOK], event)
  const prompt = () => gated('UserPromptSubmit', 'prompt')
  const measure = async (name: string, atMost: number, ours: () => void, prepare?: () => void): Promise<Row> => {
    const floor = () => spawnSync(process.execPath, ['-e', '0'], { env })
    const taken = await interleave({
      rounds: ROUNDS,
      floor,
      ours,
      prepare: (side) => side === 'ours' && prepare?.(),
    })
    return { name, unit: 'ms', against: 'node -e 0', ...taken, bar: { of: 'ratio', atMost } }
  }
  try {
    direct('SessionStart')
    const turns = path.join(place.directory, 'home/turns')
    const noted = () => fs.readdirSync(turns).length
    const rows = [
      await measure('hook after tools, nothing to say', 0.2, () => silent(gated('PostToolBatch'))),
      // Turn after turn: each prompt follows the end of a turn, each end a prompt.
      await measure(
        'hook at a prompt, nothing due',
        0.2,
        () => silent(prompt()),
        () => direct('Stop'),
      ),
    ]
    if (noted() !== 1) throw new Error('the gate noted no turn')
    rows.push(
      await measure('hook at the end of a turn, nothing to say', 1.15, () => silent(gated('Stop', 'always')), prompt),
    )
    if (noted() !== 0) throw new Error('the end of the turn left its note')
    await sendThree(place)
    // What was told once is told again only to a context that forgot it.
    const forget = () => fs.rmSync(path.join(place.directory, 'home/shown', `${KEY}.json`), { force: true })
    rows.push(await measure('hook at a prompt, three unread messages', 1.3, () => telling(prompt()), forget))
    return rows
  } finally {
    place.remove()
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

/** @returns what the hook said. */
function run(place: Place, env: NodeJS.ProcessEnv, program: string, args: readonly string[], event: string): string {
  const payload = {
    session_id: KEY,
    transcript_path: path.join(place.directory, 't.jsonl'),
    cwd: place.directory,
    hook_event_name: event,
    source: 'startup',
    prompt: 'go on',
  }
  const hook = spawnSync(program, args, { env, input: JSON.stringify(payload), encoding: 'utf8' })
  if (hook.status !== 0) throw new Error(`the hook exited with ${hook.status}: ${hook.stderr}`)
  return hook.stdout
}

function silent(said: string): void {
  if (said !== '') throw new Error(`nothing was to be said, but the hook said ${said}`)
}

function telling(said: string): void {
  if (!said.includes('3 unread messages')) throw new Error('the hook did not tell of the mail')
}

async function sendThree(place: Place): Promise<void> {
  const opened = await openIn(place, { durability: 'process' })
  const sender = await join(opened, 'sender')
  for (const n of [1, 2, 3])
    await opened.bus.send(sender.caller, { to: [KEY], content: `message ${n}`, activate: 'never' })
  opened.close()
}
