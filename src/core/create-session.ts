/** create_session: a record at once, a tab by whoever can open one, and a token that binds the two. */

import { type ActionParams, type ActionTarget, checkModel, checkScene, checkTyped, type Outcome } from './action.ts'
import { freshActivity } from './activity.ts'
import type { CreateAnswer } from './answers-actions.ts'
import type { CreateInput } from './bus.ts'
import type { Caller } from './caller.ts'
import { type Context, refuseSubagent, requireOpenOwn } from './context.ts'
import { BusError } from './errors.ts'
import { quoted } from './fence.ts'
import { followOwn } from './follow.ts'
import { quote } from './ids.ts'
import { LIMITS } from './limits.ts'
import { actorOf } from './manage.ts'
import { fold, requireName } from './name.ts'
import { folderOf, takeName, takeNameOutOf } from './naming.ts'
import { answerOf, newActionId, perform, routeTo, unsupported } from './perform.ts'
import { newSession } from './record.ts'
import type { Session, Spawn } from './session.ts'
import { spawnLine, spawnToken } from './spawn.ts'
import { clip, requireLine } from './text.ts'

/** The word of a host, as it reaches a table of hosts. */
const HOST = /^[a-z][a-z0-9-]{0,31}$/

export async function create(context: Context, caller: Caller, input: CreateInput): Promise<CreateAnswer> {
  refuseSubagent(caller, 'open a session')
  const own = caller.kind === 'human' ? undefined : (await requireOpenOwn(context, caller, 'open sessions')).session
  const by = actorOf(own)
  const wanted = check(context, input, own)
  const id = `ses-${context.random.token(10)}`
  const token = spawnToken(id, context.random.token(20))
  const actionId = newActionId(context)
  const target = {
    id,
    hostKind: wanted.host,
    hostSessionId: id,
    ...(own !== undefined && { beside: placeOf(own, wanted.host) }),
  }
  const asked = { kind: 'create', target, params: paramsOf(wanted, wanted.name, wanted.prompt) } as const
  const route = await routeTo(context, asked, executorFor(own, wanted.host), by.executor)
  if ('reason' in route) return { host: wanted.host, action: unsupported('create', route) }

  if (wanted.name !== undefined) await takeName(context, wanted.name, id)
  const name = wanted.name ?? (await takeNameOutOf(context, [folderOf(wanted.project.path)], id))
  try {
    const record = newRecord(context, wanted, {
      id,
      name,
      by: by.id,
      token,
      action: actionId,
      executor: routeId(route),
    })
    await context.store.sessions.change(id, () => ({ session: record, activity: freshActivity(id, context.nowIso()) }))
    const { executor: _, ...actor } = by
    const { action, outcome } = await perform(context, route, {
      id: actionId,
      kind: 'create',
      by: actor,
      target: { ...target, ...(name !== undefined && { name }) },
      params: { ...paramsOf(wanted, name, firstPrompt(wanted.prompt, by.name, token)), spawn: token },
    })
    if (action.state === 'failed' || action.state === 'unsupported') {
      await forget(context, id, name)
      return { host: wanted.host, action: answerOf(action, outcome) }
    }
    // It is open by now: what cannot be noted of it must not look like an opening that failed, nor take its record away.
    if (outcome?.place !== undefined) await orLog(context, id, settle(context, id, outcome.place))
    if (own !== undefined) await orLog(context, id, followOwn(context, own.id, id))
    return {
      sessionId: id,
      ...(name !== undefined && { name }),
      host: wanted.host,
      projectPath: record.projectPath,
      action: answerOf(action, outcome),
    }
  } catch (fault) {
    await forget(context, id, name).catch(() => undefined)
    throw fault
  }
}

type Wanted = ReturnType<typeof check>

