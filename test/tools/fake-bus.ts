/** A bus that only records: what the tools and the server ask of the port, without the rules behind it. */

import type { InboxAnswer } from '../../src/core/answers.ts'
import type { Bus, HandOver } from '../../src/core/bus.ts'
import type { Caller, CallerHints } from '../../src/core/caller.ts'

export interface Recorded {
  readonly method: keyof Bus
  readonly input: unknown
  readonly caller?: Caller
}

export interface FakeBus extends Bus {
  readonly calls: Recorded[]
  readonly hints: CallerHints[]
  /** The inputs of all calls of one method. */
  inputs(method: keyof Bus): unknown[]
}

const AT = '2026-11-30T12:00:00.000Z'
const ROW = {
  id: 's-2',
  task: 'review',
  status: 'active',
  activity: 'idle',
  host: 'generic',
  projectPath: '/p',
  updatedAt: AT,
  unread: 0,
} as const

export const INBOX: InboxAnswer = { sessionId: 's-1', messages: [], remaining: 0, peek: false, note: 'From sessions.' }

/** An answer whose settling is recorded in `settled`. */
export function recordingHandOver(settled: string[], answer: InboxAnswer = INBOX): HandOver<InboxAnswer> {
  return {
    answer,
    async handedOver() {
      settled.push('handed over')
    },
    async notHandedOver() {
      settled.push('given back')
    },
  }
}

export function fakeBus(over: Partial<Bus> = {}): FakeBus {
  const calls: Recorded[] = []
  const hints: CallerHints[] = []
  const note = <T>(method: keyof Bus, caller: Caller, input: unknown, answer: T): Promise<T> => {
    calls.push({ method, caller, input })
    return Promise.resolve(answer)
  }
  return {
    calls,
    hints,
    inputs: (method) => calls.filter((call) => call.method === method).map((call) => call.input),
    async identify(given) {
      hints.push(given)
      return { kind: 'nobody', connection: given.connection, host: given.host }
    },
    update: (caller, input) =>
      note('update', caller, input, { id: 's-1', registered: true, status: 'active', ttl: '4h', projectPath: '/p' }),
    list: (caller, input) => note('list', caller, input, { sessions: [ROW], total: 1, open: 1 }),
    glance: (caller, input) => note('glance', caller, input, { sessions: [{ ...ROW, waitingFor: [] }] }),
    query: (caller, target) =>
      note('query', caller, target, {
        ...ROW,
        aliases: [],
        tags: [],
        metadata: {},
        evidence: 'none',
        wakeable: true,
        doors: [],
        waitingFor: [],
        watching: [],
        followers: [],
        damagedMessages: 0,
        ttl: '4h',
        createdAt: AT,
      }),
    create: (caller, input) =>
      note('create', caller, input, {
        sessionId: 's-3',
        host: 'generic',
        action: { id: 'act-000000001', kind: 'create', state: 'done', evidence: 'a window was opened' },
      }),
    manage: (caller, input) =>
      note('manage', caller, input, {
        session: input.session,
        operation: input.operation,
        action: { id: 'act-000000002', kind: input.operation, state: 'done', evidence: 'the window was told' },
      }),
    send: (caller, input) => note('send', caller, input, { messageId: 'm-1', sentAt: AT, from: 's-1', to: [] }),
    read: (caller, input) => note('read', caller, input, recordingHandOver([])),
    receipt: (caller, messageId) =>
      note('receipt', caller, messageId, { messageId, from: 's-1', sentAt: AT, recipients: [] }),
    wait: (caller, input, options) =>
      note(
        'wait',
        caller,
        { ...input, options },
        {
          done: false,
          reason: 'timeout',
          sessions: [],
          pending: ['s-2'],
          cursor: 'c',
          waitedMs: 0,
          timeoutMs: options?.ceilingMs ?? 0,
        },
      ),
    watch: (caller, input) => note('watch', caller, input, { watching: [], added: [], removed: [] }),
    complete: (caller, input) =>
      note('complete', caller, input, {
        id: 's-1',
        status: 'completed',
        closedAt: AT,
        expiresAt: AT,
        followers: [],
        unread: 0,
        next: 'update_session opens it again.',
      }),
    onRosterChange: async () => ({ close() {} }),
    news: async () => undefined,
    sweep: async () => ({
      dryRun: false,
      sessions: [],
      messages: { unread: 0, read: 0 },
      inboxes: 0,
      leftovers: 0,
      kept: 0,
    }),
    ...over,
  }
}
