import type { WaitAnswer, WaitRow } from '../../core/answers.ts'
import { parseTtl } from '../../core/ttl.ts'
import { defineCommand } from '../define.ts'
import { EXIT } from '../exit.ts'
import type { View } from '../output.ts'
import { activityWord, nameOf, statePainter } from '../session-rows.ts'
import { count, duration, listing, typed } from '../words.ts'

const DEFAULT_TIMEOUT = '10m'

export default defineCommand({
  name: 'wait',
  summary: 'wait until sessions are done',
  description: [
    'Waits until all of the sessions, or with --any one of them, have reached a state: without --until that they are finished, which means closed, ended, expired or gone.',
    'The exit code tells a script how it went: 0 when it is over, 3 when the time ran out. Ctrl-C stops waiting and changes nothing.',
  ],
  args: {
    sessions: { kind: 'positional', required: true, rest: true, help: 'ids or names, separated by spaces or commas' },
    any: { kind: 'flag', help: 'one of them is enough' },
    until: {
      kind: 'texts',
      value: 'STATE',
      help: 'finished, closed, changed, a status such as blocked or an activity such as idle; may be repeated (default finished)',
    },
    timeout: { kind: 'text', value: 'TIME', default: DEFAULT_TIMEOUT, help: 'give up after this long' },
    orMessage: { kind: 'flag', help: 'also end when a message arrives for you' },
  },
  examples: [
    { line: 'session-mcp wait builder reviewer && make release', does: 'go on when both are done' },
    { line: 'session-mcp wait builder --until=idle,needs_input --timeout=1h', does: 'until it stops for any reason' },
  ],
  exits: ['ranOut', 'interrupted'],
  async run({ out, open, shell, interrupted }, args) {
    const timeout = args.timeout ?? DEFAULT_TIMEOUT
    const ceilingMs = parseTtl(timeout, '--timeout')
    const split = (words: readonly string[]) =>
      words
        .flatMap((word) => word.split(','))
        .map((word) => word.trim())
        .filter((word) => word !== '')
    const sessions = split(args.sessions)
    const until = args.until.length === 0 ? undefined : split(args.until)
    const { bus } = await open()
    const { caller } = await shell()
    const signal = interrupted()
    try {
      const answer = await bus.wait(
        caller,
        { sessions, mode: args.any ? 'any' : 'all', until, timeout, orMessage: args.orMessage },
        {
          signal,
          ceilingMs,
          progress: (line) => out.progress(`${line}: waiting for ${listing(sessions)} (Ctrl-C stops)`),
        },
      )
      await out.answer(answer, renderWait)
      return answer.done ? EXIT.ok : EXIT.ranOut
    } catch (fault) {
      if (!signal.aborted) throw fault
      return EXIT.interrupted
    } finally {
      out.progress(undefined)
    }
  },
})

export function renderWait(answer: WaitAnswer, view: View): string {
  const { reason, sessions, pending, waitedMs, unread } = answer
  const rows = sessions.map((row) => `  ${line(row, view)}`)
  const waited = duration(waitedMs)
  const sentences = {
    reached: `Over after ${waited}.`,
    message: `A message arrived after ${waited}: ${count(unread ?? 0, 'message')} unread, session-mcp inbox reads.`,
    timeout: `Not over after ${waited}, pending: ${listing(pending)}. Go on: session-mcp wait ${pending.map(typed).join(' ')}`,
  }
  return [...rows, sentences[reason]].join('\n')
}

function line(row: WaitRow, view: View): string {
  const { paint } = view
  const state = `${row.status}, ${activityWord({ ...row, status: 'active' })}`
  const painter =
    row.status === 'unknown'
      ? paint.faint
      : (statePainter({ ...row, status: row.status }, view) ?? ((text: string) => text))
  const mark = row.reached === undefined ? paint.warn('pending') : paint.good(row.reached)
  const result = row.result === undefined ? '' : `: ${row.result.split('\n')[0]}`
  return `${paint.name(nameOf(row))} ${painter(state)} (${mark})${result}`
}
