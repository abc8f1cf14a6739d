import type { Delivery, SendAnswer } from '../../core/answers.ts'
import { HUMAN_ID } from '../../core/caller.ts'
import { ACTIVATIONS, INTENTS, PRIORITIES } from '../../core/message.ts'
import { defineCommand } from '../define.ts'
import { EXIT } from '../exit.ts'
import { wrongUsage } from '../options.ts'
import type { View } from '../output.ts'
import { addresses } from '../project-path.ts'
import { activityWord, nameOf } from '../session-rows.ts'
import { readText, refuseCutArguments } from '../text-input.ts'
import { actingCaller } from '../who.ts'
import { count, listing } from '../words.ts'

export default defineCommand({
  name: 'send',
  summary: 'leave a message in the inbox of one or more sessions',
  description: [
    'Stores the message and says for each recipient what is known: that it is stored, whether a wake was asked for, and why not where it was not. Stored is not read: session-mcp status tells later.',
    'A recipient is an id or a name, group:<id> or project:<path> for all their open sessions but you, or human for the person at this machine. Several are separated by commas, or given with --to, once for each.',
    'The text is taken as it is: from the argument, from --file, or from stdin where it is - or left out. Put -- before a text that starts with a dash.',
    'In the shell of a session the message comes from that session, in any other from the person.',
  ],
  args: {
    recipient: { kind: 'positional', help: 'whom to tell; left out with --to or --reply-to' },
    text: { kind: 'positional', help: 'what to say; - reads it from stdin' },
    to: { kind: 'texts', value: 'SESSION', help: 'a recipient; may be repeated' },
    file: { kind: 'text', value: 'PATH', help: 'read the text from this file' },
    intent: {
      kind: 'choice',
      choices: INTENTS,
      default: 'inform',
      help: 'request wants an answer; an ack never wakes anyone',
    },
    priority: { kind: 'choice', choices: PRIORITIES, default: 'normal', help: 'how it is marked in the inbox' },
    activate: {
      kind: 'choice',
      choices: ACTIVATIONS,
      default: 'auto',
      help: 'wake the recipient: if it is idle, also in its turn, or not at all',
    },
    replyTo: { kind: 'text', value: 'MESSAGE', help: 'the message this one answers; its sender is the recipient' },
    activationMessage: { kind: 'text', value: 'TEXT', help: 'one line shown with the wake, quoted as yours' },
  },
  examples: [
    { line: 'session-mcp send reviewer "Port is 8081 now"', does: 'to one session' },
    { line: 'git diff | session-mcp send reviewer,lead', does: 'from a pipe, to two' },
    {
      line: 'session-mcp send project:. --file=notes.md --intent=request',
      does: 'to everyone who works in this project',
    },
    { line: 'session-mcp send --reply-to=msg-0jd83kf92ma-q8x1z0pt "Yes, go on"', does: 'an answer' },
  ],
  async run({ out, open, shell, stdin }, args) {
    refuseCutArguments(process.argv, process.platform)
    const { to, argument } = planSend(args)
    const content = await readText({ argument, file: args.file, stdin })
    const { bus } = await open()
    const caller = actingCaller(await shell())
    const { activationMessage, activate, replyTo, intent, priority } = args
    const answer = await bus.send(caller, { to, content, activationMessage, activate, replyTo, intent, priority })
    await out.answer(answer, renderSend)
    // One who was named and could not be reached is a failure; a member of a group that was left out is not.
    const isMissed = answer.skipped?.some((left) => to?.includes(left.to)) === true
    return isMissed ? EXIT.refused : EXIT.ok
  },
})

interface Words {
  readonly recipient: string | undefined
  readonly text: string | undefined
  readonly to: readonly string[]
  readonly file: string | undefined
  readonly replyTo: string | undefined
}

/** Which word is the recipient and which the text. Nothing is guessed: what fits no reading is refused. */
export function planSend({ recipient, text, to, file, replyTo }: Words): {
  to: string[] | undefined
  argument: string | undefined
} {
  if (to.length > 0) {
    if (text === undefined) return { to: named(to), argument: recipient }
    throw wrongUsage(
      'With --to the only other word is the text, and there are two. Nothing was sent.',
      'Put the text in quotes.',
    )
  }
  const isTextOnly = replyTo !== undefined && text === undefined && file === undefined
  if (isTextOnly) return { to: undefined, argument: recipient }
  if (recipient === undefined) {
    if (replyTo !== undefined) return { to: undefined, argument: text }
    throw wrongUsage(
      'There is no recipient. Nothing was sent.',
      'Write session-mcp send <recipient> "text"; session-mcp list shows who is there.',
    )
  }
  return { to: named([recipient]), argument: text }
}

function named(words: readonly string[]): string[] {
  const to = addresses(words)
  if (to.length > 0) return to
  throw wrongUsage('The recipient is empty. Nothing was sent.', 'Name a session; session-mcp list shows who is there.')
}

export function renderSend({ messageId, to, skipped = [] }: SendAnswer, { paint }: View): string {
  const missed = skipped.map(({ to: name, reason }) => `  ${paint.warn('left out')} ${name}: ${reason}`)
  if (to.length === 0) return [`Nobody got the message.`, ...missed].join('\n')
  return [
    `${paint.good('Stored')} for ${to.length === 1 ? listing(to.map(nameOf)) : count(to.length, 'session')} as ${messageId}.`,
    ...to.map((delivery) => `  ${paint.name(nameOf(delivery))} ${stateWord(delivery)}: ${wakeSentence(delivery)}`),
    ...missed,
    paint.faint(`Read yet? session-mcp status ${messageId}`),
  ].join('\n')
}

function stateWord(delivery: Delivery): string {
  const word = activityWord({ ...delivery, status: 'active' })
  if (delivery.id === HUMAN_ID) return 'reads it here'
  if (word === 'unknown') return 'is in an unknown state'
  return word === 'ended' || word === 'expired'
    ? `has ${word}`
    : `is ${word.startsWith('needs') ? 'waiting for the person' : word}`
}

const WAKE = {
  none: 'not woken',
  deferred: 'not woken now',
  unavailable: 'cannot be woken',
  budget: 'not woken again',
  unknown: 'wake asked for',
} as const

function wakeSentence({ wake: { outcome, door, evidence } }: Delivery): string {
  const by = door === undefined ? '' : ` through ${door}`
  return `${WAKE[outcome]}${by} (${evidence})`
}
