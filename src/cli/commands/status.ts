import type { ReceiptAnswer, ReceiptRow } from '../../core/answers.ts'
import { defineCommand } from '../define.ts'
import { EXIT } from '../exit.ts'
import type { View } from '../output.ts'
import { actingCaller } from '../who.ts'
import { when } from '../words.ts'

export default defineCommand({
  name: 'status',
  summary: 'tell what became of a message you sent',
  description: [
    'Shows the receipt: for each recipient whether the message is stored, in the hands of a reader or read, when and by whom, and whether it was answered. It says only what is known, and how.',
  ],
  args: { messageId: { kind: 'positional', required: true, help: 'as session-mcp send printed it' } },
  examples: [{ line: 'session-mcp status msg-0jd83kf92ma-q8x1z0pt', does: 'has it been read?' }],
  async run({ out, open, shell }, { messageId }) {
    const { bus } = await open()
    const who = await shell()
    const caller = who.caller.kind === 'nobody' ? actingCaller(who) : who.caller
    await out.answer(await bus.receipt(caller, messageId), renderReceipt)
    return EXIT.ok
  },
})

export function renderReceipt({ messageId, sentAt, recipients }: ReceiptAnswer, view: View): string {
  const { paint, nowMs } = view
  const head = `${paint.strong(messageId)} sent ${when(sentAt, nowMs)}`
  const line = (row: ReceiptRow) =>
    `  ${paint.name(row.name ?? row.to)} ${progressOf(row, view)}\n    ${paint.faint(row.evidence)}`
  return [head, ...recipients.map(line)].join('\n')
}

function progressOf({ place, readAt, readBy, turnStartedAt, repliedWith }: ReceiptRow, { paint, nowMs }: View): string {
  const steps = [
    place === 'read'
      ? paint.good('read')
      : place === 'unread'
        ? 'unread'
        : place === 'claimed'
          ? 'being read'
          : paint.warn(place),
    ...(readAt === undefined ? [] : [when(readAt, nowMs)]),
    ...(readBy === undefined ? [] : [`by ${readBy}`]),
  ].join(' ')
  return [
    steps,
    ...(turnStartedAt === undefined ? [] : [`turn started ${when(turnStartedAt, nowMs)}`]),
    ...(repliedWith === undefined ? [] : [`answered with ${repliedWith}`]),
  ].join(', ')
}
