/** The keys: what help says of them, and what stands at the bottom of the screen. */

import type { Pair } from '../facts.ts'
import type { View } from '../output.ts'
import { cut, widthOf } from '../width.ts'
import { pageOf, type State } from './state.ts'

export const HELP: readonly Pair[] = [
  ['up, down, j, k', 'select a session, or scroll'],
  ['PgUp, PgDn, Home, End', 'by pages, to the first and the last'],
  ['Enter', 'everything known about the session'],
  ['o', 'go to where the session runs, or say how'],
  ['m', 'look at its unread mail; it stays unread'],
  ['w', 'write to it, in your name'],
  ['c', 'mark it as completed, after a question'],
  ['i', 'your own mail: read it, and answer'],
  ['/', 'show only sessions with some words; Esc shows all'],
  ['a', 'show all that are over, or only the latest'],
  ['Ctrl-L, Ctrl-Z', 'draw again; back to the shell, fg returns'],
  ['Esc', 'back'],
  ['q, Ctrl-C', 'quit'],
]

type Hint = readonly [key: string, does: string]

const LIST: readonly Hint[] = [
  ['enter', 'details'],
  ['i', 'your mail'],
  ['w', 'write'],
  ['m', 'its mail'],
  ['o', 'open'],
  ['c', 'complete'],
  ['/', 'filter'],
  ['a', 'all'],
]
const SESSION: readonly Hint[] = [
  ['esc', 'back'],
  ['w', 'write'],
  ['m', 'its mail'],
  ['o', 'open'],
  ['c', 'complete'],
]
const MAIL: readonly Hint[] = [
  ['esc', 'back'],
  ['w', 'write'],
]
const OWN: readonly Hint[] = [
  ['esc', 'back'],
  ['enter', 'answer'],
  ['j k', 'next, previous'],
]
const EMPTY: readonly Hint[] = [['i', 'your mail']]
const SCROLL: Hint = ['j k', 'scroll']
const ALWAYS: readonly Hint[] = [
  ['?', 'help'],
  ['q', 'quit'],
]

/** As many as fit; help and quit always, and the most used before the rest. `isLonger`: the text goes on beyond the screen. */
export function hintsOf(state: State, { columns, paint }: View, isLonger: boolean): string {
  const page = pageOf(state)
  const all =
    page === undefined
      ? state.selected === undefined
        ? EMPTY
        : LIST
      : { help: [['esc', 'back'] as const], session: SESSION, mail: MAIL, own: OWN }[page.kind]
  const own = isLonger && all !== OWN ? [...all.slice(0, 1), SCROLL, ...all.slice(1)] : all
  const plain = (hints: readonly Hint[]) => hints.map(([key, does]) => `${key} ${does}`).join('  ')
  for (let n = own.length; n >= 0; n--) {
    const hints = [...own.slice(0, n), ...ALWAYS]
    if (widthOf(plain(hints)) <= columns) {
      return hints.map(([key, does]) => `${paint.strong(key)} ${paint.faint(does)}`).join('  ')
    }
  }
  return cut(plain(ALWAYS), columns)
}
