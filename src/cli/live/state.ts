/** Everything the live view knows; what a key or a look changes is in update.ts, what is drawn of it in frame.ts. */

import type { MessageView, SessionView } from '../../core/answers.ts'
import type { Skipped } from '../../core/ports.ts'
import type { Line } from './line.ts'
import type { Board, Item } from './order.ts'

export interface Size {
  readonly columns: number
  readonly rows: number
}

/** What lies over the list. A page of text is scrolled by `top`. */
export type Page =
  | { readonly kind: 'help'; readonly top: number }
  | { readonly kind: 'session'; readonly id: string; readonly top: number }
  | { readonly kind: 'mail'; readonly id: string; readonly top: number }
  /** The inbox of whoever looks: `at` is the message that would be answered. */
  | { readonly kind: 'own'; readonly at: string | undefined; readonly top: number }

export interface Named {
  readonly id: string
  readonly label: string
}

export type Prompt =
  | { readonly kind: 'filter'; readonly line: Line; readonly before: string }
  | {
      readonly kind: 'write'
      readonly to: Named
      readonly replyTo: string | undefined
      readonly isRequest: boolean
      readonly line: Line
      /** Why it was not sent the last time; gone with the next key that changes it. */
      readonly trouble?: string
    }
  | { readonly kind: 'complete'; readonly target: Named }

export interface Notice {
  readonly tone: 'good' | 'warn' | 'plain'
  readonly text: string
  /** The message whose receipt it tells. */
  readonly messageId?: string
}

export interface Mail {
  readonly unread: number
  readonly oldestUnreadSeconds?: number
}

/** What was loaded for the page on top, and whose it is. */
export type Loaded =
  | { readonly kind: 'session'; readonly id: string; readonly view: SessionView }
  | {
      readonly kind: 'mail'
      readonly id: string
      readonly messages: readonly MessageView[]
      readonly remaining: number
    }
  | {
      readonly kind: 'own'
      readonly messages: readonly MessageView[]
      /** Ids of those that were unread until now. */
      readonly fresh: ReadonlySet<string>
      readonly remaining: number
    }
  | { readonly kind: 'trouble'; readonly text: string }

export interface State {
  readonly size: Size
  readonly version: string
  readonly home: string
  /** Undefined before the first look is back. */
  readonly board: Board | undefined
  readonly items: readonly Item[]
  readonly partial: readonly Skipped[]
  readonly mailOf: ReadonlyMap<string, Mail>
  readonly own: Mail
  /** Whose shell it is, where it is a session’s. */
  readonly you: string | undefined
  /** It was started for some sessions only: none of them does not mean none at all. */
  readonly isNarrowed: boolean
  readonly filter: string
  readonly showsAll: boolean
  readonly selected: string | undefined
  /** Index of the first item on the screen. */
  readonly top: number
  readonly pages: readonly Page[]
  readonly loaded: Loaded | undefined
  readonly prompt: Prompt | undefined
  /** What was refused while something else was asked: it is asked again after that. */
  readonly unsent: readonly Prompt[]
  readonly notice: Notice | undefined
}

export interface Sending {
  readonly kind: 'send'
  readonly to: Named
  readonly text: string
  readonly replyTo: string | undefined
  readonly isRequest: boolean
}

export type Effect =
  /** Look at the bus again, now. */
  | { readonly kind: 'look' }
  | { readonly kind: 'quit'; readonly how: 'asked' | 'interrupted' }
  | { readonly kind: 'suspend' }
  | { readonly kind: 'redraw' }
  | Sending
  | { readonly kind: 'complete'; readonly target: Named }
  | { readonly kind: 'open'; readonly target: Named }

export function startState(start: Pick<State, 'size' | 'version' | 'home' | 'you' | 'isNarrowed'>): State {
  return {
    ...start,
    board: undefined,
    items: [],
    partial: [],
    mailOf: new Map(),
    own: { unread: 0 },
    filter: '',
    showsAll: false,
    selected: undefined,
    top: 0,
    pages: [],
    loaded: undefined,
    prompt: undefined,
    unsent: [],
    notice: undefined,
  }
}

export function pageOf({ pages }: State): Page | undefined {
  return pages.at(-1)
}
