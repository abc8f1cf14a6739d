/** message_status: what became of a message, told from what the recipients' folders show. */

import type { ReceiptAnswer, ReceiptRow } from './answers.ts'
import { type Caller, HUMAN_ID } from './caller.ts'
import { type Context, mailId } from './context.ts'
import { BusError } from './errors.ts'
import { quote } from './ids.ts'
import { isMessageId, type Sent } from './message.ts'
import type { Entry, FoundMessage } from './ports.ts'

export async function receipt(context: Context, caller: Caller, messageId: string): Promise<ReceiptAnswer> {
  const me = mailId(caller, 'ask for receipts')
  const sent = isMessageId(messageId) ? await context.store.sent.find(me, messageId) : undefined
  if (sent === undefined) {
    throw new BusError(
      'MESSAGE_NOT_FOUND',
      `No record of a message ${quote(messageId)} sent by ${me}.`,
      'Only the sender can ask; take messageId from the answer of send_message.',
    )
  }
  const recipients: ReceiptRow[] = []
  for (const to of sent.to) recipients.push(await rowOf(context, sent, to))
  return { messageId, from: sent.from, sentAt: sent.sentAt, recipients }
}

async function rowOf(context: Context, sent: Sent, to: string): Promise<ReceiptRow> {
  const entry = to === HUMAN_ID ? undefined : await context.find(to).catch(() => undefined)
  const name = entry?.session.name
  const base = { to, ...(name !== undefined && { name }) }
  let found: FoundMessage | undefined
  try {
    found = await context.store.inbox.find(to, sent.id)
  } catch (fault) {
    const why = fault instanceof Error ? fault.message : String(fault)
    return { ...base, place: 'missing', stored: false, evidence: `its file could not be read: ${why}` }
  }
  if (found === undefined) {
    return {
      ...base,
      place: 'missing',
      stored: false,
      evidence: 'not in the inbox: never stored, or removed after the message TTL',
    }
  }
  const wake = entry?.activity?.lastWake
  const turnAt = wake !== undefined && wake.from === sent.from && wake.at >= sent.sentAt ? wake.turnAt : undefined
  const reply = await context.store.sent.reply(to, sent.id)
  return {
    ...base,
    place: found.place,
    stored: true,
    ...(found.readAt !== undefined && { readAt: found.readAt, readBy: to }),
    ...(turnAt !== undefined && { turnStartedAt: turnAt }),
    ...(reply !== undefined && { repliedWith: reply }),
    evidence: evidenceOf(context, found, entry, to),
  }
}

function evidenceOf(context: Context, found: FoundMessage, entry: Entry | undefined, to: string): string {
  if (found.place === 'read') return `handed over at ${found.readAt}, in the answer of a read_inbox call`
  if (found.place === 'claimed') return 'taken by a reader, which has not confirmed the hand-over yet'
  if (found.place === 'damaged') return 'set aside: it could not be parsed, or came back from its readers too often'
  if (to === HUMAN_ID) return 'stored and unread; the person reads it with `session-mcp inbox`'
  if (entry === undefined) return 'stored and unread; the recipient is no longer on the bus'
  const seen = context.observe(entry)
  return `stored and unread; the recipient is ${seen.state} (${seen.evidence})`
}
