/** Sessions as lines: the same words for the same state in every command. */

import type { ListAnswer, SessionRow } from '../core/answers.ts'
import type { Bus, ListInput } from '../core/bus.ts'
import type { Caller } from '../core/caller.ts'
import type { Skipped } from '../core/ports.ts'
import type { View } from './output.ts'
import type { Painter } from './paint.ts'
import { oneLine } from './safe-text.ts'
import { type Cell, type Column, table } from './table.ts'
import { count, duration, shortPath, when } from './words.ts'

type State = Pick<SessionRow, 'status' | 'activity' | 'finished'>

export function nameOf(session: { readonly id: string; readonly name?: string }): string {
  return session.name ?? session.id
}

/** What it does now: why it is over, else what its host sees. */
export function activityWord({ activity, finished }: State): string {
  return finished ?? activity.replace('_', ' ')
}

/** True where only the person can let it go on. */
export function needsPerson({ activity, finished }: State): boolean {
  return finished === undefined && (activity === 'needs_input' || activity === 'needs_permission')
}

/** Sessions that are over are news only for a while: so many of each project, the latest. */
export const OVER_SHOWN = 3

/** Worktrees of a project belong to it. */
export function projectOf({ repoPath, projectPath }: Pick<SessionRow, 'repoPath' | 'projectPath'>): string {
  return repoPath ?? projectPath
}

export function statePainter(state: State, { paint }: View): Painter | undefined {
  if (state.finished !== undefined) return paint.faint
  if (needsPerson(state) || state.status === 'blocked') return paint.warn
  return state.activity === 'working' ? paint.good : undefined
}

/** `2 (12m)`: how many, and how old the oldest is; empty for none. */
function unreadText({ unread, oldestUnreadSeconds }: Pick<SessionRow, 'unread' | 'oldestUnreadSeconds'>): string {
  if (unread === 0) return ''
  return oldestUnreadSeconds === undefined ? String(unread) : `${unread} (${duration(oldestUnreadSeconds * 1000)})`
}

interface Field extends Column {
  cell(row: SessionRow, view: View): Cell
}

const faintIf = (is: boolean, view: View) => (is ? { paint: view.paint.faint } : {})
const isOver = (row: SessionRow) => row.finished !== undefined

const FIELDS = {
  name: {
    title: 'NAME',
    min: 8,
    good: 16,
    cell: (row, { paint }) => ({ text: nameOf(row), paint: isOver(row) ? paint.faint : paint.name }),
  },
  status: { title: 'STATUS', cell: (row, view) => withPaint(row.status, statePainter(row, view)) },
  activity: { title: 'ACTIVITY', cell: (row, view) => withPaint(activityWord(row), statePainter(row, view)) },
  unread: { title: 'UNREAD', cell: (row, { paint }) => withPaint(unreadText(row), paint.strong) },
  host: { title: 'HOST', drop: 3, cell: (row, view) => ({ text: row.host, ...faintIf(isOver(row), view) }) },
  group: { title: 'GROUP', drop: 2, cell: (row, view) => ({ text: row.groupId ?? '', ...faintIf(isOver(row), view) }) },
  project: {
    title: 'PROJECT',
    min: 12,
    good: 16,
    keep: 'end',
    drop: 1,
    cell: (row, view) => ({ text: shortPath(row.projectPath, view.userHome), ...faintIf(isOver(row), view) }),
  },
  updated: {
    title: 'UPDATED',
    drop: 4,
    cell: (row, view) => ({ text: when(row.updatedAt, view.nowMs), paint: view.paint.faint }),
  },
  task: {
    title: 'TASK',
    min: 8,
    good: 24,
    drop: 0,
    cell: (row, view) => ({ text: taskText(row), ...faintIf(isOver(row), view) }),
  },
} satisfies Record<string, Field>

export type FieldName = keyof typeof FIELDS

function withPaint(text: string, paint: Painter | undefined): Cell {
  return paint === undefined ? { text } : { text, paint }
}

function taskText({ task, progress }: SessionRow): string {
  return progress === undefined || progress === '' ? task : `${task} (${progress})`
}

export function fieldOf(name: FieldName): Column & { cell(row: SessionRow, view: View): Cell } {
  return FIELDS[name]
}

export function sessionLines(
  rows: readonly SessionRow[],
  names: readonly FieldName[],
  view: View,
  withHead: boolean,
): string[] {
  const fields: readonly Field[] = names.map((name) => FIELDS[name])
  const cells = rows.map((row) => fields.map((field) => field.cell(row, view)))
  return table(fields, cells, view.columns, withHead ? view.paint.faint : undefined)
}

/** `5 sessions: 2 running, 1 ended, 2 closed`, `no sessions`: counted from the rows themselves, so the sentence cannot differ from them. */
export function countsOf(rows: readonly State[]): string {
  const running = rows.filter(({ finished }) => finished === undefined).length
  const over = (['ended', 'closed', 'expired', 'gone'] as const)
    .map((why) => ({ why, n: rows.filter(({ finished }) => finished === why).length }))
    .filter(({ n }) => n > 0)
  if (rows.length === 0) return count(0, 'session')
  const parts = [`${running === 0 ? 'none' : running} running`, ...over.map(({ why, n }) => `${n} ${why}`)]
  return `${count(rows.length, 'session')}: ${parts.join(', ')}`
}

/** What an answer could not read: an answer is never silently incomplete. It names only the first few, so none are counted. */
export function partialLines(partial: readonly Skipped[] | undefined, { paint }: View): string[] {
  if (partial === undefined || partial.length === 0) return []
  const lines = partial.map(({ what, why }) => `  ${oneLine(what)}: ${oneLine(why)}`)
  return [paint.warn('Not complete; session-mcp doctor counts what could not be read, for example:'), ...lines]
}

/** Every page as one answer; the totals are those of the first. */
export async function allSessions(bus: Bus, caller: Caller, input: ListInput): Promise<ListAnswer> {
  const first = await bus.list(caller, input)
  const sessions = [...first.sessions]
  const seen = new Set(sessions.map(({ id }) => id))
  for (let cursor = first.nextCursor; cursor !== undefined; ) {
    const page: ListAnswer = await bus.list(caller, { ...input, cursor })
    for (const row of page.sessions) if (!seen.has(row.id)) sessions.push(row)
    for (const { id } of page.sessions) seen.add(id)
    cursor = page.nextCursor
  }
  const { nextCursor: _, ...rest } = first
  return { ...rest, sessions }
}
