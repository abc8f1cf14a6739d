/**
 * `claude --bg`: sessions without a terminal, for people without tmux (2.1.332, November 2026). A background service
 * keeps them, with the environment of whoever started it first: a spawn token in it would reach every later session, so
 * the new one is told its token in its first prompt alone.
 */

import { spawn } from 'node:child_process'
import type { Action, ActionParams, Outcome } from '../../core/action.ts'
import type { Executor } from '../../core/ports-actions.ts'
import type { Environment } from '../host.ts'
import { identityVariables, launchable, notAFolder, programIn, wantedOf } from '../launch.ts'
import { claudeCode } from './host.ts'

export interface BackgroundSurroundings {
  readonly env: Environment
  readonly home: string
}

const LIMIT_MS = 20_000
const STARTED = /\bbackgrounded\b[^0-9a-f]*\b([0-9a-f]{6,16})\b/
/** Nothing else is asked for, or handed to a person to type. */
const JOB = /^[0-9a-f]{6,16}$/

export function backgroundExecutor(around: BackgroundSurroundings): Executor {
  return {
    id: 'background',
    async offers(kind, target, params) {
      if (kind === 'create') return params.host === claudeCode.kind ? offersCreate(around.env) : undefined
      if (target.job === undefined || !JOB.test(target.job) || target.hostKind !== claudeCode.kind) return undefined
      if (kind === 'close') return { can: true }
      return {
        can: false,
        reason: 'it runs in the background, without a tab',
        byHand: `In a terminal: claude attach ${target.job}`,
      }
    },
    async perform(action) {
      return action.kind === 'create' ? create(action, around) : stop(action, around)
    },
  }
}

function offersCreate(env: Environment) {
  if (programIn(env, 'claude') !== undefined) return { can: true } as const
  return { can: false, reason: 'there is no claude in the PATH of this server' } as const
}

async function create({ params }: Action, { env, home }: BackgroundSurroundings): Promise<Outcome> {
  const folder = params.projectPath ?? ''
  const why = notAFolder(folder)
  if (why !== undefined) return { state: 'failed', evidence: `${why}, and nothing was opened` }
  const said = await claude(['--bg', ...argumentsOf(params)], env, { folder, home })
  if (!said.ok) return { state: said.isOpen ? 'unknown' : 'failed', evidence: said.why }
  const job = STARTED.exec(said.out)?.[1]
  if (job === undefined) return { state: 'unknown', evidence: 'claude --bg did not say which job it started' }
  return {
    state: 'done',
    evidence: `claude --bg: job ${job}; it has no window, and waits where it has to ask`,
    byHand: `To look on, in a terminal: claude attach ${job}`,
    place: { job },
  }
}

function argumentsOf(params: ActionParams): readonly string[] {
  return launchable(claudeCode.kind)?.launch.args(wantedOf(params)) ?? []
}

/** Stopped, and not removed: its conversation is the person's. */
async function stop({ target }: Action, { env, home }: BackgroundSurroundings): Promise<Outcome> {
  const { job } = target
  if (job === undefined || !JOB.test(job)) return { state: 'failed', evidence: 'its record names no job' }
  const said = await claude(['stop', job], env, { folder: home, home })
  if (!said.ok) return { state: said.isOpen ? 'unknown' : 'failed', evidence: said.why }
  return {
    state: 'done',
    evidence: `claude stop ${job}: ${said.out.trim().slice(0, 80)}`,
    byHand: `Its conversation is kept: claude attach ${job} goes on with it, claude rm ${job} removes it.`,
  }
}

type Said =
  | { readonly ok: true; readonly out: string }
  | { readonly ok: false; readonly why: string; readonly isOpen: boolean }

function claude(
  args: readonly string[],
  env: Environment,
  { folder, home }: { readonly folder: string; readonly home: string },
): Promise<Said> {
  const program = programIn(env, 'claude')
  if (program === undefined) {
    return Promise.resolve({ ok: false, why: 'there is no claude in the PATH of this server', isOpen: false })
  }
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: folder,
      env: { ...withoutIdentity(env), SESSION_MCP_HOME: home },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
      windowsHide: true,
    })
    let out = ''
    let told = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      told += text
    })
    child.on('error', (fault) =>
      resolve({ ok: false, why: `claude could not be run: ${fault.message}`, isOpen: false }),
    )
    // Not `close`: the service it starts may hold its pipes open.
    child.on('exit', (code, signal) => {
      setTimeout(() => {
        child.stdout.destroy()
        child.stderr.destroy()
        if (code === 0) resolve({ ok: true, out })
        else if (signal !== null)
          resolve({ ok: false, why: `claude did not answer within ${LIMIT_MS} ms`, isOpen: true })
        else resolve({ ok: false, why: `claude says: ${firstLine(told) || `exit code ${code}`}`, isOpen: false })
      }, 50)
    })
  })
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0]?.slice(0, 200) ?? ''
}

/** Nor the terminal of whoever asks: it is not the new session's. */
function withoutIdentity(env: Environment): Record<string, string | undefined> {
  const unwanted = new Set([...identityVariables(), 'TMUX', 'TMUX_PANE'])
  return Object.fromEntries(Object.entries(env).filter(([name]) => !unwanted.has(name)))
}
