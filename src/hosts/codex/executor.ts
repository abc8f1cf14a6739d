/** Tabs of Codex where its background server holds the conversation: terminals only show it. */

import { randomBytes } from 'node:crypto'
import path from 'node:path'
import type { Action, ActionKind, ActionTarget, Outcome } from '../../core/action.ts'
import type { Executor, Offer } from '../../core/ports-actions.ts'
import type { Environment } from '../host.ts'
import { notAFolder } from '../launch.ts'
import type { View } from '../view.ts'
import { type AppServer, reach } from './app-server.ts'
import { codex } from './host.ts'
import { cancel, close, holds, nameOf, rename, resumeLine, setModel, start } from './threads.ts'

const ID = 'app-server'
/** Its ids are UUIDs: nothing else is asked for, or handed to a person to type. */
const THREAD = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** For sessions that are there. */
export function threadsExecutor({ view }: { readonly view: View }): Executor {
  return {
    id: ID,
    async offers(kind, target) {
      const { folder, hostSessionId } = target
      if (kind === 'create' || kind === 'send_message' || target.hostKind !== codex.kind) return undefined
      if (folder === undefined || !THREAD.test(hostSessionId)) return undefined
      return within(folder, async (server) => {
        if (!(await holds(server, hostSessionId))) {
          const reason = 'the background server of Codex does not hold the conversation now'
          return { can: false, reason, byHand: byHand(hostSessionId) }
        }
        return kind in OPERATIONS ? { can: true } : shownElsewhere(kind, hostSessionId)
      })
    },
    async perform(action) {
      const { folder, hostSessionId } = action.target
      const operation = OPERATIONS[action.kind]
      if (folder === undefined || operation === undefined)
        return { state: 'unsupported', evidence: `the background server of Codex cannot ${action.kind}` }
      const done = await within(folder, async (server): Promise<Outcome> => {
        // It may have been left to a terminal since it was asked for, and two programs would write it.
        if (await holds(server, hostSessionId)) return operation(server, hostSessionId, action, view)
        return { state: 'failed', evidence: 'the background server of Codex does not hold the conversation any more' }
      })
      return toOutcome(done)
    },
  }
}

/** For new ones, without a window: for people without tmux. */
export function openingExecutor({ env }: { readonly env: Environment }): Executor {
  return {
    id: ID,
    async offers(kind, target, params) {
      if (kind !== 'create' || params.host !== codex.kind) return undefined
      const folder = folderFor(env, target)
      return folder === undefined ? undefined : within(folder, async () => ({ can: true }))
    },
    async perform({ target, params }) {
      const cwd = params.projectPath ?? ''
      const why = notAFolder(cwd)
      if (why !== undefined) return { state: 'failed', evidence: `${why}, and nothing was opened` }
      const folder = folderFor(env, target)
      if (folder === undefined) return { state: 'failed', evidence: 'where Codex keeps its conversations is not known' }
      const { name, model, prompt = '' } = params
      return toOutcome(await within(folder, (server) => start(server, folder, { cwd, name, model, prompt })))
    },
  }
}

type Operation = (server: AppServer, threadId: string, action: Action, view: View) => Promise<Outcome>

const OPERATIONS: Readonly<Partial<Record<ActionKind, Operation>>> = {
  cancel,
  async close(server, threadId, { target }, view) {
    const isShown = await isInWindow(server, threadId, target, view)
    const closed = await close(server, threadId)
    if (target.view === undefined || closed.state !== 'done') return closed
    const window = isShown ? await view.close(target) : undefined
    const why = `its window (pane ${target.pane}) stays: that it shows this conversation is not certain`
    return { ...closed, evidence: `${closed.evidence}; ${window ?? why}` }
  },
  async rename(server, threadId, { target, params: { name = '' } }, view) {
    const renamed = await rename(server, threadId, name)
    if (target.view === undefined || renamed.state !== 'done') return renamed
    const window = (await view.shows(target, name)) ? await view.rename(target, name) : undefined
    return window === undefined ? renamed : { ...renamed, evidence: `${renamed.evidence}; ${window}` }
  },
  set_model: (server, threadId, { params }) => setModel(server, threadId, params.model ?? ''),
}

/**
 * A person may have gone on to another conversation in the window. Terminals show the name of theirs and follow its changes,
 * so a name that nothing else has, for a moment, tells.
 */
async function isInWindow(server: AppServer, threadId: string, target: ActionTarget, view: View): Promise<boolean> {
  if (target.view === undefined) return false
  const before = (await nameOf(server, threadId)) ?? target.name
  if (before === undefined) return false
  const sign = `closing ${randomBytes(4).toString('hex')}`
  if ((await rename(server, threadId, sign)).state !== 'done') return false
  try {
    return await view.shows(target, sign)
  } finally {
    await rename(server, threadId, before)
  }
}

function shownElsewhere(kind: ActionKind, threadId: string): Offer {
  if (kind === 'set_scene') return { can: false, reason: 'Codex has no scenes', byHand: 'Tell it with send_message.' }
  return {
    can: false,
    reason: 'its conversation runs in the background server of Codex, and no window is known that shows it',
    byHand: byHand(threadId),
  }
}

function byHand(threadId: string): string {
  return `In a terminal: ${resumeLine(threadId)}`
}

/** Of the one who asks where that is a session of Codex: its servers are given no CODEX_HOME. */
function folderFor(env: Environment, { beside }: ActionTarget): string | undefined {
  const home = env['HOME']
  return beside?.folder ?? (env['CODEX_HOME'] || (home === undefined ? undefined : path.join(home, '.codex')))
}

type Refused = { readonly can: false; readonly reason: string }

/** With the server of that folder; undefined where none runs. */
async function within<T>(folder: string, body: (server: AppServer) => Promise<T>): Promise<T | Refused | undefined> {
  const server = await reach(folder)
  if (server === undefined) return undefined
  if (typeof server === 'string') return { can: false, reason: server }
  try {
    return await body(server)
  } finally {
    server.close()
  }
}

function toOutcome(done: Outcome | Refused | undefined): Outcome {
  if (done === undefined) return { state: 'failed', evidence: 'no background server of Codex runs any more' }
  return 'can' in done ? { state: 'failed', evidence: done.reason } : done
}
