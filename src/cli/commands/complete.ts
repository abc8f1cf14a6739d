import type { CompleteAnswer } from '../../core/answers.ts'
import { BusError } from '../../core/errors.ts'
import { defineCommand } from '../define.ts'
import { EXIT } from '../exit.ts'
import type { View } from '../output.ts'
import { nameOf } from '../session-rows.ts'
import { onBehalfOf } from '../who.ts'
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
    const isOwn = who.session?.id === id
    if (!isOwn && (who.session !== undefined || who.among.length > 0)) {
      throw new BusError(
        'IDENTITY_MISMATCH',
        `This shell runs inside another session, and only ${target} itself or the person may close it. Nothing was changed.`,
        'Send it a message and ask, or tell the person.',
      )
    }
    const entry = await store.sessions.read(id)
    if (entry === undefined)
      throw new BusError('SESSION_NOT_FOUND', `The session ${target} is gone.`, 'See session-mcp list.')
    const caller = isOwn ? who.caller : onBehalfOf(entry.session)
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
