/** One message: one file in one recipient's inbox, created once and never modified. */

import { LIMITS } from './limits.ts'

export const INTENTS = ['request', 'inform', 'ack'] as const
export type Intent = (typeof INTENTS)[number]
export const PRIORITIES = ['normal', 'high'] as const
export type Priority = (typeof PRIORITIES)[number]
export const ACTIVATIONS = ['auto', 'always', 'never'] as const
export type Activate = (typeof ACTIVATIONS)[number]

export interface Message {
  /** `msg-{t}-{random}`: sorts by time of sending. Opaque. */
  readonly id: string
  readonly from: {
    readonly id: string
    readonly name: string
    /** False where the sender's id was an argument and nothing vouches for it. */
    readonly verified: boolean
  }
  readonly to: string
  /** The group or project the sender addressed, where it was one. */
  readonly via?: string
  readonly sentAt: string
  /** The sender's clock in microseconds: strictly increasing per process, never behind a message it had seen. */
  readonly t: number
  readonly content: string
  readonly activationMessage?: string
  readonly activate: Activate
  readonly replyTo?: string
  readonly intent: Intent
  readonly priority: Priority
  /** How many replies deep in a chain. */
  readonly hops: number
}

/** The sender's record of one send: made before the messages, so that every delivered text has one. */
export interface Sent {
  readonly id: string
  readonly from: string
  readonly to: readonly string[]
  readonly sentAt: string
  readonly intent: Intent
  readonly replyTo?: string
}

/** Where a message is, as its recipient's folder shows it. */
export type Place = 'unread' | 'claimed' | 'read' | 'damaged'

/**
 * @throws Error saying which field is wrong. The reader sets such a file aside; it never deletes it.
 */
export function decodeMessage(raw: unknown): Message {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) throw new Error('not an object')
  const r = raw as Record<string, unknown>
  for (const field of ['id', 'to', 'sentAt', 'content']) {
    if (typeof r[field] !== 'string') throw new Error(`field ${field} is not text`)
  }
  const from = r['from'] as Record<string, unknown> | undefined
  if (typeof from !== 'object' || from === null || typeof from['id'] !== 'string')
    throw new Error('field from is not a sender')
  const sentAtMs = Date.parse(String(r['sentAt']))
  if (Number.isNaN(sentAtMs)) throw new Error('field sentAt is not a time')
  return {
    ...r,
    from: { verified: false, name: from['id'], ...from },
    t: typeof r['t'] === 'number' ? r['t'] : sentAtMs * 1000,
    intent: INTENTS.includes(r['intent'] as Intent) ? r['intent'] : 'inform',
    priority: r['priority'] === 'high' ? 'high' : 'normal',
    activate: ACTIVATIONS.includes(r['activate'] as Activate) ? r['activate'] : 'auto',
    hops: typeof r['hops'] === 'number' ? r['hops'] : 0,
  } as unknown as Message
}

const MESSAGE_ID = /^msg-[0-9a-z]{11}-[0-9a-z]{8}$/

export function isMessageId(text: string): boolean {
  return MESSAGE_ID.test(text)
}

/** The id of a message: names sort by `t`, and nobody reads anything else out of them. */
export function messageId(t: number, random: string): string {
  return `msg-${t.toString(36).padStart(11, '0')}-${random}`
}

/** The clock of one process's messages. */
export interface MessageClock {
  /** Microseconds, strictly greater than every value returned or seen before. */
  next(nowMicros: number): number
  /** Keeps replies behind what they answer. A time far ahead of `nowMicros` is a wrong clock and is ignored. */
  saw(t: number, nowMicros: number): void
}

export function createMessageClock(): MessageClock {
  let last = 0
  return {
    next(nowMicros) {
      last = Math.max(last + 1, Math.floor(nowMicros))
      return last
    },
    saw(t, nowMicros) {
      if (t > last && t <= nowMicros + LIMITS.clockSkewMs * 1000) last = t
    },
  }
}
