/** What is on the screen: a pure function of the state and the time. Every line fits, whatever the size. */

import { HUMAN_ID } from '../../core/caller.ts'
import { messageLines } from '../commands/inbox.ts'
import { renderSession } from '../commands/show.ts'
import { pairLines } from '../facts.ts'
import type { View } from '../output.ts'
import { withoutPaint } from '../paint.ts'
import { oneLine, safeAnswer } from '../safe-text.ts'
import { countsOf, nameOf, partialLines } from '../session-rows.ts'
import { welcome } from '../welcome.ts'
import { cut, pad, widthOf, wrap } from '../width.ts'
import { count, duration, listing } from '../words.ts'
import { HELP, hintsOf } from './hints.ts'
import { windowOf } from './line.ts'
import { labelOf, listLines, matchText } from './list.ts'
import { isForPerson, needOf } from './order.ts'
import { type Prompt, pageOf, type State } from './state.ts'

export interface Frame {
  readonly lines: readonly string[]
  /** Where the terminal's own cursor stands, while something is typed. */
  readonly cursor?: { readonly x: number; readonly y: number }
}

/** Fewer rows than this have none to spare for headings and remarks. */
const ROOMY = 8

/** How the rows of the screen are shared out. */
export function layoutOf(state: State): { readonly body: number; readonly list: number; readonly hasHead: boolean } {
  const { rows } = state.size
  const isRoomy = rows >= ROOMY
  const body = Math.max(1, rows - 2 - (isRoomy ? noticeRows(state) + 1 : 0))
  return { body, list: Math.max(1, body - (isRoomy ? 1 : 0)), hasHead: isRoomy }
}

export function frameOf(state: State, base: View): Frame {
  const view: View = { ...base, columns: state.size.columns }
  const { body, hasHead } = layoutOf(state)
  const isRoomy = state.size.rows >= ROOMY
  const { lines: text, top } = bodyOf(state, view)
  const page = text === undefined ? listLines(state, view, body, hasHead) : text.slice(top, top + body)
  const filled = [...page, ...Array<string>(Math.max(0, body - page.length)).fill('')].slice(0, body)
  const notice = noticeLines(state, view)
  const last = state.prompt === undefined ? undefined : promptLine(state.prompt, view)
  const isLonger = text !== undefined && text.length > body
  const bottom = last?.text ?? (!isRoomy && notice[0] !== undefined ? notice[0] : hintsOf(state, view, isLonger))
  const lines = [
    headLine(state, view),
    ...filled,
    ...(isRoomy ? (notice.length === 0 ? [''] : notice) : []),
    bottom,
  ].slice(0, state.size.rows)
  const fitting = fitted(lines, view)
  if (last?.cursor === undefined) return { lines: fitting }
  return { lines: fitting, cursor: { x: Math.min(last.cursor, view.columns - 1), y: lines.length - 1 } }
}

function noticeRows(state: State): number {
  return Math.max(0, noticeTexts(state, state.size.columns).length - 1)
}

function noticeTexts({ notice, prompt, size }: State, columns: number): string[] {
  const text = prompt === undefined ? notice?.text : noteOf(prompt)
  if (text === undefined) return []
  const most = size.rows >= 20 ? 3 : size.rows >= 10 ? 2 : 1
  const lines = wrap(oneLine(text), columns)
  return lines.length <= most ? lines : [...lines.slice(0, most - 1), cut(lines.slice(most - 1).join(' '), columns)]
}

function noticeLines(state: State, { columns, paint }: View): string[] {
  const { prompt } = state
  const isWarning = prompt?.kind === 'complete' || (prompt?.kind === 'write' && prompt.trouble !== undefined)
  const tone = isWarning ? 'warn' : (state.notice?.tone ?? 'plain')
  const painter = prompt !== undefined && !isWarning ? paint.faint : tone === 'plain' ? undefined : paint[tone]
  return noticeTexts(state, columns).map((line) => painter?.(line) ?? line)
}

