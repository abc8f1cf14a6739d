/** Runs the installed hook for real, at a moment that does nothing, on a home made for the purpose. */

import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Environment } from '../../hosts/host.ts'
import { WIRINGS } from '../../hosts/table.ts'
import type { Launch, Wiring } from '../../hosts/wiring.ts'
import { oneLine } from '../safe-text.ts'
import { cut } from '../width.ts'
import { hookFaults } from './hook-log.ts'

export interface HookAnswer {
  readonly isFine: boolean
  /** Goes on a sentence about the hook. */
  readonly text: string
}

/** Hosts give hooks at least this long (ms). */
const LIMIT_MS = 5_000

/** Undefined where it is no hook that can be tried. */
export async function tryHook(wiring: Wiring, hook: Launch, env: Environment): Promise<HookAnswer | undefined> {
  let home: string | undefined
  try {
    home = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'session-mcp-doctor-'))
    const probe = wiring.probe(hook, home)
    if (probe === undefined) return undefined
    const { node = process.execPath, args, input } = probe
    const started = performance.now()
    const { code, stdout, stderr } = await run(node, args, input, env)
    const took = Math.round(performance.now() - started)
    const reason = reasonIn(stderr)
    const said = reason === '' ? '' : ` It said: ${cut(reason, 200)}`
    if (code === undefined) return { isFine: false, text: `does not end within ${LIMIT_MS / 1000} s.${said}` }
    if (code !== 0) return { isFine: false, text: `ends with ${code}.${said}` }
    if (!isAnswer(stdout)) return { isFine: false, text: `prints what no host can read: ${cut(oneLine(stdout), 100)}` }
    const [fault] = hookFaults(home)
    if (fault !== undefined) return { isFine: false, text: `is silent since it failed: ${fault.text}` }
    return { isFine: true, text: `answers in ${took} ms.` }
  } catch (fault) {
    const why = String((fault as NodeJS.ErrnoException).code ?? fault)
    if (home === undefined)
      // In a sandbox, for example: nothing is known to be wrong with the hook.
      return { isFine: true, text: `was not tried: no folder can be made in ${os.tmpdir()} (${why}).` }
    return { isFine: false, text: `cannot be started (${why}).` }
  } finally {
    if (home !== undefined) fs.rmSync(home, { recursive: true, force: true })
  }
}

/** Node names the file and shows the line before it says what went wrong, and paths are long. */
function reasonIn(stderr: string): string {
  const at = stderr.search(/^\w*Error\b/m)
  return oneLine(at === -1 ? stderr : stderr.slice(at))
}

export interface Ran {
  /** Undefined where it had to be ended. */
  readonly code: number | undefined
  readonly stdout: string
  readonly stderr: string
}

export function run(node: string, args: readonly string[], input: string, env: Environment): Promise<Ran> {
  return new Promise((resolve, reject) => {
    // Neither a host around us nor our own settings may reach it: it must see the home it is given, and no session.
    const foreign = [/^SESSION_MCP_/i, ...WIRINGS.map(({ variables }) => variables)]
    const clean = Object.entries(env).filter(([name]) => !foreign.some((variable) => variable.test(name)))
    const child = spawn(node, args, {
      env: Object.fromEntries(clean),
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
      windowsHide: true,
    })
    let [stdout, stderr] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    child.stdin.on('error', () => {}) // ended before it read: its exit code says the rest
    child.stdin.end(input)
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? undefined, stdout, stderr }))
  })
}

/** Silence, or one JSON object. */
function isAnswer(stdout: string): boolean {
  if (stdout.trim() === '') return true
  try {
    const value: unknown = JSON.parse(stdout)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
