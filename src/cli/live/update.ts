/** What a key, a look at the bus or another size changes, and what is to be done about it. Pure. */

import type { View } from '../output.ts'
import { nameOf } from '../session-rows.ts'
import { layoutOf } from './frame.ts'
import type { Key } from './key.ts'
import { EMPTY_LINE } from './line.ts'
import { inSight, moveInList, moveOnPage, onMessage } from './move.ts'
import { type Board, type Item, itemsOf } from './order.ts'
import { promptKey } from './prompt.ts'
import {
  type Effect,
  type Loaded,
  type Mail,
  type Named,
  type Notice,
  type Page,
  type Prompt,
  pageOf,
  type Sending,
  type Size,
  type State,
} from './state.ts'

/** What one look at the bus brought. */
export interface Looked {
  readonly board: Board
  readonly partial: State['partial']
  readonly mailOf: ReadonlyMap<string, Mail>
  readonly own: Mail
  /** For the page that was on top when the look began. */
  readonly loaded: Loaded | undefined
  readonly page: Page | undefined
}

export type Event =
  | { readonly kind: 'key'; readonly key: Key }
  | { readonly kind: 'looked'; readonly looked: Looked }
  | { readonly kind: 'sized'; readonly size: Size }
  | { readonly kind: 'noticed'; readonly notice: Notice }
  | { readonly kind: 'unsent'; readonly sending: Sending; readonly why: string }

export interface Next {
  readonly state: State
  readonly effects: readonly Effect[]
}

const LOOK: readonly Effect[] = [{ kind: 'look' }]

export function update(state: State, event: Event, view: View): Next {
  switch (event.kind) {
    case 'sized':
      return quiet(inSight({ ...state, size: event.size }))
    case 'noticed':
      return quiet(inSight({ ...state, notice: event.notice }))
    case 'unsent':
      return quiet(inSight(asked(state, event.sending, event.why)))
    case 'looked':
      return quiet(afterLook(state, event.looked, view))
    case 'key':
      return keyed(state, event.key, view)
  }
}

/** A text that was refused is not lost: it stands there again, with the reason. */
function asked(state: State, { to, replyTo, isRequest, text }: Sending, trouble: string): State {
  const prompt: Prompt = { kind: 'write', to, replyTo, isRequest, line: { before: text, after: '' }, trouble }
  return state.prompt === undefined ? { ...state, prompt } : { ...state, unsent: [...state.unsent, prompt] }
}

/** Ids of the sessions on the screen. */
export function inView({ items, top, ...state }: State): string[] {
  const visible = items.slice(top, top + layoutOf({ items, top, ...state }).list)
  return visible.flatMap((item) => (item.kind === 'session' ? [item.row.id] : []))
}

function quiet(state: State): Next {
  return { state, effects: [] }
}

function afterLook(state: State, looked: Looked, view: View): State {
  const { board, partial, own } = looked
  const known = new Set(board.sessions.map(({ id }) => id))
  const mailOf = new Map([...state.mailOf, ...looked.mailOf].filter(([id]) => known.has(id)))
  const items = itemsOf(board, state.showsAll)
  const next = { ...state, board, items, partial, own, mailOf, selected: nextSelected(state, items) }
  // A page that was opened meanwhile waits for its own look.
  const isSamePage = keyOf(looked.page) === keyOf(pageOf(state))
  return inSight(isSamePage ? withLoaded(next, looked.loaded, view) : next)
}

function withLoaded(state: State, loaded: Loaded | undefined, view: View): State {
  const page = pageOf(state)
  if (page?.kind !== 'own' || loaded?.kind !== 'own') return { ...state, loaded }
  const before = state.loaded?.kind === 'own' ? state.loaded.fresh : []
  const fresh = new Set([...before, ...loaded.fresh])
  const next = { ...state, loaded: { ...loaded, fresh } }
  if (loaded.messages.some(({ id }) => id === page.at)) return next
  const first = loaded.messages.find(({ id }) => loaded.fresh.has(id)) ?? loaded.messages.at(-1)
  // What is new stands behind what was read, and has become read with this.
  return onMessage(next, page, first?.id, view)
}

function keyOf(page: Page | undefined): string {
  return page === undefined ? '' : `${page.kind} ${'id' in page ? page.id : ''}`
}

/** The same session while it is there, else the one that took its place on the screen. */
function nextSelected({ selected, items: before }: State, items: readonly Item[]): string | undefined {
  const sessions = items.flatMap((item) => (item.kind === 'session' ? [item.row.id] : []))
  if (selected !== undefined && sessions.includes(selected)) return selected
  const at = before.flatMap((item) => (item.kind === 'session' ? [item.row.id] : [])).indexOf(selected ?? '')
  return sessions[Math.max(0, Math.min(at, sessions.length - 1))]
}

