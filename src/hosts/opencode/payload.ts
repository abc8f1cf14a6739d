/**
 * What OpenCode gives its plugins, as far as it is needed. Field names as observed with 1.18 in November 2026; nothing is
 * taken for granted, since a newer version may rename any of it, and then the plugin is silent.
 */

export interface ModelChoice {
  readonly providerID: string
  readonly modelID: string
  readonly variant?: string
}

/** A session as `session.created`, `session.updated` and `GET /session/{id}` describe it. */
export interface SessionInfo {
  readonly id: string
  /** Set for the sessions of subagents. */
  readonly parentId: string | undefined
  readonly directory: string | undefined
  /** Undefined while it is one that OpenCode made up. */
  readonly title: string | undefined
  readonly agent: string | undefined
  readonly model: ModelChoice | undefined
  readonly version: string | undefined
  readonly isArchived: boolean
}

export interface OpencodeEvent {
  readonly type: string
  readonly sessionId: string | undefined
  readonly info: SessionInfo | undefined
  /** Of `session.status`: `busy`, `idle`, `retry`. */
  readonly status: string | undefined
}

const MADE_UP = /^(New session|Child session) - \d{4}-\d{2}-\d{2}T[\d:.]+Z$| \(fork #\d+\)$/

export function readSession(raw: unknown): SessionInfo | undefined {
  const { id, parentID, directory, title, agent, model, version, time } = record(raw)
  const sessionId = text(id)
  if (sessionId === undefined) return undefined
  const called = text(title)
  return {
    id: sessionId,
    parentId: text(parentID),
    directory: text(directory),
    title: called === undefined || MADE_UP.test(called) ? undefined : called,
    agent: text(agent),
    model: readModel(model),
    version: text(version),
    // 0 is how a client takes it back.
    isArchived: Number(record(time)['archived'] ?? 0) > 0,
  }
}

export function readEvent(raw: unknown): OpencodeEvent | undefined {
  const { type, properties } = record(record(raw)['event'])
  const kind = text(type)
  if (kind === undefined) return undefined
  const { sessionID, info, status } = record(properties)
  const session = kind.startsWith('session.') ? readSession(info) : undefined
  return {
    type: kind,
    sessionId: text(sessionID) ?? session?.id,
    info: session,
    status: text(record(status)['type']),
  }
}

/** What a person, or we in their place, said: the output of `chat.message`. */
export function promptIn(output: unknown): { readonly prompt: string; readonly agent: string | undefined } {
  const { message, parts } = record(output)
  const texts = (Array.isArray(parts) ? parts : []).flatMap((part: unknown) => text(record(part)['text']) ?? [])
  return { prompt: texts.join('\n'), agent: text(record(message)['agent']) }
}

export function sessionIn(input: unknown): string | undefined {
  return text(record(input)['sessionID'])
}

/** Titles and summaries are made by requests of their own, which nobody should be told of mail in. */
export function isForTitle(system: readonly unknown[]): boolean {
  return (
    typeof system[0] === 'string' && /^\s*You are a (title generator|context summarization agent)\b/.test(system[0])
  )
}

/**
 * Tells our tools from others, whatever a person called our server: OpenCode calls a tool `<server>_<tool>`, with what may
 * not stand in a tool's name replaced.
 * @param script our server as it lies beside the plugin.
 */
export function toolsOf(config: unknown, script: string): (tool: string) => boolean {
  const servers = Object.entries(record(record(config)['mcp'])).map(([name, server]) => {
    return { prefix: prefixOf(name), isOurs: name === OUR_NAME || starts(server, script) }
  })
  servers.push({ prefix: prefixOf(OUR_NAME), isOurs: true })
  return (tool) => {
    const matching = servers.filter(({ prefix }) => tool.startsWith(prefix))
    // Of `bus` and `bus_two` the longer one is meant.
    return matching.sort((a, b) => b.prefix.length - a.prefix.length)[0]?.isOurs === true
  }
}

const OUR_NAME = 'session-mcp'

function prefixOf(server: string): string {
  return `${server.replace(/[^a-zA-Z0-9_-]/g, '_')}_`
}

function starts(server: unknown, script: string): boolean {
  const { command } = record(server)
  const words = (Array.isArray(command) ? command : []).filter((word): word is string => typeof word === 'string')
  return words.some((word) => word === script || /(^|[\\/])session-mcp([\\/@]|$)/.test(word))
}

/** In a session it is `{id, providerID}`, in a message `{modelID, providerID}`. */
function readModel(raw: unknown): ModelChoice | undefined {
  const { id, modelID, providerID, variant } = record(raw)
  const [provider, model, kind] = [text(providerID), text(modelID) ?? text(id), text(variant)]
  if (provider === undefined || model === undefined) return undefined
  return { providerID: provider, modelID: model, ...(kind !== undefined && kind !== 'default' && { variant: kind }) }
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}
