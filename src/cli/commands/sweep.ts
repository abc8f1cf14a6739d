import type { SweepAnswer } from '../../core/answers.ts'
import { defineCommand } from '../define.ts'
import { EXIT } from '../exit.ts'
import { count, listing } from '../words.ts'

export default defineCommand({
  name: 'sweep',
  summary: 'remove what has expired',
  description: [
    'Removes sessions whose time to live has passed and messages older than --message-ttl; unread mail of a living session is kept. Running servers do this by themselves every few minutes: expired sessions are hidden at once in any case.',
  ],
  args: { dryRun: { kind: 'flag', help: 'only say what would be removed' } },
  examples: [{ line: 'session-mcp sweep --dry-run', does: 'what would go' }],
  async run({ out, open }, { dryRun }) {
    const { bus } = await open()
    await out.answer(await bus.sweep({ dryRun }), renderSweep)
    return EXIT.ok
  },
})

export function renderSweep({ dryRun, sessions, messages, inboxes, leftovers, kept }: SweepAnswer): string {
  const parts = [
    ...(sessions.length === 0 ? [] : [`${count(sessions.length, 'session')} (${shortList(sessions)})`]),
    ...(messages.unread === 0 ? [] : [count(messages.unread, 'unread message')]),
    ...(messages.read === 0 ? [] : [count(messages.read, 'read message')]),
    ...(inboxes === 0 ? [] : [count(inboxes, 'empty inbox', 'empty inboxes')]),
    ...(leftovers === 0 ? [] : [`${count(leftovers, 'leftover')} of processes that are gone`]),
  ]
  const stay = `${count(kept, 'session')} ${kept === 1 ? 'stays' : 'stay'}.`
  const sentence = stay.charAt(0).toUpperCase() + stay.slice(1)
  if (parts.length === 0) return `Nothing has expired. ${sentence}`
  return `${dryRun ? 'Would remove' : 'Removed'} ${listing(parts)}. ${sentence}`
}

function shortList(ids: readonly string[]): string {
  return ids.length <= 5 ? ids.join(', ') : `${ids.slice(0, 5).join(', ')}, ...`
}
