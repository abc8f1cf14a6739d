/** The token that binds a new conversation to the record that was made for it: once, and only whoever was given it. */

import { isId } from './ids.ts'
import { LIMITS } from './limits.ts'
import type { Entry } from './ports.ts'
import type { ProcessRef } from './process-ref.ts'
import type { Session } from './session.ts'

/** The environment variable a started host gets it in. */
export const SPAWN_ENV = 'SESSION_MCP_SPAWN'

const TOKEN = /^([A-Za-z0-9_-]{1,128})\.[0-9a-z]{20}$/
const LINE = /\(session-mcp spawn ([A-Za-z0-9_-]{1,128}\.[0-9a-z]{20})\)/g

export function spawnToken(id: string, secret: string): string {
  return `${id}.${secret}`
}

/** The line by which hosts that pass on no environment get it: the end of the first prompt. */
export function spawnLine(token: string): string {
  return `(session-mcp spawn ${token})`
}

/** Ours is the last one: a prompt may quote another. */
export function spawnTokenIn(prompt: string): string | undefined {
  return lastLine(prompt)?.[1]
}

/** The prompt for a model whose host is told of the token in another way. */
export function withoutSpawnLine(prompt: string): string {
  const line = lastLine(prompt)
  if (line === undefined) return prompt.trimEnd()
  return (prompt.slice(0, line.index) + prompt.slice(line.index + line[0].length)).trimEnd()
}

function lastLine(prompt: string): RegExpExecArray | undefined {
  return [...prompt.matchAll(LINE)].at(-1)
}

/** The id of the record a token is for. */
export function spawnedId(token: string | undefined): string | undefined {
  const id = token === undefined ? undefined : TOKEN.exec(token)?.[1]
  return id !== undefined && isId(id) ? id : undefined
}

/** May whoever shows this token speak for the session? Once it is bound, only in the client that bound it. */
export function opens(token: string | undefined, { session }: Entry, isClient: (ref: ProcessRef) => boolean): boolean {
  const { spawn, host } = session
  if (spawn === undefined || spawn.token !== token) return false
  return spawn.boundAt === undefined || (host.client !== undefined && isClient(host.client))
}

/** The record once its conversation has shown itself. */
export function bound(session: Session, nowIso: string): Session {
  const { spawn } = session
  return spawn === undefined || spawn.boundAt !== undefined
    ? session
    : { ...session, spawn: { ...spawn, boundAt: nowIso } }
}

/** A created session whose host never told us of it. */
export function neverRegistered({ spawn }: Session, nowMs: number): boolean {
  if (spawn === undefined || spawn.boundAt !== undefined) return false
  return Math.abs(nowMs - Date.parse(spawn.at)) > LIMITS.spawnWaitMs
}
