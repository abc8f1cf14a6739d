/** send_message: one file into each recipient's inbox, and the sender's half of a wake. */

import { type Addressee, address } from './address.ts'
import type { NotDelivered, SendAnswer } from './answers.ts'
import type { SendInput } from './bus.ts'
import { type Caller, HUMAN_ID } from './caller.ts'
import { type Context, notRegistered } from './context.ts'
import { BusError, refusal } from './errors.ts'
import { quote } from './ids.ts'
import { utf8Bytes } from './json.ts'
import { LIMITS } from './limits.ts'
import { type Message, messageId } from './message.ts'
import { label } from './session.ts'
import { requireBody, requireUnicode } from './text.ts'
import { wakeAll } from './wake-recipients.ts'

export async function send(context: Context, caller: Caller, input: SendInput): Promise<SendAnswer> {
  const from = senderOf(caller)
  checkContent(input)
  const answered = input.replyTo === undefined ? undefined : await messageBehind(context, from.id, input.replyTo)
  const targets = input.to?.length ? input.to : answered === undefined ? [] : [answered.from.id]
  if (targets.length === 0) {
    throw new BusError(
      'BAD_INPUT',
      'to is missing.',
      'Name an id or name, group:<id>, project:<path>, or give replyTo to answer its sender.',
    )
  }
  if (targets.length > LIMITS.targets) {
    throw new BusError(
      'BAD_INPUT',
      `to names ${targets.length} recipients; at most ${LIMITS.targets} are accepted.`,
      'Use a group: group:<id>.',
    )
  }
  const { reached, missed } = await address(context, targets, from.id)

  if (answered !== undefined) context.messageClock.saw(answered.t, context.clock.micros())
  const t = context.messageClock.next(context.clock.micros())
  const base = {
    id: messageId(t, context.random.token(8)),
    from,
    sentAt: context.nowIso(),
    t,
    content: input.content,
    ...(input.activationMessage && { activationMessage: input.activationMessage }),
    activate: input.activate ?? 'auto',
    ...(input.replyTo !== undefined && { replyTo: input.replyTo }),
    intent: input.intent ?? 'inform',
    priority: input.priority ?? 'normal',
    hops: await hopsOf(context, from.id, answered),
  } as const
  requireSize(base)

  const { store } = context
  const asRecord = reached.length === 1
  if (!asRecord) {
    await store.sent.record({
      id: base.id,
      from: from.id,
      to: reached.map(({ id }) => id),
      sentAt: base.sentAt,
      intent: base.intent,
      ...(base.replyTo !== undefined && { replyTo: base.replyTo }),
    })
  }
  const stored: Addressee[] = []
  const skipped: NotDelivered[] = [...missed]
  let fault: unknown
  for (const addressee of reached) {
    try {
      const message = {
        ...base,
        to: addressee.id,
        ...(addressee.via !== undefined && { via: addressee.via }),
      }
      await store.inbox.deliver(message, { asRecord })
      stored.push(addressee)
    } catch (cause) {
      // Even a fault nobody foresaw: what others have already must not look like a send that failed.
      fault ??= cause
      const { code, message } = refusal(cause).error
      skipped.push({ to: addressee.id, code, reason: message })
    }
  }
  if (stored.length === 0) throw fault
  return {
    messageId: base.id,
    sentAt: base.sentAt,
    from: from.name,
    to: await wakeAll(context, from, base, stored),
    ...(skipped.length > 0 && { skipped }),
  }
}

function senderOf(caller: Caller): Message['from'] {
  if (caller.kind === 'human') return { id: HUMAN_ID, name: HUMAN_ID, verified: true }
  const session = caller.kind === 'session' ? caller.session : undefined
  if (session === undefined) throw notRegistered('send messages', caller.kind === 'session' ? caller.id : undefined)
  return { id: session.id, name: label(session), verified: caller.kind === 'session' && caller.verified }
}

function checkContent(input: SendInput): void {
  if (input.content.trim() === '') {
    throw new BusError(
      'BAD_INPUT',
      'content is empty.',
      'Write what the recipient should know; it reads content with read_inbox.',
    )
  }
  requireUnicode(input.content, 'content')
  if (input.content.includes('\0')) requireBody(input.content, 'content', LIMITS.messageBytes)
  if (input.activationMessage !== undefined)
    requireBody(input.activationMessage, 'activationMessage', LIMITS.activationBytes)
}

/** Measured once, before anything is written: the file of every recipient is this and its own id. */
function requireSize(base: { readonly content: string }): void {
  if (base.content.length * 6 < LIMITS.messageBytes - 4096) return
  const bytes = utf8Bytes(JSON.stringify(base)) + 512
  if (bytes <= LIMITS.messageBytes) return
  throw new BusError(
    'MESSAGE_TOO_LARGE',
    `content makes a message of ${bytes} bytes; at most ${LIMITS.messageBytes} fit. Nothing was sent.`,
    'Put the text into a file and send its path.',
  )
}

/** How deep a chain of replies is. A person’s prompt in between begins a new one. */
async function hopsOf(context: Context, id: string, answered: Message | undefined): Promise<number> {
  if (answered === undefined) return 0
  const prompted = (await context.find(id))?.activity?.lastHumanPrompt
  return prompted !== undefined && prompted > answered.sentAt ? 0 : answered.hops + 1
}

/** The message a reply answers: one this session received, or one it sent itself. */
async function messageBehind(context: Context, id: string, replyTo: string): Promise<Message> {
  const received = await context.store.inbox.find(id, replyTo)
  if (received !== undefined) return received.message
  const own = await context.store.sent.find(id, replyTo)
  const [first] = own?.to ?? []
  if (own !== undefined && first !== undefined) {
    const found = await context.store.inbox.find(first, replyTo)
    if (found !== undefined) return { ...found.message, from: { id: first, name: first, verified: true } }
  }
  throw new BusError(
    'MESSAGE_NOT_FOUND',
    `replyTo ${quote(replyTo)} is no message this session received or sent. Nothing was sent.`,
    'Copy the id of a message from read_inbox, or leave replyTo out and name the recipient in to.',
  )
}
