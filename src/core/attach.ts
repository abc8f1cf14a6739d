/** Which session a conversation is, and making one for a conversation that has none. */

import { type Clash, freshActivity, observe } from './activity.ts'
import type { Context } from './context.ts'
import type { Conversation, HostTraits, StartSource } from './host-plugin.ts'
import { noteClash } from './identify.ts'
import { cleanId } from './ids.ts'
import { folderOf, takeNameOutOf } from './naming.ts'
import type { Entry, ProcessRef } from './ports.ts'
import type { Binding } from './ports-hosts.ts'
import { sameProcess } from './process-ref.ts'
import { newSession } from './record.ts'
import type { Session } from './session.ts'
import { withSetting } from './setting.ts'
import { bound, opens, spawnedId } from './spawn.ts'

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
  const spawned = await spawnedFor(context, conversation)
  const before = spawned === undefined ? await earlier(context, conversation, source) : undefined
  const found = before === undefined || source === 'fork' ? spawned : await context.find(before.sessionId)
  const elsewhere = found === undefined ? undefined : await openElsewhere(context, traits, conversation, found)
  const known = elsewhere === undefined ? found : undefined
  const key = elsewhere === undefined ? keyAsBefore(conversation, before) : await freeKey(context, conversation)
  const id = known?.session.id ?? key
  const name = known === undefined ? await nameFor(context, conversation, id) : undefined
  const parent = source === 'fork' || elsewhere !== undefined ? before : undefined
  const nowIso = context.nowIso()
  let isLost = false
  const entry = await context.store.sessions.change(id, (current) => {
    const alive = current !== undefined && !context.isHidden(current) ? current : undefined
    isLost = known !== undefined && known === spawned && !isStillFor(conversation, known, alive)
    if (isLost) return undefined
    const session = alive?.session ?? fresh(context, traits, conversation, id, name, parent)
    const host = hostOf(session, traits, conversation, hostKey)
    // A compaction keeps what was; every other start waits for a prompt.
    const activity = alive?.activity ?? freshActivity(id, nowIso)
    const state = source === 'compact' ? activity.state : 'idle'
    const clash: Clash | undefined = elsewhere && { at: nowIso, pid: elsewhere.pid, outcome: 'branched' }
    return {
      session: withSetting({ ...bound(session, nowIso), host }, conversation),
      activity: { ...observe(activity, state, `session start (${source})`, nowIso), ...(clash && { clash }) },
    }
  })
  // Of two that show one token at once, the other was faster: look again who this is.
  if (isLost) return attach(context, traits, conversation, source)
  if (entry === undefined) throw new Error('a session was written')
  if (found !== undefined && elsewhere !== undefined) {
    await noteClash(context, found.session.id, 'opened-twice', conversation.client?.pid)
  }
  // Now every record that shows the turn holds it. A compaction happens in the middle of one.
  if (source !== 'compact') await forgetTurn(context, hostKey)
  const keyBefore = known?.session.host.hostKey
  if (keyBefore !== undefined && keyBefore !== hostKey) await forgetTurn(context, keyBefore)
  await bind(context, traits, key, id, conversation)
  return entry
}

/**
 * The record that create_session made for this conversation: its token names it, or a host that took over its id. Whoever
 * has bound it is found by that from then on; what runs inside inherits the token and is somebody else.
 */
async function spawnedFor(context: Context, { spawn, hostKey, client }: Conversation): Promise<Entry | undefined> {
  const entry = await context.find(spawnedId(spawn) ?? cleanId(hostKey))
  if (entry?.session.spawn === undefined) return undefined
  const isOurs = (ref: ProcessRef) => client !== undefined && sameProcess(ref, client)
  const { boundAt } = entry.session.spawn
  if (boundAt === undefined) return spawn === undefined || opens(spawn, entry, isOurs) ? entry : undefined
  const isKnown = client === undefined || (await context.store.hosts.ofClient(client)) !== undefined
  return !isKnown && opens(spawn, entry, isOurs) ? entry : undefined
}

/** False where the record went, or another conversation bound it, since it was looked at. */
function isStillFor({ hostKey, client }: Conversation, before: Entry, now: Entry | undefined): boolean {
  if (now === undefined) return false
  const { spawn, host } = now.session
  if (spawn?.boundAt === before.session.spawn?.boundAt || host.hostKey === cleanId(hostKey)) return true
  return client !== undefined && host.client !== undefined && sameProcess(host.client, client)
}

/** What was noted at the last prompt of a conversation that begins anew, or goes on under another key. */
async function forgetTurn(context: Context, hostKey: string): Promise<void> {
  await context.store.hosts.ungate(hostKey)
  await context.store.hosts.endTurn(hostKey)
}

async function bind(
  context: Context,
  traits: HostTraits,
  hostKey: string,
  sessionId: string,
  conversation: Conversation,
): Promise<void> {
  const { transcript } = conversation
  // Else a call that does not say who makes it would count as one of the conversation that began last.
  const client = traits.sharesClient ? undefined : conversation.client
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
function ownKey({ hostKey, client }: Conversation): string | undefined {
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
  await hosts.ungate(hostKey)
  return ownKey(conversation) ?? hostKey
}

/** The other client that has the session open. One that ended it, or went on to another conversation, has not. */
async function openElsewhere(
  context: Context,
  traits: HostTraits,
  { client }: Conversation,
  { session, activity }: Entry,
): Promise<ProcessRef | undefined> {
  const other = session.host.client
  if (client === undefined || other === undefined || sameProcess(client, other)) return undefined
  if (activity?.state === 'ended' || context.processes.check(other) !== 'alive') return undefined
  if (traits.opensOnce) return undefined
  // A client of several conversations goes on with all of them.
  if (traits.sharesClient) return other
  return (await context.store.hosts.ofClient(other))?.sessionId === session.id ? other : undefined
}

async function earlier(
  context: Context,
  conversation: Conversation,
  source: StartSource,
): Promise<Binding | undefined> {
  const { hosts } = context.store
  const { client, transcript } = conversation
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
  const { client, pane, terminal, folder } = conversation
  // That of the conversation before, after a clear.
  const { hostSessionId: _, ...before } = session.host
  return {
    ...before,
    kind: traits.kind,
    ...(traits.version !== undefined && { version: traits.version }),
    hostKey,
    ...(hostKey !== conversation.hostKey && { hostSessionId: conversation.hostKey }),
    ...(client !== undefined && { client }),
    ...(pane !== undefined && { pane }),
    ...(terminal !== undefined && { terminal }),
    ...(folder !== undefined && { folder }),
    ...(traits.executor !== undefined && { executor: traits.executor }),
    doors: traits.doors,
    hooked: true,
    ...(traits.sharedServer && { shared: true }),
  }
}

/** What the host calls the conversation, else its project’s folder, with a number where that is taken. */
async function nameFor(
  context: Context,
  { title, projectPath }: Conversation,
  id: string,
): Promise<string | undefined> {
  const known = await context.find(id)
  return known === undefined ? takeNameOutOf(context, [title, folderOf(projectPath)], id) : known.session.name
}