function check(context: Context, input: CreateInput, own: Session | undefined) {
  const prompt = input.prompt ?? input.task
  if (prompt === undefined || prompt.trim() === '') {
    throw new BusError(
      'BAD_INPUT',
      'prompt is missing.',
      'Say what the new session is to do; its model reads it first.',
    )
  }
  const projectPath = input.projectPath ?? own?.projectPath
  if (projectPath === undefined) {
    throw new BusError('BAD_INPUT', 'projectPath is missing.', 'Name the absolute path of the project to work in.')
  }
  const host = input.host ?? own?.host.kind
  if (host === undefined || !HOST.test(host)) {
    const what = host === undefined ? 'host is missing' : `host ${quote(host)} is not the name of a host`
    throw new BusError('BAD_INPUT', `${what}.`, 'For example claude-code, codex or opencode.')
  }
  const project = context.projects.resolve(projectPath)
  const task = (input.task ?? prompt).replace(/\s+/g, ' ').trim()
  return {
    prompt: checkTyped(prompt, 'prompt'),
    task: requireLine(input.task === undefined ? clip(task, 120) : task, 'task', LIMITS.taskBytes),
    project: { ...project, ...(project.path !== projectPath && { given: projectPath }) },
    host,
    name: input.name === undefined ? undefined : requireName(input.name),
    model: input.model === undefined ? undefined : checkModel(input.model),
    scene: input.scene === undefined ? undefined : checkScene(input.scene),
    groupId: input.groupId === undefined ? undefined : requireName(input.groupId, 'groupId'),
  }
}

function placeOf({ host }: Session, wanted: string): NonNullable<ActionTarget['beside']> {
  const { kind, pane, terminal, folder } = host
  return {
    ...(pane !== undefined && { pane }),
    ...(terminal !== undefined && { terminal }),
    ...(folder !== undefined && kind === wanted && { folder }),
  }
}

/** The caller's own host opens tabs of its own kind. */
function executorFor(own: Session | undefined, host: string) {
  return own !== undefined && fold(own.host.kind) === host ? own.host.executor : undefined
}

function routeId(route: Exclude<Awaited<ReturnType<typeof routeTo>>, { reason: string }>): string {
  return 'local' in route ? route.local.id : route.queue.id
}

interface Made extends Pick<Spawn, 'token' | 'action' | 'executor'> {
  readonly id: string
  readonly name: string | undefined
  readonly by: string
}

function newRecord(context: Context, wanted: Wanted, { id, name, by, ...spawn }: Made): Session {
  const { task, project, host, groupId, model, scene } = wanted
  const session = newSession(
    context,
    id,
    { host: { kind: host, doors: [] }, selfNamed: false },
    {
      task,
      project,
      ...(name !== undefined && { name }),
      ...(groupId !== undefined && { groupId }),
      ...(model !== undefined && { model }),
    },
  )
  // The server that made the record does not speak for the session.
  const { server: _, ...bare } = session.host
  return {
    ...session,
    host: bare,
    ...(scene !== undefined && { scene }),
    spawnedBy: by,
    spawn: { ...spawn, at: context.nowIso() },
  }
}

function paramsOf(wanted: Wanted, name: string | undefined, prompt: string): ActionParams {
  const { host, project, model, scene } = wanted
  return {
    host,
    projectPath: project.path,
    prompt,
    ...(name !== undefined && { name }),
    ...(model !== undefined && { model }),
    ...(scene !== undefined && { scene }),
  }
}

/** The new session's model is told who asks: it is not the user who speaks. */
function firstPrompt(prompt: string, by: string, token: string): string {
  const who = by === 'human' ? 'The person at this machine' : `Session ${quoted(by)}`
  return `${who} opened this session through session-mcp and asks:\n\n${prompt}\n\n${spawnLine(token)}`
}

/** Where it can be reached, as far as the opening told. What the new conversation has said of itself meanwhile is better. */
async function settle(context: Context, id: string, place: NonNullable<Outcome['place']>): Promise<void> {
  await context.store.sessions.change(id, (entry) => {
    if (entry === undefined) return undefined
    return { session: { ...entry.session, host: { ...place, ...entry.session.host } } }
  })
}

async function orLog(context: Context, id: string, noting: Promise<void>): Promise<void> {
  await noting.catch((fault: unknown) => context.log?.('warn', 'create', { session: id, fault: String(fault) }))
}

async function forget(context: Context, id: string, name: string | undefined): Promise<void> {
  await context.store.sessions.remove(id, (entry) => entry.session.spawn?.boundAt !== undefined)
  // One that has shown itself all the same stays, and so does what others call it.
  if (name !== undefined && (await context.find(id)) === undefined) await context.store.names.drop(fold(name), id)
}
