/** How a session record begins, and how a checked change is laid over it. */

import type { Caller, CallerHost } from './caller.ts'
import type { Context } from './context.ts'
import type { Json } from './json.ts'
import { aliasesAfter } from './naming.ts'
import { isClosed, revise, type Session } from './session.ts'

export type Patch = Partial<Pick<Session, 'task' | 'status' | 'ttl' | 'wakeable'>> & {
  readonly project?: { path: string; given?: string; repoPath?: string; branch?: string }
  readonly tags?: readonly string[]
  readonly metadata?: Readonly<Record<string, Json>>
  /** Empty = cleared. */
  readonly name?: string
  readonly progress?: string
  readonly groupId?: string
  readonly model?: string
}

/** A record as it begins. `patch` holds at least the task and the project. */
export function newSession(
  context: Context,
  id: string,
  caller: { readonly host: CallerHost; readonly selfNamed: boolean },
  patch: Patch,
): Session {
  const nowIso = context.nowIso()
  const { project } = patch
  if (patch.task === undefined || project === undefined) throw new Error('checked before')
  return withPatch(
    {
      id,
      aliases: [],
      task: patch.task,
      projectPath: project.path,
      status: 'active',
      host: hostOf(context, caller.host, id),
      tags: [],
      metadata: {},
      watching: [],
      wakeable: true,
      selfNamed: caller.selfNamed,
      createdAt: nowIso,
      updatedAt: nowIso,
      ttl: context.options.defaultTtl,
      statusSeq: 1,
      trail: [],
    },
    patch,
  )
}

/** The next version of a record; a closed one is open again. */
export function changed(
  context: Context,
  before: Session,
  caller: Exclude<Caller, { kind: 'human' }>,
  patch: Patch,
): Session {
  const { closedAt: _at, closeReason: _why, ...reopened } = before
  const base: Session = isClosed(before) ? reopened : before
  const next = withPatch(base, patch)
  const host = { ...before.host, ...hostOf(context, caller.host, before.host.hostKey), doors: before.host.doors }
  const aliases = aliasesAfter(before, next.name)
  // What is said again is no change: nobody is told, and nothing moves up in a list.
  if (JSON.stringify({ ...next, aliases }) === JSON.stringify(before)) return { ...before, host }
  return revise(before, { ...next, host, aliases }, context.nowIso())
}

function withPatch(session: Session, patch: Patch): Session {
  const { project, ...rest } = patch
  const next: Record<string, unknown> = { ...session, ...rest }
  if (project !== undefined) {
    // A worktree that was removed still belongs to the checkout it was learnt to belong to.
    const repoPath = project.repoPath ?? (project.path === session.projectPath ? session.repoPath : undefined)
    Object.assign(next, {
      projectPath: project.path,
      projectPathGiven: project.given ?? '',
      repoPath: repoPath ?? '',
      branch: project.branch ?? '',
    })
  }
  for (const field of ['name', 'progress', 'groupId', 'model', 'projectPathGiven', 'repoPath', 'branch']) {
    if (next[field] === '') delete next[field]
  }
  return next as unknown as Session
}

function hostOf(context: Context, host: CallerHost, hostKey: string): Session['host'] {
  return {
    kind: host.kind,
    ...(host.version !== undefined && { version: host.version }),
    hostKey,
    ...(host.client !== undefined && { client: host.client }),
    server: context.processes.self,
    ...(host.pane !== undefined && { pane: host.pane }),
    ...(host.terminal !== undefined && { terminal: host.terminal }),
    doors: host.doors,
    ...(host.shared && { shared: true }),
  }
}
