/** Keys while something is asked at the bottom of the screen. */

import { LIMITS } from '../../core/limits.ts'
import type { Key } from './key.ts'
import { type Edit, EMPTY_LINE, edit, type Line, textOf, typeInto } from './line.ts'
import type { Effect, Prompt, State } from './state.ts'

interface Next {
  readonly state: State
  readonly effects: readonly Effect[]
}

const EDITS: Readonly<Record<string, Edit>> = {
  left: 'left',
  right: 'right',
  home: 'home',
  end: 'end',
  backspace: 'backspace',
  delete: 'delete',
  'ctrl-a': 'home',
  'ctrl-e': 'end',
  'ctrl-b': 'left',
  'ctrl-f': 'right',
  'ctrl-d': 'delete',
  'ctrl-h': 'backspace',
  'ctrl-u': 'clear',
  'ctrl-w': 'word',
}

/** Characters beyond which nothing is typed any more: more is never sent, and no session is found by it. */
const MOST = { write: 2 * LIMITS.messageBytes, filter: 200 }

export function promptKey(state: State, prompt: Prompt, key: Key): Next {
  const word = key.kind === 'text' ? key.text : key.kind === 'name' ? key.name : `ctrl-${key.letter}`
  if (prompt.kind === 'complete') {
    if (key.kind === 'text' && !key.isPaste && word.toLowerCase() === 'y') {
      return { state: closed(state), effects: [{ kind: 'complete', target: prompt.target }] }
    }
    const isNo = (key.kind === 'text' && !key.isPaste && word.toLowerCase() === 'n') || word === 'escape'
    return { state: isNo ? closed(state) : state, effects: [] }
  }
  if (key.kind === 'name' && word === 'escape') return cancelled(state, prompt)
  if (key.kind === 'name' && word === 'enter') return entered(state, prompt)
  if (key.kind === 'name' && word === 'tab') {
    return prompt.kind === 'write' && prompt.replyTo === undefined
      ? { state: { ...state, prompt: { ...prompt, isRequest: !prompt.isRequest } }, effects: [] }
      : { state, effects: [] }
  }
  const isFull = key.kind === 'text' && textOf(prompt.line).length >= MOST[prompt.kind]
  const line = isFull ? prompt.line : lineAfter(prompt.line, key, word)
  if (line === prompt.line) return { state, effects: [] }
  if (prompt.kind === 'write') {
    const { trouble: _, ...rest } = prompt
    return { state: { ...state, prompt: { ...rest, line } }, effects: [] }
  }
  const filter = textOf(line)
  return { state: { ...state, filter, top: 0, prompt: { ...prompt, line } }, effects: [{ kind: 'look' }] }
}

function lineAfter(line: Line, key: Key, word: string): Line {
  if (key.kind === 'text') return typeInto(line, key.text)
  const how = EDITS[word]
  return how === undefined ? line : edit(line, how)
}

function closed(state: State): State {
  const [prompt, ...unsent] = state.unsent
  return { ...state, prompt, unsent }
}

function cancelled(state: State, prompt: Prompt): Next {
  if (prompt.kind === 'filter') return { state: { ...closed(state), filter: '', top: 0 }, effects: [{ kind: 'look' }] }
  const wasEmpty = prompt.kind === 'write' && textOf(prompt.line) === ''
  const notice = wasEmpty ? state.notice : ({ tone: 'plain', text: 'Nothing was sent.' } as const)
  return { state: { ...closed(state), notice }, effects: [] }
}

function entered(state: State, prompt: Exclude<Prompt, { kind: 'complete' }>): Next {
  if (prompt.kind === 'filter') {
    return { state: { ...closed(state), filter: state.filter.trim() }, effects: [{ kind: 'look' }] }
  }
  const text = textOf(prompt.line)
  if (text.trim() === '') return { state: { ...state, prompt: { ...prompt, line: EMPTY_LINE } }, effects: [] }
  const { to, replyTo, isRequest } = prompt
  return { state: closed(state), effects: [{ kind: 'send', to, text, replyTo, isRequest }] }
}
