/** The order of the live view: who needs the person first, then project by project what runs and what is over. */

import type { Sight } from '../../core/sight.ts'
import { activityWord, nameOf, needsPerson, OVER_SHOWN, projectOf } from '../session-rows.ts'

/** What one look at the bus brought. */
export interface Board {
  readonly sessions: readonly Sight[]
  /** Senders of requests that lie unread in the inbox of whoever looks, with the time of the oldest. */
  readonly asking: ReadonlyMap<string, string>
}

export type Item =
  | { readonly kind: 'gap' }
  | { readonly kind: 'heading'; readonly project: string | undefined; readonly size: number }
  | { readonly kind: 'session'; readonly row: Sight; readonly need: Need; readonly isAway: boolean }
  /** So many of a project are over and not shown. */
  | { readonly kind: 'more'; readonly hidden: number }

/** Most urgent first. */
const NEEDS = ['permission', 'answer', 'asks', 'blocked', 'working', 'idle', 'unknown', 'over'] as const
export type Need = (typeof NEEDS)[number]
const FOR_PERSON: ReadonlySet<Need> = new Set(['permission', 'answer', 'asks', 'blocked'])

export function needOf(row: Sight, asking: Board['asking']): Need {
  if (needsPerson(row)) return row.activity === 'needs_permission' ? 'permission' : 'answer'
  if (asking.has(row.id)) return 'asks' // also of one that is over: its question stays
  if (row.finished !== undefined) return 'over'
  if (row.status === 'blocked') return 'blocked'
  return row.activity === 'working' || row.activity === 'idle' ? row.activity : 'unknown'
}

export function isForPerson(need: Need): boolean {
  return FOR_PERSON.has(need)
}

/** Since when it is in this state; for what is over, since when it has been over; for a question, since when it was asked. */
export function sinceOf(row: Sight, need: Need, asking: Board['asking']): string | undefined {
  if (need === 'asks') return asking.get(row.id)
  return row.finished === 'closed' ? row.updatedAt : row.since
}

/** `needs permission`, `blocked, idle`, `working`, `completed`: what it is doing, and what it says of itself where that differs. */
export function stateText(row: Sight, need: Need): string {
  if (need === 'asks') return 'asks you'
  if (row.finished === 'closed') return row.status
  const word = activityWord(row)
  return row.finished !== undefined || row.status === 'active' ? word : `${row.status}, ${word}`
}

/** Rows keep their places while nothing changes: names decide, and of those who wait for the person the longest. */
export function itemsOf(board: Board, showsAll: boolean): readonly Item[] {
  const ranked = board.sessions.map((row) => {
    const need = needOf(row, board.asking)
    return { row, need, rank: NEEDS.indexOf(need), name: nameOf(row).toLowerCase() }
  })
  type Ranked = (typeof ranked)[number]
  const since = ({ row, need }: Ranked) => sinceOf(row, need, board.asking) ?? row.updatedAt
  const bySince = (a: Ranked, b: Ranked) => compare(since(a), since(b))
  const byName = (a: Ranked, b: Ranked) => compare(a.name, b.name) || compare(a.row.id, b.row.id)
  const needy = ranked
    .filter(({ need }) => isForPerson(need))
    .sort((a, b) => a.rank - b.rank || bySince(a, b) || byName(a, b))
  const projects = new Map<string, Ranked[]>()
  for (const each of ranked.filter(({ need }) => !isForPerson(need))) {
    const project = projectOf(each.row)
    const rows = projects.get(project)
    if (rows === undefined) projects.set(project, [each])
    else rows.push(each)
  }
  const groups = [...projects].map(([project, rows]) => {
    const running = rows.filter(({ need }) => need !== 'over').sort((a, b) => a.rank - b.rank || byName(a, b))
    const over = rows
      .filter(({ need }) => need === 'over')
      .sort((a, b) => compare(b.row.updatedAt, a.row.updatedAt) || byName(a, b))
    const shown = showsAll ? over : over.slice(0, OVER_SHOWN)
    return { project, rows: [...running, ...shown], hidden: over.length - shown.length, isLive: running.length > 0 }
  })
  groups.sort((a, b) => Number(b.isLive) - Number(a.isLive) || compare(a.project, b.project))
  const session = ({ row, need }: Ranked): Item => ({ kind: 'session', row, need, isAway: isForPerson(need) })
  const sections = [
    ...(needy.length === 0
      ? []
      : [[{ kind: 'heading', project: undefined, size: needy.length } as const, ...needy.map(session)]]),
    ...groups.map(({ project, rows, hidden }): Item[] => [
      { kind: 'heading', project, size: rows.length + hidden },
      ...rows.map(session),
      ...(hidden === 0 ? [] : [{ kind: 'more', hidden } as const]),
    ]),
  ]
  return sections.flatMap((section, i) => (i === 0 ? section : [{ kind: 'gap' } as const, ...section]))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
