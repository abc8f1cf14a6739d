/** What `set_input` leaves in an input line: a person who sends it has to see that somebody else wrote it. */

import type { Action } from './action.ts'
import { HUMAN_ID } from './caller.ts'

export function typedText({ by, params }: Pick<Action, 'by' | 'params'>): string {
  const who = by.id === HUMAN_ID ? 'the person at this machine' : `session ${by.name}`
  return `[from ${who}] ${params.text ?? ''}`
}
