/** Which session a conversation is, and making one for a conversation that has none. */

import { freshActivity, observe } from './activity.ts'
import type { Context } from './context.ts'
import type { Conversation, HostTraits, StartSource } from './host-plugin.ts'
import { cleanId } from './ids.ts'
import { requireName } from './name.ts'
import { takeFreeName } from './naming.ts'
import type { Entry } from './ports.ts'
import type { Binding } from './ports-hosts.ts'
import { newSession } from './record.ts'
import type { Session } from './session.ts'

/** The session a conversation was bound to; undefined where no start was seen or it is gone. */
export async function attached(context: Context, conversation: Conversation): Promise<Entry | undefined> {
  const binding = await context.store.hosts.find(cleanId(conversation.hostKey))
  return binding === undefined ? undefined : context.find(binding.sessionId)
}

/**
 * Binds a conversation to its session, which stays the same while the host changes its key: after a clear in the same
 * client, and when a conversation is resumed under another key. A fork is a new session. Makes the session if need be.
 */
export async function attach(
  context: Context,
  traits: HostTraits,
  conversation: Conversation,
  source: StartSource,
): Promise<Entry> {
  const hostKey = cleanId(conversation.hostKey)
  const before = await earlier(context, conversation, source)
  const known = before === undefined || source === 'fork' ? undefined : await context.find(before.sessionId)
  const id = known?.session.id ?? hostKey
  const name = known === undefined ? await nameFor(context, conversation, id) : undefined
  const nowIso = context.nowIso()
  const entry = await context.store.sessions.change(id, (current) => {
    const alive = current !== undefined && !context.isHidden(current) ? current : undefined
    const session =
      alive?.session ?? fresh(context, traits, conversation, id, name, source === 'fork' ? before : undefined)
    const host = hostOf(session, traits, conversation, hostKey)
    // A compaction happens in the middle of a turn; every other start waits for a prompt.
    const activity = alive?.activity ?? freshActivity(id, nowIso)
    const state = source === 'compact' ? activity.state : 'idle'
    return {
      session: { ...session, host, ...(conversation.model !== undefined && { model: conversation.model }) },
      activity: observe(activity, state, `session start (${source})`, nowIso),
    }
  })
  if (entry === undefined) throw new Error('a session was written')
  await context.store.hosts.bind({
    hostKey,
    sessionId: id,
    boundAt: nowIso,
    ...(conversation.client !== undefined && { client: conversation.client }),
    ...(conversation.transcript !== undefined && { transcript: conversation.transcript }),
  })
  return entry
}

async function earlier(
  context: Context,
  conversation: Conversation,
  source: StartSource,
): Promise<Binding | undefined> {
  const { hosts } = context.store
  const { client, transcript, hostKey } = conversation
  const same = await hosts.find(cleanId(hostKey))
  if (same !== undefined && source !== 'fork') return same
  // A new conversation in a client that runs already is a clear or a fork of what it ran before.
  if (client !== undefined && source !== 'startup' && source !== 'resume') {
    const ofClient = await hosts.ofClient(client)
    if (ofClient !== undefined) return ofClient
  }
  return transcript === undefined || source === 'startup' ? undefined : hosts.ofTranscript(transcript)
}

function fresh(
  context: Context,
  traits: HostTraits,
  conversation: Conversation,
  id: string,
  name: string | undefined,
  parent: Binding | undefined,
): Session {
  const project = context.projects.resolve(conversation.projectPath ?? '')
  const session = newSession(
    context,
    id,
    { host: { ...traits }, selfNamed: false },
    { task: '', project, ...(name !== undefined && { name }) },
  )
  // A hook ends with its event; the server of the session names itself at its first call.
  const { server: _, ...host } = session.host
  return { ...session, host, ...(parent !== undefined && { parentSessionId: parent.sessionId }) }
}

function hostOf(session: Session, traits: HostTraits, conversation: Conversation, hostKey: string): Session['host'] {
  const { client, pane } = conversation
  return {
    ...session.host,
    kind: traits.kind,
    ...(traits.version !== undefined && { version: traits.version }),
    hostKey,
    ...(hostKey !== conversation.hostKey && { hostSessionId: conversation.hostKey }),
    ...(client !== undefined && { client }),
    ...(pane !== undefined && { pane }),
    doors: traits.doors,
    hooked: true,
  }
}

/** What the host calls the conversation, else its project’s folder, with a number where that is taken. */
async function nameFor(context: Context, conversation: Conversation, id: string): Promise<string | undefined> {
  const known = await context.find(id)
  if (known !== undefined) return known.session.name
  const folder = (conversation.projectPath ?? '').split(/[\\/]/).filter(Boolean).at(-1) ?? ''
  for (const candidate of [conversation.title ?? '', folder, 'session']) {
    const name = nameOrNothing(candidate)
    const taken = name === undefined ? undefined : await takeFreeName(context, name, id)
    if (taken !== undefined) return taken
  }
  return undefined
}

function nameOrNothing(text: string): string | undefined {
  const letters = text
    .normalize('NFKC')
    .replace(/[^\p{L}\p{M}\p{N} ._-]+/gu, '-')
    .replace(/^[^\p{L}\p{N}]+/u, '')
  try {
    return requireName([...letters].slice(0, 40).join(''))
  } catch {
    return undefined // nothing of it may stand in a name
  }
}
