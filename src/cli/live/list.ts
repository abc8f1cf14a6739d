/** The list itself: the rows on the screen, and nothing of those that are not. */

import { basename } from 'node:path'
import type { SessionRow } from '../../core/answers.ts'
import type { Sight } from '../../core/sight.ts'
import type { View } from '../output.ts'
import { withoutPaint } from '../paint.ts'
import { oneLine } from '../safe-text.ts'
import { fieldOf, nameOf, projectOf, statePainter } from '../session-rows.ts'
import { type Cell, type Column, table } from '../table.ts'
import { cut, pad, widthOf } from '../width.ts'
import { count, duration, listing, shortPath } from '../words.ts'
import { type Item, isForPerson, sinceOf, stateText } from './order.ts'
import type { State } from './state.ts'

type SessionItem = Extract<Item, { kind: 'session' }>

/** Before each row: is it selected, does it need the person. */
const MARGIN = 3
/** A project named before a task must leave room for the task. */
const PROJECT_COLUMNS = 16

const { name, unread, host, task } = {
  name: fieldOf('name'),
  unread: fieldOf('unread'),
  host: fieldOf('host'),
  task: fieldOf('task'),
}
const COLUMNS: readonly Column[] = [
  { ...name, good: 14 },
  { title: 'STATE', min: 10, good: 16 },
  { title: 'FOR', align: 'right', drop: 2 },
  { ...unread, min: 2, good: 7 },
  { ...task, min: 12, good: 28 },
  { title: 'WAITS FOR', min: 8, good: 16, drop: 3 },
  { ...host, drop: 4 },
]

/** `rows` lines: the headings of the columns, then the items from `state.top` on. */
export function listLines(state: State, view: View, rows: number, withHead: boolean): string[] {
  const { items, top } = state
  const visible = items.slice(top, top + rows - (withHead ? 1 : 0))
  const sessions = visible.filter((item): item is SessionItem => item.kind === 'session')
  const width = view.columns - MARGIN
  const cells = sessions.map((item) => cellsOf(item, state, view))
  const lines = table(COLUMNS, [...cells, rulerOf(state, view)], width, view.paint.faint)
  const [head = '', ...body] = lines
  let next = 0
  const drawn = visible.map((item) => {
    if (item.kind === 'gap') return ''
    if (item.kind === 'more') return ' '.repeat(MARGIN) + view.paint.faint(moreText(item.hidden, width))
    if (item.kind === 'heading') return headingLine(item, view)
    return sessionLine(item, body[next++] ?? '', item.row.id === state.selected, view)
  })
  return [...(withHead ? [' '.repeat(MARGIN) + head] : []), ...drawn]
}

function sessionLine(item: SessionItem, line: string, isSelected: boolean, view: View): string {
  const { paint, columns } = view
  const mark = isForPerson(item.need) ? '!' : ' '
  if (!isSelected) return ` ${paint.warn(mark.trim()) || ' '} ${line}`
  // Colours inside a bar are hard to read, and the bar itself is lost without colours: hence the sign.
  const plain = pad(`>${mark} ${withoutPaint(line)}`, columns)
  return paint.selected(plain)
}

function headingLine({ project, size }: Extract<Item, { kind: 'heading' }>, view: View): string {
  const { paint, columns, userHome } = view
  if (project === undefined) return paint.warn(cut(`Needs you (${size})`, columns))
  const path = oneLine(shortPath(project, userHome))
  return paint.strong(cut(path, columns))
}

function moreText(hidden: number, columns: number): string {
  return cut(`and ${hidden} more that ${hidden === 1 ? 'is' : 'are'} over: a shows all`, columns)
}

function cellsOf({ row, need, isAway }: SessionItem, state: State, view: View): Cell[] {
  const full = asRow(row, state)
  const asking = state.board?.asking ?? new Map()
  const painter = need === 'asks' ? view.paint.warn : statePainter(row, view)
  const faint = need === 'over' ? { paint: view.paint.faint } : {}
  const project = cut(oneLine(basename(projectOf(row))), PROJECT_COLUMNS)
  return [
    name.cell(full, view),
    { text: stateText(row, need), ...(painter && { paint: painter }) },
    { text: sinceText(sinceOf(row, need, asking), view.nowMs), paint: view.paint.faint },
    unread.cell(full, view),
    { text: `${isAway ? `${project}: ` : ''}${task.cell(full, view).text}`, ...faint },
    { text: waitsText(row, state), ...faint },
    { text: row.host, paint: view.paint.faint },
  ]
}

function asRow(row: Sight, { mailOf }: State): SessionRow {
  return { ...row, unread: 0, ...mailOf.get(row.id) }
}

function sinceText(iso: string | undefined, nowMs: number): string {
  const since = Date.parse(iso ?? '')
  return Number.isNaN(since) ? '' : duration(nowMs - since)
}

function waitsText({ waitingFor }: Sight, { board }: State): string {
  if (waitingFor.length === 0) return ''
  return listing(waitingFor.map((id) => labelOf(id, board?.sessions)))
}

const labels = new WeakMap<readonly Sight[], ReadonlyMap<string, string>>()

/** The name of a session by its id; the id where it is not there any more. */
export function labelOf(id: string, sessions: readonly Sight[] | undefined): string {
  if (sessions === undefined) return id
  const known = labels.get(sessions) ?? new Map(sessions.map((row) => [row.id, nameOf(row)]))
  labels.set(sessions, known)
  return known.get(id) ?? id
}

const rulers = new WeakMap<readonly Item[], { readonly columns: number; readonly cells: readonly Cell[] }>()

/**
 * A row that is never drawn, as wide as the widest of all: columns that depended on the rows in sight would jump while
 * one scrolls. Made once for each look and width.
 */
function rulerOf(state: State, view: View): readonly Cell[] {
  const known = rulers.get(state.items)
  if (known?.columns === view.columns) return known.cells
  const widest = { name: '', state: '', host: '', waits: '' }
  for (const item of state.items) {
    if (item.kind !== 'session') continue
    widest.name = wider(widest.name, nameOf(item.row))
    widest.state = wider(widest.state, stateText(item.row, item.need))
    widest.host = wider(widest.host, item.row.host)
    widest.waits = wider(widest.waits, waitsText(item.row, state))
  }
  const texts = [widest.name, widest.state, '999d', '9 (99m)', 'x'.repeat(view.columns), widest.waits, widest.host]
  const ruler = texts.map((text) => ({ text }))
  rulers.set(state.items, { columns: view.columns, cells: ruler })
  return ruler
}

function wider(a: string, b: string): string {
  return b.length > a.length && widthOf(oneLine(b)) > widthOf(oneLine(a)) ? b : a
}

/** `2 of 12 sessions match`, where a filter hides some. */
export function matchText(shown: number, filter: string): string {
  return `${count(shown, 'session')} with "${filter}"`
}
