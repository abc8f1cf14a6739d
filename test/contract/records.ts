/** Records as a test needs them: valid, small, and different from each other. */

import { type Activity, freshActivity } from '../../src/core/activity.ts'
import { type Message, messageId, type Sent } from '../../src/core/message.ts'
import type { Session } from '../../src/core/session.ts'

export const NOON = '2026-11-30T12:00:00.000Z'
const NOON_MICROS = Date.parse(NOON) * 1000

export function aSession(id: string, over: Partial<Session> = {}): Session {
  return {
    id,
    aliases: [],
    task: `task of ${id}`,
    projectPath: '/p/one',
    status: 'active',
    host: { kind: 'generic', hostKey: id, doors: [] },
    tags: [],
    metadata: {},
    watching: [],
    wakeable: true,
    selfNamed: false,
    createdAt: NOON,
    updatedAt: NOON,
    ttl: '4h',
    statusSeq: 1,
    trail: [],
    ...over,
  }
}

export function anActivity(id: string, over: Partial<Activity> = {}): Activity {
  return { ...freshActivity(id, NOON), ...over }
}

let messages = 0

/** `at` orders messages: a later one has a greater id. */
export function aMessage(to: string, at: number, over: Partial<Message> = {}): Message {
  const t = NOON_MICROS + at
  return {
    id: messageId(t, (messages++).toString(36).padStart(8, '0')),
    from: { id: 'sender', name: 'sender', verified: true },
    to,
    sentAt: new Date(Math.floor(t / 1000)).toISOString(),
    t,
    content: `message ${at} to ${to}`,
    activate: 'auto',
    intent: 'inform',
    priority: 'normal',
    hops: 0,
    ...over,
  }
}

export function aSent(from: string, at: number, over: Partial<Sent> = {}): Sent {
  const { id, sentAt } = aMessage('x', at)
  return { id, from, to: ['x'], sentAt, intent: 'inform', ...over }
}