/** What is said above a prompt. */
function noteOf(prompt: Prompt): string | undefined {
  if (prompt.kind === 'filter')
    return 'Sessions with these words in their name, task, project or tags. Enter keeps them, Esc shows all.'
  if (prompt.kind === 'complete')
    return 'It cannot change any more after that, and those who wait for it or follow it are told. Its program goes on.'
  if (prompt.trouble !== undefined) return `Not sent: ${prompt.trouble}`
  return `Enter sends, Esc cancels${prompt.replyTo !== undefined ? '' : `, Tab ${prompt.isRequest ? 'makes it a remark' : 'asks for an answer'}`}.`
}

function promptLine(prompt: Prompt, { columns, paint }: View): { text: string; cursor?: number } {
  if (prompt.kind === 'complete') {
    return { text: paint.strong(cut(`Complete ${oneLine(prompt.target.label)}? y / n`, columns)) }
  }
  const ask =
    prompt.kind === 'filter'
      ? '/'
      : `${prompt.replyTo === undefined ? (prompt.isRequest ? 'Ask' : 'Tell') : 'Answer'} ${oneLine(prompt.to.label)}: `
  const label = cut(ask, Math.max(1, Math.floor(columns / 2)))
  const { text, cursor } = windowOf(prompt.line, Math.max(2, columns - widthOf(label)))
  return { text: paint.name(label) + text, cursor: widthOf(label) + cursor }
}

function headLine(state: State, view: View): string {
  const { paint, columns } = view
  const { board, own, filter, you } = state
  if (board === undefined) return cut('session-mcp: looking at who is there', columns)
  const needs = board.sessions.filter((row) => isForPerson(needOf(row, board.asking))).length
  const age = own.oldestUnreadSeconds === undefined ? '' : ` (${duration(own.oldestUnreadSeconds * 1000)})`
  const right = [
    ...(state.partial.length === 0 ? [] : ['not complete: see session-mcp doctor']),
    ...(needs === 0 ? [] : [`${needs} need${needs === 1 ? 's' : ''} you`]),
    ...(own.unread === 0 ? [] : [`${count(own.unread, 'message')} for you${age}`]),
  ].join(', ')
  const counts = filter === '' ? countsOf(board.sessions) : matchText(board.sessions.length, oneLine(filter))
  const left = `${you === undefined ? '' : `${oneLine(you)}  `}${counts}`
  if (right === '') return paint.strong(cut(left, columns))
  const room = columns - widthOf(right) - 2
  // The counts can be missed, what needs the person cannot.
  if (room < 12) return paint.warn(cut(right, columns))
  return `${paint.strong(pad(cut(left, room), room))}  ${paint.warn(right)}`
}

/** Every line of the page on top, and the first one to show; no lines for the list. */
export function bodyOf(
  state: State,
  view: View,
): { readonly lines: readonly string[] | undefined; readonly top: number } {
  const page = pageOf(state)
  const lines = page === undefined ? emptyLines(state, view) : pageLines(state, view)
  if (page !== undefined && state.size.rows >= ROOMY) lines?.unshift('')
  const top = page?.top ?? state.top
  return { lines, top: Math.max(0, Math.min(top, (lines?.length ?? 0) - layoutOf(state).body)) }
}

/** The page on top, not scrolled beyond its end. */
export function scrolled(state: State, base: View): State {
  const page = pageOf(state)
  if (page === undefined) return state
  const { top } = bodyOf(state, { ...base, columns: state.size.columns })
  return { ...state, pages: [...state.pages.slice(0, -1), { ...page, top }] }
}

