/** Actions: what a host must do to a tab. Data, and the check of each operation's own parameters. */

import { BusError } from './errors.ts'
import { quote } from './ids.ts'
import { LIMITS } from './limits.ts'
import { requireName } from './name.ts'
import type { ProcessRef } from './process-ref.ts'
import { requireBody, requireLine } from './text.ts'

export const OPERATIONS = [
  'switch',
  'close',
  'cancel',
  'set_model',
  'set_scene',
  'set_input',
  'pin',
  'unpin',
  'send_message',
  'rename',
] as const
export type Operation = (typeof OPERATIONS)[number]
export type ActionKind = 'create' | Operation

/**
 * How long after it was asked for an action may still be begun, ms: later the tab, the turn or the person it was meant for
 * is another one. A setting keeps its sense for longer than what moves a tab.
 */
const BEGINS_WITHIN_MS: Readonly<Record<ActionKind, number>> = {
  create: LIMITS.spawnWaitMs,
  cancel: 30_000,
  switch: 120_000,
  close: 120_000,
  set_input: 120_000,
  send_message: 120_000,
  set_model: 600_000,
  set_scene: 600_000,
  pin: 600_000,
  unpin: 600_000,
  rename: 600_000,
}

/** `requested`: it waits for its executor. `unknown`: its executor died over it; it is never tried again. */
export type ActionState = 'requested' | 'done' | 'unsupported' | 'failed' | 'unknown'

/** Where a session can be reached, from its record: what an executor needs beside the parameters. */
export interface ActionTarget {
  readonly id: string
  readonly name?: string
  readonly hostKind: string
  /** The host's own id of the conversation, as given. */
  readonly hostSessionId: string
  readonly client?: ProcessRef
  readonly pane?: string
  readonly terminal?: string
  readonly job?: string
  /** The process that shows it in its pane, where its client is a server elsewhere. */
  readonly view?: ProcessRef
  /** Where its host keeps settings and conversations. */
  readonly folder?: string
  /** What its host was last seen doing, as in the activity record: a dialog that is open takes whatever is typed. */
  readonly activity?: string
  /** Of a create: the terminal of whoever asks, and the folder of its host where the new session is of the same. */
  readonly beside?: { readonly pane?: string; readonly terminal?: string; readonly folder?: string }
}

/** Only what the operation takes; checked before it is written anywhere. */
export interface ActionParams {
  readonly text?: string
  readonly model?: string
  readonly scene?: string
  readonly name?: string
  /** Of a create: the host to start, where, and the whole first prompt. */
  readonly host?: string
  readonly projectPath?: string
  readonly prompt?: string
  /** Of a create: binds the new conversation to its record, once. */
  readonly spawn?: string
}

export interface Action {
  readonly id: string
  readonly kind: ActionKind
  /** Whose queue it is in. */
  readonly executor: string
  readonly by: { readonly id: string; readonly name: string }
  readonly requestedAt: string
  /** Of a create: the record that was made for the new session. */
  readonly target: ActionTarget
  readonly params: ActionParams
  readonly state: ActionState
  readonly finishedAt?: string
  /** What the state was concluded from, or why it was not done. */
  readonly evidence?: string
}

/** What nobody began in time and nobody may begin any more: how that ended. Undefined while there is time. */
export function tooLate({ kind, requestedAt }: Action, nowMs: number): Outcome | undefined {
  const withinMs = BEGINS_WITHIN_MS[kind] ?? BEGINS_WITHIN_MS.cancel // a newer version may know others
  // Absolute, and not for what is no time: a clock that was set back must not keep it waiting.
  if (Math.abs(nowMs - Date.parse(requestedAt)) <= withinMs) return undefined
  return { state: 'failed', evidence: `not taken within ${withinMs / 1000} s; it is not done any more` }
}

/** Of an action whose taker is gone: it may have been done. */
export const TAKER_GONE = { state: 'unknown', evidence: 'its executor ended before it said how it went' } as const

