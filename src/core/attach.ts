/** Which session a conversation is, and making one for a conversation that has none. */

import { type Clash, freshActivity, observe } from './activity.ts'
import type { Context } from './context.ts'
import type { Conversation, HostTraits, StartSource } from './host-plugin.ts'
import { noteClash, sameProcess } from './identify.ts'
import { cleanId } from './ids.ts'
import { requireName } from './name.ts'
import { takeFreeName } from './naming.ts'
import type { Entry, ProcessRef } from './ports.ts'
import type { Binding } from './ports-hosts.ts'
import { newSession } from './record.ts'
import type { Session } from './session.ts'

/** The session a conversation was bound to; undefined where no start was seen or it is gone. */
export async function attached(context: Context, conversation: Conversation): Promise<Entry | undefined> {
  const binding = await bindingOf(context, conversation)
  return binding === undefined ? undefined : context.find(binding.sessionId)
}

/**
 * Binds a conversation to its session, which stays the same while the host changes its key: after a clear in the same
 * client, and when a conversation is resumed under another key. A fork is a new session, and so is a conversation that is
 * still open in another client. Makes the session if need be.
 */
export async function attach(
  context: Context,
  traits: HostTraits,
  conversation: Conversation,
  source: StartSource,
): Promise<Entry> {
  const hostKey = cleanId(conversation.hostKey)
  const before = await earlier(context, conversation, source)
  const found = before === undefined || source === 'fork' ? undefined : await context.find(before.sessionId)
  const elsewhere = found === undefined ? undefined : await openElsewhere(context, conversation, found)
  const known = elsewhere === undefined ? found : undefined
  const key = elsewhere === undefined ? keyAsBefore(conversation, before) : await freeKey(context, conversation)
  const id = known?.session.id ?? key
  const name = known === undefined ? await nameFor(context, conversation, id) : undefined
  const parent = source === 'fork' || elsewhere !== undefined ? before : undefined
  const nowIso = context.nowIso()
  const entry = await context.store.sessions.change(id, (current) => {
    const alive = current !== undefined && !context.isHidden(current) ? current : undefined
    const session = alive?.session ?? fresh(context, traits, conversation, id, name, parent)
    const host = hostOf(session, traits, conversation, hostKey)
    // A compaction happens in the middle of a turn; every other start waits for a prompt.
    const activity = alive?.activity ?? freshActivity(id, nowIso)
    const state = source === 'compact' ? activity.state : 'idle'
    const clash: Clash | undefined = elsewhere && { at: nowIso, pid: elsewhere.pid, outcome: 'branched' }
    return {
      session: { ...session, host, ...(conversation.model !== undefined && { model: conversation.model }) },
      activity: { ...observe(activity, state, `session start (${source})`, nowIso), ...(clash && { clash }) },
    }
  })
  if (entry === undefined) throw new Error('a session was written')
  if (found !== undefined && elsewhere !== undefined) {
    await noteClash(context, found.session.id, 'opened-twice', conversation.client?.pid)
    await context.store.hosts.mark(found.session.host.hostKey)
  }
  await bind(context, key, id, conversation)
  return entry
}

/** The client, where it says which conversation this is. */
export function ownClient({ client, isClientShared }: Conversation): ProcessRef | undefined {
  return isClientShared === true ? undefined : client
}

async function bind(context: Context, hostKey: string, sessionId: string, conversation: Conversation): Promise<void> {
  const { transcript } = conversation
  const client = ownClient(conversation)
  const isShared = (await context.store.hosts.find(hostKey))?.isShared
  await context.store.hosts.bind({
    hostKey,
    sessionId,
    boundAt: context.nowIso(),
    ...(client !== undefined && { client }),
    ...(transcript !== undefined && { transcript }),
    ...(isShared && { isShared }),
  })
}

/** One key is one session, until its conversation is open in two clients: then the client says which. */
async function bindingOf(context: Context, conversation: Conversation): Promise<Binding | undefined> {
  const { hosts } = context.store
  const binding = await hosts.find(cleanId(conversation.hostKey))
  // The client is asked only where it matters: finding it out costs every hook a walk through the process table.
  if (binding !== undefined && binding.isShared !== true) return binding
  const own = ownKey(conversation)
  return (own === undefined ? undefined : await hosts.find(own)) ?? binding
}

/** The key of a conversation in this very client. */
function ownKey(conversation: Conversation): string | undefined {
  const { hostKey } = conversation
  const client = ownClient(conversation)
  return client === undefined ? undefined : cleanId(`${hostKey} ${client.pid} ${client.start}`)
}

function keyAsBefore(conversation: Conversation, before: Binding | undefined): string {
  const own = ownKey(conversation)
  return own !== undefined && before?.hostKey === own ? own : cleanId(conversation.hostKey)
}

/** For a conversation that is open elsewhere: the host’s key where nobody has it, else one of this client. */
async function freeKey(context: Context, conversation: Conversation): Promise<string> {
  const { hosts } = context.store
  const hostKey = cleanId(conversation.hostKey)
  const taken = await hosts.find(hostKey)
  if (taken === undefined) return hostKey
  await hosts.bind({ ...taken, isShared: true })
  return ownKey(conversation) ?? hostKey
}

/** The other client that has the session open. One that ended it, or went on to another conversation, has not. */
async function openElsewhere(
  context: Context,
  conversation: Conversation,
  { session, activity }: Entry,
): Promise<ProcessRef | undefined> {
  const client = ownClient(conversation)
  const other = session.host.client
  if (client === undefined || other === undefined || sameProcess(client, other)) return undefined
  if (activity?.state === 'ended' || context.processes.check(other) !== 'alive') return undefined
  return (await context.store.hosts.ofClient(other))?.sessionId === session.id ? other : undefined
}

async function earlier(
  context: Context,
  conversation: Conversation,
  source: StartSource,
): Promise<Binding | undefined> {
  const { hosts } = context.store
  const { transcript } = conversation
  const client = ownClient(conversation)
  const same = await bindingOf(context, conversation)
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
