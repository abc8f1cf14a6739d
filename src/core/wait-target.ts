/** What a wait is for: the sessions, the states, and how far the caller had seen them before. */

import { ACTIVITIES } from './activity.ts'
import { resolve } from './address.ts'
import type { WaitInput } from './bus.ts'
import type { Caller } from './caller.ts'
import type { Context } from './context.ts'
import { BusError } from './errors.ts'
import { isId, quote } from './ids.ts'
import { LIMITS } from './limits.ts'
import type { Entry } from './ports.ts'
import { label, STATUSES } from './session.ts'

const STATES = ['finished', 'closed', 'changed', ...STATUSES, ...ACTIVITIES] as const

/** How far the caller had seen one session: statusSeq and activitySeq. */
export type Seen = readonly [number, number]

export interface Target {
  readonly id: string
  readonly label: string
  /** Changes after this count for `changed` and for states that came and went. */
  readonly since: Seen
}

export function checkUntil(until: readonly string[] | undefined): readonly string[] {
  if (until === undefined || until.length === 0) return ['finished']
  for (const state of until) {
    if (!(STATES as readonly string[]).includes(state)) {
      throw new BusError('BAD_INPUT', `until ${quote(state)} is not a state.`, `One or more of: ${STATES.join(', ')}.`)
    }
  }
  return until
}

export async function targetsOf(context: Context, caller: Caller, input: WaitInput): Promise<readonly Target[]> {
  if (input.sessions.length === 0)
    throw new BusError('BAD_INPUT', 'sessions is empty.', 'Name the sessions to wait for, by id or name.')
  if (input.sessions.length > LIMITS.targets) {
    throw new BusError(
      'BAD_INPUT',
      `sessions names ${input.sessions.length}; at most ${LIMITS.targets} are accepted.`,
      'Wait for fewer at a time.',
    )
  }
  const since = input.cursor === undefined ? new Map<string, Seen>() : decodeCursor(input.cursor)
  // The cursor keeps the order of the call it answers, so it still knows the id of a name that is gone by now.
  const ids = since.size === input.sessions.length ? [...since.keys()] : []
  const targets = new Map<string, Target>()
  for (const [index, text] of input.sessions.entries()) {
    const isSelf = caller.kind === 'session' && text.trim() === 'me'
    const entry = await resolve(context, isSelf ? caller.id : text).catch((fault) => {
      if (ids[index] === undefined) throw fault
    })
    const id = entry?.session.id ?? ids[index] ?? text
    if (caller.kind === 'session' && id === caller.id) {
      throw new BusError(
        'WAIT_CYCLE',
        'A session cannot wait for itself.',
        'Leave yourself out of sessions; to wait for mail alone, read_inbox later.',
      )
    }
    const now = entry === undefined ? ([0, 0] as const) : seqOf(entry)
    targets.set(id, { id, label: entry === undefined ? id : label(entry.session), since: since.get(id) ?? now })
  }
  if (input.cursor !== undefined && ![...targets.keys()].some((id) => since.has(id))) {
    throw new BusError(
      'BAD_CURSOR',
      'cursor belongs to a wait for other sessions.',
      'Pass the cursor together with the sessions it was made for, or leave it out.',
    )
  }
  return [...targets.values()]
}

function decodeCursor(text: string): Map<string, Seen> {
  const seen = new Map<string, Seen>()
  for (const part of text.split(',')) {
    const [, id, status, activity] = /^([A-Za-z0-9_-]+):(\d{1,15})\.(\d{1,15})$/.exec(part) ?? []
    if (id === undefined || !isId(id))
      throw new BusError(
        'BAD_CURSOR',
        `cursor ${quote(text)} is not one of this tool.`,
        'Pass the cursor of the answer before, or leave it out.',
      )
    seen.set(id, [Number(status), Number(activity)])
  }
  return seen
}

export function seqOf(entry: Entry): Seen {
  return [entry.session.statusSeq, entry.activity?.activitySeq ?? 0]
}
