/**
 * What the background server of Codex does to a conversation it holds, each looked at afterwards (0.171, November 2026).
 * Nothing here answers what Codex asks its person, and nothing is said about permissions: they are as the person set them.
 */

import { setTimeout as delay } from 'node:timers/promises'
import type { Outcome } from '../../core/action.ts'
import { record } from '../entries.ts'
import type { Answer, AppServer } from './app-server.ts'

/** How long a turn may take to end, ms. */
const END_MS = 4_000
const LOOK_MS = 100

const BY = 'app server of Codex'

export async function cancel(server: AppServer, threadId: string): Promise<Outcome> {
  const turn = await lastTurn(server, threadId)
  if (typeof turn === 'string') return { state: 'failed', evidence: turn }
  if (turn.status !== 'inProgress') return { state: 'failed', evidence: 'it has no turn that could be cancelled' }
  const said = await server.call('turn/interrupt', { threadId, turnId: turn.id })
  if (!said.ok) return notDone(said)
  const untilMs = performance.now() + END_MS
  for (;;) {
    const now = await lastTurn(server, threadId)
    const status = typeof now === 'string' || now.id !== turn.id ? 'unknown' : now.status
    if (status === 'interrupted') {
      // Its queue stands still until then, whoever broke the turn off: looked at in November 2026.
      const evidence = `${BY}: turn ${turn.id} is ${status}; until the next prompt in its terminal no mail wakes it`
      return { state: 'done', evidence, byHand: `To go on, in a terminal: ${resumeLine(threadId)}` }
    }
    if (status === 'completed' || status === 'failed')
      return { state: 'failed', evidence: `${BY}: turn ${turn.id} ended by itself first (${status})` }
    if (performance.now() >= untilMs)
      return { state: 'unknown', evidence: `${BY}: turn/interrupt was accepted, and turn ${turn.id} is ${status}` }
    await delay(LOOK_MS)
  }
}

export async function rename(server: AppServer, threadId: string, name: string): Promise<Outcome> {
  const said = await server.call('thread/name/set', { threadId, name })
  if (!said.ok) return notDone(said)
  return looked((await nameOf(server, threadId)) === name, `its name is ${JSON.stringify(name)} now`)
}

export async function nameOf(server: AppServer, threadId: string): Promise<string | undefined> {
  const { name } = await threadOf(server, threadId)
  return typeof name === 'string' && name !== '' ? name : undefined
}

/** From the next turn on. The default of new sessions stays. */
export async function setModel(server: AppServer, threadId: string, model: string): Promise<Outcome> {
  const said = await server.call('thread/settings/update', { threadId, model })
  if (!said.ok) return notDone(said)
  const { model: now } = await threadOf(server, threadId)
  return looked(now === model, `its turns from the next one on ask ${model}; whether there is such a model shows then`)
}

/** Archiving ends what runs of it; it is taken out of the archive at once, so that a person finds it where it was. */
export async function close(server: AppServer, threadId: string): Promise<Outcome> {
  const said = await server.call('thread/archive', { threadId })
  if (!said.ok) return notDone(said)
  const back = await server.call('thread/unarchive', { threadId })
  if (!back.ok) {
    return {
      state: 'done',
      evidence: `${BY}: the conversation is ended and archived`,
      byHand: `To have it in the list again, in a terminal: codex unarchive ${threadId}`,
    }
  }
  const isGone = (await statusOf(server, threadId)) === 'notLoaded'
  return {
    ...looked(isGone, 'the conversation is ended, and kept'),
    byHand: `To go on with it, in a terminal: codex resume ${threadId}`,
  }
}

export interface Wanted {
  readonly cwd: string
  readonly prompt: string
  readonly name?: string | undefined
  readonly model?: string | undefined
}

export async function start(server: AppServer, folder: string, wanted: Wanted): Promise<Outcome> {
  const { cwd, prompt, name, model } = wanted
  const started = await server.call('thread/start', { cwd, ...(model !== undefined && { model }) })
  if (!started.ok) return notDone(started)
  const threadId = record(started.result['thread'])['id']
  if (typeof threadId !== 'string') return { state: 'unknown', evidence: `${BY}: it did not say what it started` }
  if (name !== undefined) await server.call('thread/name/set', { threadId, name })
  const input = [{ type: 'text', text: prompt, text_elements: [] }]
  const turn = await server.call('turn/start', { threadId, input })
  // A conversation without a turn leaves nothing behind once nobody is connected to it.
  if (!turn.ok) return notDone(turn)
  return {
    state: 'done',
    evidence: `${BY}: thread ${threadId} in ${cwd}, ${await statusOf(server, threadId)}; it has no window, and waits where it has to ask`,
    byHand: `To look on, in a terminal: ${resumeLine(threadId)}`,
    place: { folder, hostSessionId: threadId },
  }
}

export function resumeLine(threadId: string): string {
  return `codex resume ${threadId}`
}

/** Whether the server holds it: a conversation that a terminal runs by itself is not the server's to touch. */
export async function holds(server: AppServer, threadId: string): Promise<boolean> {
  return !['notLoaded', 'unknown'].includes(await statusOf(server, threadId))
}

async function statusOf(server: AppServer, threadId: string): Promise<string> {
  return String(record((await threadOf(server, threadId))['status'])['type'] ?? 'unknown')
}

async function threadOf(server: AppServer, threadId: string): Promise<Readonly<Record<string, unknown>>> {
  const said = await server.call('thread/read', { threadId })
  return said.ok ? record(said.result['thread']) : {}
}

/** @returns the reason where it cannot be seen. */
async function lastTurn(
  server: AppServer,
  threadId: string,
): Promise<{ readonly id: string; readonly status: string } | string> {
  const said = await server.call('thread/turns/list', { threadId, limit: 1, itemsView: 'notLoaded' })
  if (!said.ok) return said.why
  const { data } = said.result
  const { id, status } = record(Array.isArray(data) ? data[0] : undefined)
  return typeof id === 'string' ? { id, status: String(status) } : 'it has had no turn yet'
}

function looked(isSo: boolean, what: string): Outcome {
  return isSo
    ? { state: 'done', evidence: `${BY}: ${what}` }
    : { state: 'unknown', evidence: `${BY}: it was accepted, and a look at the conversation does not show it` }
}

function notDone(said: Extract<Answer, { ok: false }>): Outcome {
  return { state: said.isOpen ? 'unknown' : 'failed', evidence: said.why }
}
