/** Moving about: the selected row stays on the screen, a page is not scrolled beyond its end. */

import type { View } from '../output.ts'
import { bodyOf, layoutOf, mailLines, scrolled } from './frame.ts'
import type { Key } from './key.ts'
import { type Page, pageOf, type State } from './state.ts'

/** Scrolls the list so that the selected row is on the screen, with the heading above the first. */
export function inSight(state: State): State {
  const { items, selected, top } = state
  const { list } = layoutOf(state)
  const at = items.findIndex((item) => item.kind === 'session' && item.row.id === selected)
  if (at === -1) return state
  const first = items[at - 1]?.kind === 'heading' && list > 1 ? at - 1 : at
  const highest = Math.max(0, items.length - list)
  const next = Math.max(at - list + 1, Math.min(top, first, highest))
  return { ...state, top: next <= 1 && list > at ? 0 : next }
}

/** How far a key moves: in steps, in pages, or to an end. */
interface Move {
  readonly steps?: number
  readonly pages?: number
  readonly end?: 'first' | 'last'
}

function moveOf(key: Key): Move | undefined {
  const word = key.kind === 'text' ? key.text : key.kind === 'name' ? key.name : `ctrl-${key.letter}`
  switch (word) {
    case 'up':
    case 'k':
      return { steps: -1 }
    case 'down':
    case 'j':
      return { steps: 1 }
    case 'pageup':
    case 'ctrl-b':
      return { pages: -1 }
    case 'pagedown':
    case 'ctrl-f':
    case ' ':
      return { pages: 1 }
    case 'home':
    case 'g':
      return { end: 'first' }
    case 'end':
    case 'G':
      return { end: 'last' }
    default:
      return undefined
  }
}

export function moveInList(state: State, key: Key, view: View): State | undefined {
  const move = moveOf(key)
  if (move === undefined) return undefined
  const { items, selected } = state
  // The welcome stands in the place of the list, and is scrolled as text.
  if (items.length === 0) {
    const wanted = { ...state, top: topAfter(move, state.top, layoutOf(state).body) }
    return { ...wanted, top: bodyOf(wanted, { ...view, columns: state.size.columns }).top }
  }
  const sessions = items.flatMap((item) => (item.kind === 'session' ? [item.row.id] : []))
  const at = sessions.indexOf(selected ?? '')
  const page = Math.max(1, layoutOf(state).list - 2)
  const to =
    move.end === 'first' ? 0 : move.end === 'last' ? sessions.length - 1 : at + (move.steps ?? (move.pages ?? 0) * page)
  return inSight({ ...state, selected: sessions[Math.max(0, Math.min(to, sessions.length - 1))] })
}

export function moveOnPage(state: State, page: Page, key: Key, view: View): State | undefined {
  const move = moveOf(key)
  if (move === undefined) return undefined
  const { body } = layoutOf(state)
  if (page.kind === 'own' && move.pages === undefined && state.loaded?.kind === 'own') {
    const ids = state.loaded.messages.map(({ id }) => id)
    const at = ids.indexOf(page.at ?? '') + (move.steps ?? 0)
    const to = move.end === 'first' ? 0 : move.end === 'last' ? ids.length - 1 : at
    return onMessage(state, page, ids[Math.max(0, Math.min(to, ids.length - 1))], view)
  }
  const next = scrolled(onPage(state, { ...page, top: topAfter(move, page.top, body) }), view)
  return markedInSight(next, view)
}

/** Of your own mail the message that Enter would answer is one that can be seen. */
function markedInSight(state: State, view: View): State {
  const page = pageOf(state)
  if (page?.kind !== 'own') return state
  const starts = [...mailLines(state, { ...view, columns: state.size.columns }).starts]
  const seen = starts.filter(([, start]) => start >= page.top && start < page.top + layoutOf(state).body - 1)
  if (seen.some(([id]) => id === page.at)) return state
  const [first = starts.findLast(([, start]) => start < page.top)] = seen
  return onPage(state, { ...page, at: first?.[0] ?? page.at })
}

function topAfter({ end, steps, pages = 0 }: Move, top: number, body: number): number {
  if (end !== undefined) return end === 'first' ? 0 : Number.MAX_SAFE_INTEGER
  return Math.max(0, top + (steps ?? pages * Math.max(1, body - 1)))
}

/** The page with this message chosen, scrolled to its beginning where that is not on the screen. */
export function onMessage(state: State, page: Page & { kind: 'own' }, id: string | undefined, view: View): State {
  const next = onPage(state, { ...page, at: id })
  const start = mailLines(next, { ...view, columns: state.size.columns }).starts.get(id ?? '') ?? 0
  const isSeen = start >= page.top && start < page.top + Math.max(1, layoutOf(state).body - 2)
  return scrolled(isSeen ? next : onPage(next, { ...page, at: id, top: start }), view)
}

function onPage(state: State, page: Page): State {
  return { ...state, pages: [...state.pages.slice(0, -1), page] }
}
