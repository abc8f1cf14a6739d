/**
 * The few lines a host puts before its model, made from facts: who it is, what is unread, what it follows.
 * Written as facts, never as commands; peer text only inside the fence. When which of them is due is decided in attend.ts.
 */

import { fenced, quoted, speaker } from './fence.ts'
import type { Message } from './message.ts'

/** Messages quoted in one reminder; of the others only their number is told. */
const QUOTED = 5

export interface Identity {
  readonly id: string
  readonly name?: string | undefined
  /** Empty while the session has not said what it works on. */
  readonly task: string
  /** Names of other open sessions in the same project. */
  readonly neighbours: readonly string[]
  /** One server serves several sessions: the tools know whose call it is from the argument `sessionId` alone. */
  readonly passesId?: boolean
}

export interface ReminderFacts {
  readonly identity: Identity
  /** The line that says who this is: due at every start, and beside any other line. */
  readonly introduce: boolean
  /** Unread messages told for the first time, oldest first. */
  readonly fresh: readonly Message[]
  /** How many more are unread and were told before; undefined = do not mention them. */
  readonly known?: { readonly count: number; readonly oldestSeconds: number } | undefined
  readonly changes: readonly string[]
  readonly notices: readonly string[]
  /** What the sender wanted said at a wake, if this turn is one. */
  readonly activation?: Message | undefined
  /** Undefined where the text is made anew for each request: an age in it would make each of them another text. */
  readonly nowMs: number | undefined
}

/** Undefined when there is nothing to say: silence is the common case. */
export function compose(facts: ReminderFacts): string | undefined {
  const lines = [...mailLines(facts), ...facts.changes.map((change) => `Followed session ${change}`), ...facts.notices]
  if (lines.length === 0 && !facts.introduce) return undefined
  return [identityLine(facts.identity, facts.introduce), ...lines].join('\n')
}

function identityLine({ id, name, task, neighbours, passesId }: Identity, isFull: boolean): string {
  const who = name === undefined ? `session ${id}` : `session ${quoted(name)} (id ${id})`
  const argument = passesId
    ? ` One server answers the tools of all sessions here: each call says whose it is with sessionId "${id}".`
    : ''
  const is = `session-mcp: this is ${who} on the bus that the AI sessions of this machine share.${argument}`
  if (!isFull) return is
  const others =
    neighbours.length === 0
      ? 'No other session is open in this project.'
      : `Open in this project too: ${neighbours
          .slice(0, 6)
          .map(quoted)
          .join(', ')}${neighbours.length > 6 ? ` and ${neighbours.length - 6} more` : ''}.`
  const takes = passesId ? `sessionId "${id}", task and projectPath` : 'the task'
  const register = task === '' ? ` It has not said yet what it works on; update_session takes ${takes}.` : ''
  return `${is} ${others}${register} Tools: list_sessions, send_message, read_inbox, wait_for_sessions.`
}

function mailLines({ fresh, known, activation, nowMs }: ReminderFacts): string[] {
  const lines: string[] = []
  if (activation?.activationMessage !== undefined) {
    lines.push(
      `This turn was started by a message ${speaker(activation.from)}: ${fenced(activation.activationMessage)}`,
    )
  }
  const total = fresh.length + (known?.count ?? 0)
  if (fresh.length > 0) {
    lines.push(
      `${counted(total)} in the inbox of this session${total > fresh.length ? `, ${fresh.length} of them new` : ''}:`,
    )
    for (const message of fresh.slice(0, QUOTED))
      lines.push(`- ${speaker(message.from)}${kind(message)}, ${age(message, nowMs)}: ${fenced(message.content)}`)
    if (fresh.length > QUOTED) lines.push(`- and ${fresh.length - QUOTED} more`)
    lines.push('read_inbox returns them in full; send_message with replyTo answers one.')
  } else if (known !== undefined && known.count > 0) {
    lines.push(`${counted(known.count)} in the inbox of this session, the oldest ${span(known.oldestSeconds)} old.`)
  }
  return lines
}

function counted(count: number): string {
  return count === 1 ? '1 unread message' : `${count} unread messages`
}

function kind({ intent, priority }: Message): string {
  return `${intent === 'inform' ? '' : `, ${intent}`}${priority === 'high' ? ', high priority' : ''}`
}

function age({ sentAt }: Message, nowMs: number | undefined): string {
  // Not as it stands in the file: what a program can read as a time may hold other words.
  if (nowMs === undefined) return `sent ${new Date(sentAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return `${span(Math.max(0, Math.round((nowMs - Date.parse(sentAt)) / 1000)))} ago`
}

function span(seconds: number): string {
  if (seconds < 90) return `${seconds} s`
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`
  return seconds < 129_600 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`
}