/** How an action ended. */
export interface Outcome {
  readonly state: 'done' | 'unsupported' | 'failed' | 'unknown'
  readonly evidence: string
  /** What a person can do instead. */
  readonly byHand?: string
  /** Of a create: where the new session can be reached. */
  readonly place?: {
    readonly pane?: string
    readonly terminal?: string
    readonly job?: string
    readonly view?: ProcessRef
    readonly folder?: string
    readonly hostSessionId?: string
  }
}

export interface OperationInput {
  readonly text?: string | undefined
  readonly model?: string | undefined
  readonly scene?: string | undefined
  readonly name?: string | undefined
}

const TAKES: Readonly<Record<Operation, keyof OperationInput | undefined>> = {
  switch: undefined,
  close: undefined,
  cancel: undefined,
  set_model: 'model',
  set_scene: 'scene',
  set_input: 'text',
  pin: undefined,
  unpin: undefined,
  send_message: 'text',
  rename: 'name',
}

/** Never a flag, never an expression: what reaches a host's command line. */
const MODEL = /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}$/

/** The one parameter an operation takes, checked. @throws BusError BAD_INPUT, BAD_NAME, RECORD_TOO_LARGE */
export function checkOperation(operation: Operation, input: OperationInput): ActionParams {
  const takes = TAKES[operation]
  const given = (['text', 'model', 'scene', 'name'] as const).filter((field) => input[field] !== undefined)
  const foreign = given.find((field) => field !== takes)
  if (foreign !== undefined) {
    throw new BusError(
      'BAD_INPUT',
      `${operation} takes ${takes === undefined ? 'no parameter' : `only ${takes}`}, and ${foreign} was given.`,
      `Leave ${foreign} out${takes === undefined ? '' : `, and say what is wanted with ${takes}`}.`,
    )
  }
  if (takes === undefined) return {}
  const value = input[takes]
  if (value === undefined || value.trim() === '') {
    throw new BusError('BAD_INPUT', `${operation} needs ${takes}.`, `Call it again with ${takes}.`)
  }
  return { [takes]: CHECKS[takes](value) }
}

export function checkModel(model: string): string {
  if (MODEL.test(model)) return model
  throw new BusError(
    'BAD_INPUT',
    `model ${quote(model)} is not the name of a model.`,
    'A model is 1 to 128 letters, digits, ".", "_", ":", "/", "@" or "-", starting with a letter or digit.',
  )
}

export function checkScene(scene: string): string {
  return requireLine(scene, 'scene', LIMITS.nameChars * 2)
}

/** Text that is typed or sent: lines and tabs, nothing that steers a terminal. */
export function checkTyped(text: string, field: string): string {
  requireBody(text, field, LIMITS.activationBytes)
  const plain = text.replace(/\r\n?/g, '\n')
  if (!/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(plain)) return plain
  throw new BusError(
    'BAD_INPUT',
    `${field} holds a control character.`,
    'Send lines of plain text; only line breaks and tabs may stand between them.',
  )
}

const CHECKS: Readonly<Record<keyof OperationInput, (value: string) => string>> = {
  text: (value) => checkTyped(value, 'text'),
  model: checkModel,
  scene: checkScene,
  name: (value) => requireName(value),
}

/** Reads one written by this or a newer version. @throws Error saying which field is wrong. */
export function decodeAction(raw: unknown): Action {
  const record = (typeof raw === 'object' && raw !== null ? raw : {}) as Record<string, unknown>
  for (const field of ['id', 'kind', 'executor', 'requestedAt', 'state']) {
    if (typeof record[field] !== 'string') throw new Error(`field ${field} is not text`)
  }
  for (const field of ['by', 'target', 'params']) {
    if (typeof record[field] !== 'object' || record[field] === null) throw new Error(`field ${field} is not an object`)
  }
  return record as unknown as Action
}

const ACTION_ID = /^act-[0-9a-z]{10,40}$/

export function isActionId(text: string): boolean {
  return ACTION_ID.test(text)
}
