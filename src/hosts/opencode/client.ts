/** The calls of OpenCode's own client that the adapter makes. In its process, so they work without a port. */

import { type ModelChoice, readSession, record, type SessionInfo } from './payload.ts'

/** What OpenCode hands to a plugin as `client`: not typed here, since a newer version may have another one. */
export type Client = Readonly<Record<string, unknown>>

/** Undefined where there is no such session. @throws Error where the client is another one than we know. */
export async function sessionOf(client: Client, id: string): Promise<SessionInfo | undefined> {
  return readSession(record(await callOf(client, 'session', 'get')({ path: { id } }))['data'])
}

export interface TurnOptions {
  readonly agent?: string | undefined
  readonly model?: ModelChoice | undefined
  /** Where the session works, if that is another folder than the client's own. */
  readonly directory?: string | undefined
}

/**
 * Starts a turn with `text` as its prompt, or adds it to the one that runs. Agent and model are said, since otherwise
 * OpenCode takes its default agent, and a session in plan mode would begin to write.
 * @throws Error with OpenCode's answer where it refuses.
 */
export async function startTurn(client: Client, id: string, text: string, options: TurnOptions): Promise<void> {
  const { agent, model, directory } = options
  const { variant, ...choice } = model ?? {}
  const body = {
    parts: [{ type: 'text', text }],
    ...(agent !== undefined && { agent }),
    ...(model !== undefined && { model: choice }),
    ...(variant !== undefined && { variant }),
  }
  const query = directory === undefined ? {} : { query: { directory } }
  const { error } = record(await callOf(client, 'session', 'promptAsync')({ path: { id }, body, ...query }))
  if (error !== undefined) throw new Error(`OpenCode refused a prompt: ${JSON.stringify(error)}`)
}

type Call = (options: unknown) => Promise<unknown>

/** @throws Error naming what this version of OpenCode does not have. */
export function callOf(client: Client, group: string, name: string): Call {
  const owner = client[group] as Record<string, unknown> | undefined
  const call = owner?.[name]
  if (typeof call !== 'function') throw new Error(`OpenCode's client has no ${group}.${name}`)
  return (options) => (call as Call).call(owner, options)
}
