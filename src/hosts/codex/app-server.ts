/**
 * The background server of Codex, by its control socket: JSON messages in a WebSocket (0.171, November 2026). Every call has
 * a limit, and nothing is sent before the socket is known to be this user's alone.
 */

import fs from 'node:fs'
import path from 'node:path'
import { record } from '../entries.ts'
import { dial } from './websocket.ts'

export type Answer =
  | { readonly ok: true; readonly result: Readonly<Record<string, unknown>> }
  /** `isOpen`: the time was over, and whether it was done nobody can say. */
  | { readonly ok: false; readonly why: string; readonly isOpen: boolean }

export interface AppServer {
  call(method: string, params: object): Promise<Answer>
  close(): void
}

const LIMIT_MS = 5_000
const SAID = 200

/** @returns undefined where none runs, the reason where one does not answer or is not this user's own. */
export async function reach(codexHome: string): Promise<AppServer | string | undefined> {
  const found = realSocket(codexHome)
  if (found === undefined) return undefined
  if ('why' in found) return found.why
  try {
    return await greet(found.socket)
  } catch (fault) {
    // What a server that was killed leaves behind.
    if (['ECONNREFUSED', 'ENOENT'].includes((fault as NodeJS.ErrnoException).code ?? '')) return undefined
    return `the background server of Codex does not answer (${fault instanceof Error ? fault.message : String(fault)})`
  }
}

/** A stranger's server would be told what only our user's may know. The socket is a link into a folder with a short path. */
function realSocket(codexHome: string): { readonly socket: string } | { readonly why: string } | undefined {
  const me = process.getuid?.()
  if (me === undefined) return undefined
  try {
    const directory = path.join(fs.realpathSync(codexHome), 'app-server-control')
    const socket = fs.realpathSync(path.join(directory, 'app-server-control.sock'))
    for (const place of [path.dirname(directory), directory, path.dirname(socket)]) {
      const facts = fs.lstatSync(place)
      if (!facts.isDirectory()) return { why: `${place} is not a folder` }
      if (facts.uid !== me) return { why: `${place} belongs to another user, so nothing is sent there` }
      if ((facts.mode & 0o022) !== 0) return { why: `${place} can be changed by other users, so nothing is sent there` }
    }
    const found = fs.lstatSync(socket)
    if (!found.isSocket()) return { why: `${socket} is not the socket of a server` }
    return found.uid === me ? { socket } : { why: `${socket} belongs to another user, so nothing is sent there` }
  } catch {
    return undefined // no server was ever started for this folder, or it has ended
  }
}

async function greet(socket: string): Promise<AppServer> {
  const waiting = new Map<number, (answer: Answer) => void>()
  let lost: string | undefined
  let id = 0
  const wire = await dial(socket, LIMIT_MS, {
    onText(text) {
      const message = parsed(text)
      // Requests of the server to its clients (may this command run?) are a person's to answer, and have a method.
      if (typeof message['id'] !== 'number' || message['method'] !== undefined) return
      waiting.get(message['id'])?.(answerIn(message))
    },
    onEnd(why) {
      lost = `the background server of Codex: ${why}`
      for (const answer of waiting.values()) answer({ ok: false, why: lost, isOpen: true })
    },
  })
  const call = (method: string, params: object): Promise<Answer> => {
    if (lost !== undefined) return Promise.resolve({ ok: false, why: lost, isOpen: false })
    id += 1
    const own = id
    return new Promise((resolve) => {
      const settle = (answer: Answer) => {
        clearTimeout(timer)
        waiting.delete(own)
        resolve(answer)
      }
      const why = `the background server of Codex did not answer ${method} within ${LIMIT_MS / 1000} s`
      const timer = setTimeout(() => settle({ ok: false, why, isOpen: true }), LIMIT_MS)
      waiting.set(own, settle)
      wire.send(JSON.stringify({ id: own, method, params }))
    })
  }
  const clientInfo = { name: 'session-mcp', title: 'session-mcp', version: '0' }
  // The model of a conversation can only be set by a method that its makers may still change.
  const greeted = await call('initialize', { clientInfo, capabilities: { experimentalApi: true } })
  if (!greeted.ok) {
    wire.close()
    throw new Error(greeted.why)
  }
  wire.send(JSON.stringify({ method: 'initialized' }))
  return { call, close: () => wire.close() }
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return record(JSON.parse(text))
  } catch {
    return {}
  }
}

function answerIn(message: Readonly<Record<string, unknown>>): Answer {
  const { error } = message
  if (error === undefined) return { ok: true, result: record(message['result']) }
  const told = String(record(error)['message'] ?? 'an error')
    .replace(/[^\P{C}]/gu, ' ')
    .slice(0, SAID)
  return { ok: false, why: `Codex says: ${told}`, isOpen: false }
}
