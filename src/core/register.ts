/** update_session: registers on the first call, changes the caller's own record later. */

import { freshActivity } from './activity.ts'
import type { UpdateAnswer } from './answers.ts'
import type { UpdateInput } from './bus.ts'
import type { Caller } from './caller.ts'
import { type Context, refuseSubagent } from './context.ts'
import { BusError } from './errors.ts'
import { tellFollowers } from './follow.ts'
import { noteClash, requireSameClient, takeUp } from './identify.ts'
import type { Json } from './json.ts'
import { LIMITS } from './limits.ts'
import { requireName } from './name.ts'
import { dropOldNames, giveNameBack, requireFreeId, takeName } from './naming.ts'
import type { Entry } from './ports.ts'
import { sameProcess } from './process-ref.ts'
import { changed, newSession, type Patch } from './record.ts'
import { isClosed, type Session } from './session.ts'
import { requireBody, requireLine } from './text.ts'
import { parseTtl } from './ttl.ts'

export async function update(context: Context, caller: Caller, input: UpdateInput): Promise<UpdateAnswer> {
  if (caller.kind === 'human') {
    throw new BusError(
      'NOT_REGISTERED',
      'The person at this machine has no session to update.',
      'Call it from inside a session.',
    )
  }
  refuseSubagent(caller, 'change the session')
  const patch = checkPatch(context, input)
  const known = caller.kind === 'session' ? await context.find(caller.id) : undefined
  if (known === undefined) requireForRegistration(input)
  else requireOpen(known.session, patch)
  const id = caller.kind === 'session' ? caller.id : `ses-${context.random.token(10)}`
  if (known === undefined && caller.kind === 'session') await requireFreeId(context, id)
  if (patch.name) await takeName(context, patch.name, id)

  const replaced = known !== undefined && servedByOther(context, known)
  let entry: Entry | undefined
  try {
    entry = await context.store.sessions.change(id, (current) => {
      const before = current !== undefined && !context.isHidden(current) ? current : undefined
      if (before === undefined) {
        requireForRegistration(input)
        return {
          session: newSession(
            context,
            id,
            { host: caller.host, selfNamed: caller.kind === 'session' && !caller.verified },
            patch,
          ),
          activity: freshActivity(id, context.nowIso()),
        }
      }
      // Both again under the lock: the record may have been made, or closed, since it was looked at.
      if (known === undefined) requireSameClient(context, before, caller)
      requireOpen(before.session, patch)
      const { activity } = before
      return {
        session: changed(context, before.session, caller, patch),
        ...(activity !== undefined && { activity: { ...activity, lastSeenAt: context.nowIso() } }),
      }
    })
  } catch (fault) {
    if (patch.name) await giveNameBack(context, patch.name, id)
    throw fault
  }
  if (entry === undefined) throw new Error('a change that decides something leaves a record')
  if (replaced) await noteClash(context, id, 'taken-over')
  await takeUp(context, known?.session.host.server)
  await dropOldNames(context, known?.session, entry.session)
  await tellFollowers(context, id)
  if (caller.connection.own === undefined) {
    // An id that only an argument gave may be one of several that this server speaks for.
    if (caller.kind === 'session') caller.connection.named.add(id)
    else caller.connection.own = id
  }
  const { session } = entry
  return {
    id,
    ...(session.name !== undefined && { name: session.name }),
    registered: known === undefined,
    status: session.status,
    ttl: session.ttl,
    projectPath: session.projectPath,
    ...(session.repoPath !== undefined && { repoPath: session.repoPath }),
    ...(replaced && {
      notices: [
        `Another server process of this client (${known?.session.host.server?.pid}) spoke for this session; it has to step back now.`,
      ],
    }),
  }
}

/** Everything that can be wrong with the input alone, before anything is touched. */
function checkPatch(context: Context, input: UpdateInput): Patch {
  if (input.status === 'completed' || input.status === 'cancelled') {
    throw new BusError(
      'BAD_INPUT',
      `status ${input.status} closes a session.`,
      'Call complete_session; it also takes the result.',
    )
  }
  if (input.ttl !== undefined) parseTtl(input.ttl)
  if (input.task !== undefined && input.task.trim() === '') {
    throw new BusError('BAD_INPUT', 'task is empty.', 'Say in a few words what the session is working on.')
  }
  if (input.tags !== undefined && input.tags.length > LIMITS.tags) {
    throw new BusError(
      'RECORD_TOO_LARGE',
      `tags holds ${input.tags.length} tags; at most ${LIMITS.tags} fit.`,
      'Keep the ones others search for.',
    )
  }
  return {
    ...(input.task !== undefined && { task: requireLine(input.task.replace(/\s+/g, ' '), 'task', LIMITS.taskBytes) }),
    ...(input.projectPath !== undefined && { project: checkProject(context, input.projectPath) }),
    ...(input.name !== undefined && { name: input.name === '' ? '' : requireName(input.name) }),
    ...(input.status !== undefined && { status: input.status }),
    ...(input.progress !== undefined && { progress: requireBody(input.progress, 'progress', LIMITS.progressBytes) }),
    ...(input.groupId !== undefined && { groupId: input.groupId === '' ? '' : requireName(input.groupId, 'groupId') }),
    ...(input.tags !== undefined && { tags: [...new Set(input.tags.map((tag) => requireName(tag, 'tag')))] }),
    ...(input.metadata !== undefined && { metadata: checkMetadata(input.metadata) }),
    ...(input.ttl !== undefined && { ttl: input.ttl }),
    ...(input.wakeable !== undefined && { wakeable: input.wakeable }),
    ...(input.model !== undefined && { model: requireLine(input.model, 'model', LIMITS.nameChars * 2) }),
  }
}

function checkProject(context: Context, text: string): NonNullable<Patch['project']> {
  const project = context.projects.resolve(text)
  return { ...project, ...(project.path !== text && { given: text }) }
}

function checkMetadata(metadata: Readonly<Record<string, Json>>): Readonly<Record<string, Json>> {
  const text = JSON.stringify(metadata)
  requireBody(text, 'metadata', LIMITS.metadataBytes)
  if (text.includes('"__proto__":')) {
    throw new BusError(
      'BAD_INPUT',
      'metadata holds the key "__proto__".',
      'Choose another key; this one means something else to many programs.',
    )
  }
  return metadata
}

function requireForRegistration(input: UpdateInput): void {
  const missing = (['task', 'projectPath'] as const).filter((field) => !input[field])
  if (missing.length === 0) return
  throw new BusError(
    'NOT_REGISTERED',
    `This session is not registered yet, and ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing.`,
    'Call update_session with task (what you are working on) and projectPath (the absolute path of the project).',
  )
}

function requireOpen(session: Session, patch: Patch): void {
  if (!isClosed(session) || patch.status === 'active') return
  throw new BusError(
    'SESSION_CLOSED',
    `Session ${session.id} was closed at ${session.closedAt}. Nothing was changed.`,
    'update_session{status:"active"} opens it again.',
  )
}

function servedByOther(context: Context, entry: Entry): boolean {
  const { server } = entry.session.host
  return (
    server !== undefined && !sameProcess(server, context.processes.self) && context.processes.check(server) === 'alive'
  )
}