function keyed(state: State, key: Key, view: View): Next {
  if (key.kind === 'ctrl') {
    if (key.letter === 'c') return { state, effects: [{ kind: 'quit', how: 'interrupted' }] }
    if (key.letter === 'z') return { state, effects: [{ kind: 'suspend' }] }
    if (key.letter === 'l') return { state, effects: [{ kind: 'redraw' }, ...LOOK] }
  }
  if (state.prompt !== undefined) {
    const next = promptKey(state, state.prompt, key)
    return { ...next, state: inSight(next.state) }
  }
  // A paste is never a command, wherever it was dropped.
  if (key.kind === 'text' && key.isPaste) return quiet(state)
  const page = pageOf(state)
  const moved = page === undefined ? moveInList(state, key, view) : moveOnPage(state, page, key, view)
  if (moved !== undefined) return { state: moved, effects: page === undefined ? LOOK : [] }
  return command({ ...state, notice: undefined }, key)
}

function command(state: State, key: Key): Next {
  const page = pageOf(state)
  const target = targetOf(state)
  const word = key.kind === 'text' ? key.text : key.kind === 'name' ? key.name : ''
  switch (word) {
    case 'q':
      return { state, effects: [{ kind: 'quit', how: 'asked' }] }
    case '?':
      return page?.kind === 'help' ? back(state) : opened(state, { kind: 'help', top: 0 })
    case 'escape':
    case 'left':
    case 'backspace':
      return word === 'escape' || page !== undefined ? back(state) : quiet(state)
    case 'i':
      return page?.kind === 'own' ? quiet(state) : opened(state, { kind: 'own', at: undefined, top: 0 })
  }
  if (page?.kind === 'own' && (word === 'enter' || word === 'w' || word === 'r')) return answer(state, page.at)
  if (page?.kind === 'help') return quiet(state)
  if (page === undefined && word === '/') {
    const line = { before: state.filter, after: '' }
    return quiet(inSight({ ...state, prompt: { kind: 'filter', line, before: state.filter } }))
  }
  if (page === undefined && word === 'a' && state.board !== undefined) {
    const showsAll = !state.showsAll
    return { state: inSight({ ...state, showsAll, items: itemsOf(state.board, showsAll) }), effects: LOOK }
  }
  if (target === undefined || page?.kind === 'own') return quiet(state)
  switch (word) {
    case 'enter':
    case 'right':
      return page === undefined ? opened(state, { kind: 'session', id: target.id, top: 0 }) : quiet(state)
    case 'm':
      return page?.kind === 'mail' ? quiet(state) : opened(state, { kind: 'mail', id: target.id, top: 0 })
    case 'w':
      return quiet(
        inSight({
          ...state,
          prompt: { kind: 'write', to: target, replyTo: undefined, isRequest: false, line: EMPTY_LINE },
        }),
      )
    case 'c':
      return quiet(inSight({ ...state, prompt: { kind: 'complete', target } }))
    case 'o':
      return { state, effects: [{ kind: 'open', target }] }
    default:
      return quiet(inSight(state))
  }
}

function opened(state: State, page: Page): Next {
  return { state: { ...state, pages: [...state.pages, page], loaded: undefined }, effects: LOOK }
}

function back(state: State): Next {
  if (state.pages.length > 0) {
    return { state: { ...state, pages: state.pages.slice(0, -1), loaded: undefined }, effects: LOOK }
  }
  return state.filter === '' ? quiet(inSight(state)) : { state: { ...state, filter: '' }, effects: LOOK }
}

function answer(state: State, at: string | undefined): Next {
  const message = state.loaded?.kind === 'own' ? state.loaded.messages.find(({ id }) => id === at) : undefined
  if (message === undefined) return quiet(state)
  const to = { id: message.from.id, label: message.from.name }
  return quiet({
    ...state,
    prompt: { kind: 'write', to, replyTo: message.id, isRequest: false, line: EMPTY_LINE },
  })
}

/** The session that keys are about: that of the page, else the selected one. */
function targetOf(state: State): Named | undefined {
  const page = pageOf(state)
  const id = page !== undefined && 'id' in page ? page.id : state.selected
  const row = state.board?.sessions.find((each) => each.id === id)
  return row === undefined ? undefined : { id: row.id, label: nameOf(row) }
}
