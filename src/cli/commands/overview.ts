import type { ListAnswer, SessionRow } from '../../core/answers.ts'
import { defineCommand } from '../define.ts'
import { EXIT } from '../exit.ts'
import { type Pair, pairLines } from '../facts.ts'
import type { View } from '../output.ts'
import {
  allSessions,
  countsOf,
  nameOf,
  needsPerson,
  OVER_SHOWN,
  partialLines,
  projectOf,
  sessionLines,
} from '../session-rows.ts'
import { welcome } from '../welcome.ts'
import { wrap } from '../width.ts'
import { count, duration, shortPath, typed } from '../words.ts'

export default defineCommand({
  name: 'overview',
  summary: 'what is going on: sessions by project, your mail, what to do next',
  description: [
    'Shows the sessions of every project with their state and unread mail, says who waits for you and what you can do next. On a machine without sessions it says how to connect a client.',
    'It is what session-mcp prints in a terminal when no command is given.',
  ],
  args: {},
  examples: [{ line: 'session-mcp', does: 'the same' }],
  async run({ config, version, out, open, shell }) {
    const { bus } = await open()
    const { caller, session } = await shell()
    const answer = await allSessions(bus, caller, { limit: 200 })
    const isNobody = caller.kind === 'nobody'
    const peek = isNobody ? undefined : await bus.read(caller, { peek: true, limit: 1 })
    await peek?.notHandedOver()
    const { messages, remaining } = peek?.answer ?? { messages: [], remaining: 0 }
    const [oldest] = messages
    const overview: Overview = {
      home: config.home,
      version,
      you:
        session === undefined
          ? { kind: isNobody ? 'nobody' : 'human' }
          : { kind: 'session', id: session.id, ...(session.name && { name: session.name }) },
      inbox: {
        unread: messages.length + remaining,
        ...(oldest && { oldestUnreadSeconds: oldest.ageSeconds }),
      },
      waitingForYou: answer.sessions.filter(needsPerson).map(({ id }) => id),
      ...answer,
    }
    await out.answer(overview, (safe, view) =>
      isFresh(safe) ? welcome(safe, view, process.argv[1]) : renderOverview(safe, view),
    )
    return EXIT.ok
  },
})

export interface Overview extends ListAnswer {
  readonly home: string
  readonly version: string
  /** `nobody`: a model that is no session on the bus. It has no mail. */
  readonly you:
    | { readonly kind: 'human' | 'nobody' }
    | { readonly kind: 'session'; readonly id: string; readonly name?: string }
  readonly inbox: { readonly unread: number; readonly oldestUnreadSeconds?: number }
  readonly waitingForYou: readonly string[]
}

function isFresh({ total, inbox, partial }: Overview): boolean {
  return total === 0 && inbox.unread === 0 && partial === undefined
}

export function renderOverview(overview: Overview, view: View): string {
  const { sessions, you } = overview
  const { paint, userHome } = view
  const head = `${countsOf(sessions)}.${you.kind === 'session' ? ` You are ${nameOf(you)}.` : ''}`
  return [
    ...wrap(head, view.columns),
    ...sessions
      .filter(needsPerson)
      .map(
        (row) =>
          `${paint.warn('!')} ${paint.name(nameOf(row))} ${askOf(row)} (${shortPath(row.projectPath, userHome)})`,
      ),
    ...projectLines(sessions, view),
    '',
    mailLine(overview, view),
    ...partialLines(overview.partial, view),
    '',
    ...nextLines(overview, view),
  ].join('\n')
}

function askOf({ activity }: SessionRow): string {
  return activity === 'needs_permission' ? 'needs your permission' : 'needs your answer'
}

function projectLines(sessions: readonly SessionRow[], view: View): string[] {
  const { paint, userHome } = view
  const projects = new Map<string, SessionRow[]>()
  for (const row of sessions) {
    const project = projectOf(row)
    projects.set(project, [...(projects.get(project) ?? []), row])
  }
  const groups = [...projects]
    .map(([project, rows]) => {
      const running = rows.filter(({ finished }) => finished === undefined)
      const over = rows.filter(({ finished }) => finished !== undefined)
      const shown = [...running, ...over.slice(0, OVER_SHOWN)]
      return { project, shown, hidden: rows.length - shown.length, isLive: running.length > 0 }
    })
    .sort((a, b) => Number(b.isLive) - Number(a.isLive))
  // One table for all, so that its columns stand below each other; the headings go in between.
  const lines = sessionLines(
    groups.flatMap(({ shown }) => shown),
    ['name', 'status', 'activity', 'unread', 'host', 'task'],
    { ...view, columns: view.columns - 2 },
    false,
  )
  let next = 0
  return groups.flatMap(({ project, shown, hidden }) => {
    const own = lines.slice(next, next + shown.length).map((line) => `  ${line}`)
    next += shown.length
    const more =
      hidden === 0
        ? []
        : [
            paint.faint(
              `  and ${hidden} more that ${hidden === 1 ? 'is' : 'are'} over: session-mcp list --project=${typed(project)}`,
            ),
          ]
    return ['', paint.strong(shortPath(project, userHome)), ...own, ...more]
  })
}

function mailLine({ you, inbox: { unread, oldestUnreadSeconds } }: Overview, { paint }: View): string {
  if (you.kind === 'nobody') return 'This shell is that of a model which is not on the bus.'
  if (unread === 0) return 'No mail for you.'
  const age = oldestUnreadSeconds === undefined ? '' : `, the oldest ${duration(oldestUnreadSeconds * 1000)} old`
  return paint.strong(`${count(unread, 'message')} for you${age}.`)
}

function nextLines({ sessions, inbox, you }: Overview, view: View): string[] {
  const others = sessions.filter((row) => row.finished === undefined && !(you.kind === 'session' && you.id === row.id))
  const [first] = others
  const steps: Pair[] = [
    ...(inbox.unread === 0 ? [] : [['session-mcp inbox', 'read your mail'] as const]),
    ...(first === undefined
      ? []
      : ([
          [`session-mcp show ${typed(nameOf(first))}`, 'everything about it'],
          [`session-mcp send ${typed(nameOf(first))} "..."`, 'write to it'],
          [
            `session-mcp wait ${others
              .slice(0, 3)
              .map((row) => typed(nameOf(row)))
              .join(' ')}`,
            `until ${others.length === 1 ? 'it is' : 'they are'} done`,
          ],
        ] as const)),
    ...(first === undefined ? [] : [['session-mcp watch', 'the same, live'] as const]),
    ['session-mcp help', 'all commands'],
  ]
  return pairLines(steps, view)
}
