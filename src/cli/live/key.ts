/** What was pressed, from what the terminal sent: keys with names, and text. */

import { safeText } from '../safe-text.ts'

export type Name =
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'pageup'
  | 'pagedown'
  | 'home'
  | 'end'
  | 'enter'
  | 'escape'
  | 'tab'
  | 'backspace'
  | 'delete'

export type Key =
  | { readonly kind: 'name'; readonly name: Name }
  | { readonly kind: 'ctrl'; readonly letter: string }
  /** One character, or more of a paste: a paste is text and never a command. */
  | { readonly kind: 'text'; readonly text: string; readonly isPaste: boolean }

/** What the library says of a key, as far as it is used. */
export interface Pressed {
  readonly upArrow: boolean
  readonly downArrow: boolean
  readonly leftArrow: boolean
  readonly rightArrow: boolean
  readonly pageUp: boolean
  readonly pageDown: boolean
  readonly home: boolean
  readonly end: boolean
  readonly return: boolean
  readonly escape: boolean
  readonly tab: boolean
  readonly backspace: boolean
  readonly delete: boolean
  readonly ctrl: boolean
}

const NAMES: readonly (readonly [keyof Pressed, Name])[] = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageUp', 'pageup'],
  ['pageDown', 'pagedown'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'escape'],
  ['tab', 'tab'],
  ['backspace', 'backspace'],
  // Terminals send the same byte for both, and the library calls it delete.
  ['delete', 'backspace'],
]

/** xterm's and rxvt's forms of a key with modifiers, and of everything else that has numbers in it. */
const NUMBERED = /\u001b+(?:\[(?!\[)[\d;]*\d[\d;]*[A-Za-z~^$]|[ON]\d[\d;]*[A-Za-z~^$])/g
const KNOWN =
  /^\u001b+(?:\[(?:[\d;]*[A-FHa-e]|(?:[1-8]|1[1-57-9]|2[0134]|20[01])(?:;\d+)?~|[235-8][$^])|O\d[A-FHPQRSa-e])$/

/** What the terminal sent without what is no key here: the library ends with an error at some of it, Ctrl-F1 and colours too. */
export function onlyKeys(sent: string): string {
  return sent.replace(NUMBERED, (sequence) => (KNOWN.test(sequence) ? sequence : ''))
}

const PASTE_BEGINS = '[200~'
const PASTE_ENDS = '[201~'
/** The real delete key, which the library names like backspace, and line feeds, which it does not name. */
const BY_CHARACTER: Readonly<Record<string, Name>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\u007f': 'backspace',
  '\b': 'backspace',
  '\u001b': 'escape',
}

/** Reads keys one after the other; it remembers whether a paste is under way. */
export function createKeyReader(): (input: string, pressed: Pressed) => readonly Key[] {
  let isPaste = false
  return (input, pressed) => {
    if (input === PASTE_BEGINS || input === PASTE_ENDS) {
      isPaste = input === PASTE_BEGINS
      return []
    }
    if (isPaste) return pasted(pressed.return ? '\n' : pressed.tab ? '\t' : input)
    if (pressed.ctrl && /^[a-z]$/.test(input)) return [{ kind: 'ctrl', letter: input }]
    const named = NAMES.find(([flag]) => pressed[flag])
    if (named !== undefined) return [{ kind: 'name', name: named[1] }]
    // What was typed faster than it was read comes in one piece, control characters included.
    return [...input].flatMap(keyOf)
  }
}

function pasted(text: string): readonly Key[] {
  const safe = safeText(text)
  return safe === '' ? [] : [{ kind: 'text', text: safe, isPaste: true }]
}

function keyOf(character: string): readonly Key[] {
  const name = BY_CHARACTER[character]
  if (name !== undefined) return [{ kind: 'name', name }]
  const code = character.charCodeAt(0)
  if (code >= 1 && code <= 26) return [{ kind: 'ctrl', letter: String.fromCharCode(code + 96) }]
  // Joiners and variation selectors belong to what is typed; all else that could drive a terminal does not.
  const text = /^[\u200c\u200d]$/.test(character) ? character : safeText(character)
  return text === '' ? [] : [{ kind: 'text', text, isPaste: false }]
}
