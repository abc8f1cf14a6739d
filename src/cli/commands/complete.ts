import type { CompleteAnswer } from '../../core/answers.ts'
import { defineCommand } from '../define.ts'
import { EXIT } from '../exit.ts'
import type { View } from '../output.ts'
import { nameOf } from '../session-rows.ts'
import { closingCaller } from '../who.ts'
import { count, listing, when } from '../words.ts'

export default defineCommand({
  name: 'complete',
  summary: 'close a session on the bus',
  description: [
    'Marks a session as completed, or with --cancelled as cancelled. It can then no longer change, those who wait for it or follow it are told, and it stays listed until its time to live has passed. Unread mail stays in its inbox.',
    'A session may close itself, the person may close any. Only the record is closed: the program the session runs in goes on.',
  ],
  args: {
    session: { kind: 'positional', required: true, help: 'its id or name' },
    result: { kind: 'text', value: 'TEXT', help: 'what came out of it; those who wait are shown this' },
    cancelled: { kind: 'flag', help: 'it was given up rather than finished' },
    ttl: { kind: 'text', value: 'TIME', help: 'how long it stays listed: 300s, 30m, 4h, 7d' },
  },
  examples: [
    { line: 'session-mcp complete reviewer --result="Approved"', does: 'done, with a result' },
    { line: 'session-mcp complete 4f1c0a52 --cancelled --ttl=10m', does: 'given up, and soon gone from the list' },
  ],
  async run({ out, open, shell }, { session: target, result, cancelled, ttl }) {
    const { bus, store } = await open()
    const who = await shell()
    const { id } = await bus.query(who.caller, target)
    const caller = closingCaller(who, target, id, await store.sessions.read(id))
    const answer = await bus.complete(caller, { result, status: cancelled ? 'cancelled' : 'completed', ttl })
    await out.answer(answer, renderComplete)
    return EXIT.ok
  },
})

export function renderComplete(answer: CompleteAnswer, { paint, nowMs }: View): string {
  const { status, expiresAt, followers, unread } = answer
  return [
    `${paint.name(nameOf(answer))} is ${paint.good(status)}, and leaves the list ${when(expiresAt, nowMs)}.`,
    ...(followers.length === 0 ? [] : [`Told: ${listing(followers)}.`]),
    ...(unread === 0 ? [] : [`${count(unread, 'message')} in its inbox ${unread === 1 ? 'stays' : 'stay'} unread.`]),
  ].join('\n')
}
