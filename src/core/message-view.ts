/** A message as its reader sees it: whole, or one part of a body too large for one answer. */

import type { MessageView } from './answers.ts'
import { BusError } from './errors.ts'
import { utf8Bytes } from './json.ts'
import type { Message } from './message.ts'

/** Room for everything in an answer that is not a message, bytes. */
export const FRAME_BYTES = 1024

export function viewOf(nowMs: number, message: Message, redelivered = false): MessageView {
  const ageMs = Math.max(0, nowMs - Date.parse(message.sentAt))
  return {
    id: message.id,
    from: message.from,
    ...(message.via !== undefined && { via: message.via }),
    sentAt: message.sentAt,
    ageSeconds: Math.round(ageMs / 1000),
    intent: message.intent,
    priority: message.priority,
    ...(message.replyTo !== undefined && { replyTo: message.replyTo }),
    ...(message.activationMessage !== undefined && { activationMessage: message.activationMessage }),
    content: message.content,
    ...(redelivered && { redelivered: true as const }),
  }
}

/** As the model sees it: the bytes of its JSON. */
export function sizeOf(view: MessageView): number {
  return utf8Bytes(JSON.stringify(view)) + 1
}

/** As much of a body from `offset` (bytes, at a character) as fits into one answer of `most` bytes. */
export function partOf(view: MessageView, offset: number, most: number): MessageView {
  const bytes = new TextEncoder().encode(view.content)
  const starts = (at: number) => ((bytes[at] ?? 0) & 0xc0) !== 0x80
  if (!Number.isInteger(offset) || offset < 0 || offset >= bytes.length || !starts(offset)) {
    throw new BusError(
      'BAD_INPUT',
      `offset ${offset} is not the start of a part of this message of ${bytes.length} bytes.`,
      'Pass the nextOffset of the part before.',
    )
  }
  const room = most - FRAME_BYTES - sizeOf({ ...view, content: '' }) - 128
  const decoder = new TextDecoder()
  let end = Math.min(bytes.length, offset + room)
  const cut = () => {
    while (end < bytes.length && !starts(end)) end -= 1
    return decoder.decode(bytes.subarray(offset, end))
  }
  let content = cut()
  // Quotes and line breaks take more bytes in JSON than in the message.
  while (utf8Bytes(JSON.stringify(content)) > room && end - offset > 64) {
    end = offset + Math.floor(((end - offset) * room) / utf8Bytes(JSON.stringify(content))) - 8
    content = cut()
  }
  return { ...view, content, offset, totalBytes: bytes.length, ...(end < bytes.length && { nextOffset: end }) }
}
