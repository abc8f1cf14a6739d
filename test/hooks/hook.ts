/** Runs the hook as a host does: its own process, a payload on stdin, an environment with the host's variables. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { SendInput } from '../../src/core/bus.ts'
import { HUMAN } from '../../src/core/caller.ts'
import { openBus } from '../../src/open.ts'

const dist = process.env['HOOK_DIST'] ?? fileURLToPath(new URL('../../dist', import.meta.url))
export const hookFile = path.join(dist, 'hooks/claude-code.js')
export const gateFile = path.join(dist, 'hooks/gate.sh')
export const cli = path.join(dist, 'index.js')
const payloads = new URL('./payloads/claude-code/', import.meta.url)

export const EVENTS = readdirSync(payloads)
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.replace(/\.json$/, ''))

export type Payload = Record<string, unknown>

/** What Claude Code said at `event`, with other values where a test needs them. */
export function payload(event: string, over: Payload = {}): Payload {
  return { ...JSON.parse(readFileSync(new URL(`${event}.json`, payloads), 'utf8')), ...over }
}

export const SESSION = String(payload('SessionStart')['session_id'])

export interface Run {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly ms: number
}

export interface Options {
  readonly env?: Readonly<Record<string, string>>
  /** Keeps stdin open after the input, as some hosts do. */
  readonly open?: boolean
  readonly killAfterMs?: number
  readonly command?: readonly [string, ...string[]]
}

/** A folder of this test. */
export function folder(): string {
  const made = realpathSync(mkdtempSync(path.join(tmpdir(), 'session-mcp-hook-')))
  onTestFinished(() => rmSync(made, { recursive: true, force: true, maxRetries: 5 }))
  return made
}

export function run(home: string, input: Payload | string | Buffer, options: Options = {}): Promise<Run> {
  const [program, ...args] = options.command ?? [process.execPath, hookFile]
  const started = performance.now()
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'], HOME: home, SESSION_MCP_HOME: home, ...options.env },
    stdio: 'pipe',
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  child.stdin.on('error', () => undefined) // It ends as soon as it has what it needs.
  const text = typeof input === 'string' || Buffer.isBuffer(input) ? input : JSON.stringify(input)
  if (options.open === true) child.stdin.write(text)
  else child.stdin.end(text)
  const timer =
    options.killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), options.killAfterMs)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      clearTimeout(timer)
      resolve({ code, stdout, stderr, ms: performance.now() - started })
    })
  })
}

/** The context a hook put before the model; undefined where it was silent. @throws where stdout is not one JSON object. */
export function context({ stdout }: Run): string | undefined {
  if (stdout === '') return undefined
  const { hookSpecificOutput, reason } = JSON.parse(stdout)
  return hookSpecificOutput?.additionalContext ?? reason
}

/** A message from the person. Not by command line: a shell of this process counts as one of the session’s. */
export async function send(home: string, to: string, content: string, more: Partial<SendInput> = {}): Promise<string> {
  const { bus, close } = await openBus({ home })
  try {
    return (await bus.send(HUMAN, { to: [to], content, ...more })).messageId
  } finally {
    close()
  }
}

/** The JSON files in a folder of the bus. */
export function records(home: string, name: string): Record<string, unknown>[] {
  const directory = path.join(home, name)
  return readdirSync(directory)
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(path.join(directory, file), 'utf8')))
}

/** Runs `body` with a file system in memory mounted at a directory; only root may. */
export async function mounted(directory: string, options: string, body: () => Promise<void>): Promise<void> {
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', `${options},mode=0700`, 'tmpfs', directory])
  if (status !== 0) throw new Error(`tmpfs: ${stderr}`)
  try {
    await body()
  } finally {
    spawnSync('umount', ['-l', directory])
  }
}