function emptyLines(state: State, view: View): string[] | undefined {
  const { board, filter, home, version, partial, items, isNarrowed } = state
  const { columns } = view
  if (board === undefined) return ['']
  if (items.length > 0) return undefined
  if (filter !== '') return ['', ...wrap('No session matches. Esc shows all of them.', columns)]
  if (isNarrowed) {
    return [
      '',
      ...wrap('No session matches what this view was started for. session-mcp watch shows all of them.', columns),
    ]
  }
  const lines = welcome({ version, home }, view, process.argv[1], true).split('\n')
  // What is there to be copied is of no use cut.
  const whole = lines.flatMap((line) => {
    const plain = withoutPaint(line)
    return widthOf(plain) <= columns ? [line] : wrap(plain, columns)
  })
  return [...whole, ...partialLines(partial, view)]
}

function pageLines(state: State, view: View): string[] {
  const { loaded, board } = state
  const page = pageOf(state)
  if (page?.kind === 'help') return helpLines(view)
  if (loaded === undefined) return ['']
  if (loaded.kind === 'trouble') return wrap(oneLine(loaded.text), view.columns)
  if (loaded.kind === 'session') {
    const names = (ids: readonly string[]) => ids.map((id) => labelOf(id, board?.sessions))
    const { waitingFor, watching, followers } = loaded.view
    const named = { waitingFor: names(waitingFor), watching: names(watching), followers: names(followers) }
    const [title = '', ...facts] = renderSession(safeAnswer({ ...loaded.view, ...named }), view).split('\n')
    const waiting = (board?.sessions ?? []).filter((row) => row.waitingFor.includes(loaded.id)).map(nameOf)
    const awaited =
      waiting.length === 0
        ? []
        : wrap(oneLine(`${listing(waiting)} ${waiting.length === 1 ? 'waits' : 'wait'} for it.`), view.columns)
    return [title, ...awaited.map(view.paint.warn), '', ...facts]
  }
  return mailLines(state, view).lines
}

/** The messages of the page on top, and at which line each begins. */
export function mailLines(
  state: State,
  view: View,
): { readonly lines: string[]; readonly starts: ReadonlyMap<string, number> } {
  const { loaded } = state
  const page = pageOf(state)
  const lines: string[] = []
  const starts = new Map<string, number>()
  if (loaded?.kind !== 'mail' && loaded?.kind !== 'own') return { lines, starts }
  const messages = safeAnswer(loaded.messages)
  const title = titleOf(state, messages.length)
  lines.push(...wrap(title, view.columns).map(view.paint.strong), '')
  for (const message of messages) {
    starts.set(message.id, lines.length)
    const [head = '', ...body] = messageLines(message, { ...view, columns: view.columns - 2 })
    const isAt = page?.kind === 'own' && page.at === message.id
    const isFresh = loaded.kind === 'own' && loaded.fresh.has(message.id)
    lines.push(`${isAt ? '>' : isFresh ? view.paint.warn('*') : ' '} ${head}`, ...body.map((line) => `  ${line}`), '')
  }
  return { lines, starts }
}

function titleOf({ loaded, board }: State, shown: number): string {
  if (loaded?.kind === 'mail') {
    const whose = oneLine(labelOf(loaded.id, board?.sessions))
    if (shown === 0) return `Nothing is unread in the inbox of ${whose}.`
    return `${count(shown + loaded.remaining, 'message')} unread in the inbox of ${whose}; looking leaves them unread.`
  }
  if (loaded?.kind !== 'own') return ''
  if (shown === 0) return `No message yet. Sessions reach you by sending to ${HUMAN_ID}.`
  const fresh = loaded.fresh.size === 0 ? '' : `, ${loaded.fresh.size} new (*)`
  return `Your last ${count(shown, 'message')}${fresh}. Enter answers the one marked >.`
}

function helpLines(view: View): string[] {
  const text =
    'A live view of every session on this machine. Who needs you comes first: a permission, an answer, a question to you, or being blocked.'
  return [...wrap(text, view.columns), '', ...pairLines(HELP, view)]
}

/** A last guard: where even the narrowest is too wide, it is cut. */
function fitted(lines: readonly string[], { columns }: View): string[] {
  return lines.map((line) => {
    const plain = withoutPaint(line)
    return widthOf(plain) <= columns ? line : cut(plain, columns)
  })
}
