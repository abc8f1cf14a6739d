import type { InboxAnswer, MessageView } from '../../core/answers.ts'
import { LIMITS } from '../../core/limits.ts'
import { defineCommand } from '../define.ts'
import { EXIT } from '../exit.ts'
import type { View } from '../output.ts'
import { partialLines } from '../session-rows.ts'
import { actingCaller } from '../who.ts'
import { wrap } from '../width.ts'
import { ago, count, typed } from '../words.ts'

export default defineCommand({
  name: 'inbox',
  summary: 'read your messages, or look into the inbox of a session',
  description: [
    'Reads the inbox of the session this shell runs in, else that of the person, oldest message first. What was printed is read then; what the terminal or pipe did not take stays unread.',
    'The inbox of another session is only looked at: its messages stay unread.',
  ],
  args: {
    session: { kind: 'positional', help: 'whose inbox to look into' },
    peek: { kind: 'flag', help: 'leave the messages unread' },
    limit: { kind: 'count', value: 'N', min: 1, max: 1000, help: 'at most so many messages' },
    from: { kind: 'text', value: 'SESSION', help: 'only messages of this sender' },
    history: { kind: 'count', value: 'N', min: 1, max: LIMITS.historyRows, help: 'the last so many that were read' },
    message: { kind: 'text', value: 'MESSAGE', help: 'only this one' },
    offset: {
      kind: 'count',
      value: 'BYTES',
      min: 0,
      max: LIMITS.messageBytes,
      help: 'with --message: go on from there',
    },
  },
  examples: [
    { line: 'session-mcp inbox', does: 'read what is new' },
    { line: 'session-mcp inbox reviewer', does: 'what waits for "reviewer"; nothing is taken' },
    { line: 'session-mcp inbox --history=5', does: 'the last five read, again' },
  ],
  async run({ out, open, shell }, args) {
    const { bus } = await open()
    const who = await shell()
    const isOwn = args.session === undefined || args.session === 'human'
    const takes = isOwn && !args.peek && args.history === undefined
    // Of a model that is none of the sessions not even a look: mail tells what its owners are up to.
    const caller = takes || who.stray !== undefined ? actingCaller(who) : who.caller
    const { session: inbox, peek, limit, from, message: messageId, offset, history } = args
    const handOver = await bus.read(caller, { inbox, peek, limit, from, messageId, offset, history })
    const consumes = !handOver.answer.peek && handOver.answer.messages.length > 0
    const asked = { ...args, isPerson: caller.kind === 'human' }
    await out.handOver(handOver, (safe, view) => renderInbox(safe, view, asked), consumes)
    return EXIT.ok
  },
})

export interface Asked {
  readonly session?: string | undefined
  readonly history?: number | undefined
  readonly message?: string | undefined
  /** The person reads, not a session. */
  readonly isPerson: boolean
}

export function renderInbox(answer: InboxAnswer, view: View, asked: Asked): string {
  const { messages, note } = answer
  const partial = partialLines(answer.partial, view)
  if (messages.length === 0) return [empty(answer, asked), ...partial].join('\n')
  return [
    // For whoever is a model; the person knows that sessions are not the person.
    ...(asked.isPerson || note === undefined ? [] : [...wrap(note, view.columns), '']),
    ...messages.flatMap((message) => [...messageLines(message, view), '']),
    footer(answer, asked),
    ...answerLine(messages, view),
    ...partial,
  ].join('\n')
}

export function messageLines(message: MessageView, view: View): string[] {
  const { paint, columns } = view
  const marks = [
    ago(message.ageSeconds),
    message.intent,
    ...(message.priority === 'high' ? ['high priority'] : []),
    ...(message.via === undefined ? [] : [`to ${message.via}`]),
    ...(message.replyTo === undefined ? [] : [`answers ${message.replyTo}`]),
    ...(message.from.verified ? [] : ['sender not verified']),
    ...(message.redelivered ? ['delivered before'] : []),
    message.id,
  ]
  const body = wrap(message.content.replace(/\n$/, ''), columns - 4).map((line) => `  ${paint.faint('│')} ${line}`)
  return [
    ...wrap(`${message.from.name}  ${marks.join(', ')}`, columns).map((line, i) => head(line, i, message, view)),
    ...body,
    ...partLines(message),
  ]
}

function head(line: string, i: number, { from }: MessageView, { paint }: View): string {
  if (i > 0 || !line.startsWith(from.name)) return paint.faint(line)
  return paint.name(from.name) + paint.faint(line.slice(from.name.length))
}

function partLines({ id, offset = 0, totalBytes, nextOffset }: MessageView): string[] {
  if (nextOffset === undefined) return []
  return [
    `  Bytes ${offset} to ${nextOffset} of ${totalBytes}. Go on: session-mcp inbox --message=${id} --offset=${nextOffset}`,
  ]
}

function answerLine(messages: readonly MessageView[], { paint }: View): string[] {
  const asking = messages.filter(({ intent }) => intent === 'request').at(-1)
  return asking === undefined ? [] : [paint.faint(`Answer: session-mcp send --reply-to=${asking.id} "..."`)]
}

function footer({ messages, remaining, peek }: InboxAnswer, { session, history, message }: Asked): string {
  const shown = count(messages.length, 'message')
  const whose = session === undefined ? '' : ` ${typed(session)}`
  const more = remaining === 0 ? '' : `, ${remaining} more unread`
  if (history !== undefined) return `The last ${shown} read${more}.`
  if (message !== undefined) return `${peek ? 'Nothing was taken' : shown}${more}.`
  if (!peek) return remaining === 0 ? `${shown}, now read.` : `${shown}, now read${more}: session-mcp inbox`
  return session === undefined
    ? `${shown}, left unread${more}.`
    : `${shown}, left unread in the inbox of${whose}${more}.`
}

function empty({ remaining }: InboxAnswer, { session, history, isPerson }: Asked): string {
  if (history !== undefined) return 'No message has been read yet.'
  if (remaining > 0) return `Nothing that fits. ${count(remaining, 'message')} unread: session-mcp inbox`
  if (session !== undefined) return `Nothing is unread in the inbox of ${typed(session)}.`
  const next = isPerson ? 'Sessions reach you by sending to human.' : ''
  return ['No unread messages.', next, 'What was read before: session-mcp inbox --history=5']
    .filter((part) => part !== '')
    .join(' ')
}
