import { ACTIVITIES } from '../../core/activity.ts'
import type { ListAnswer } from '../../core/answers.ts'
import { STATUSES } from '../../core/session.ts'
import { defineCommand } from '../define.ts'
import { EXIT } from '../exit.ts'
import type { View } from '../output.ts'
import { projectArgument } from '../project-path.ts'
import { allSessions, countsOf, partialLines, sessionLines } from '../session-rows.ts'
import { count } from '../words.ts'

export default defineCommand({
  name: 'list',
  summary: 'list the sessions on the bus',
  description: [
    'Lists every session that has not expired, also those that are done. STATUS is what a session says of itself, ACTIVITY what its host sees; UNREAD is how many messages wait in its inbox and how old the oldest is.',
    'Where the terminal is too narrow, columns are left out; --json always has everything.',
  ],
  args: {
    project: { kind: 'text', value: 'PATH', help: 'only sessions of this project, worktrees included' },
    group: { kind: 'text', value: 'ID', help: 'only sessions of this group' },
    status: { kind: 'choice', choices: STATUSES, help: 'only this status' },
    activity: { kind: 'choice', choices: ACTIVITIES, help: 'only this activity' },
    host: { kind: 'text', value: 'NAME', help: 'only sessions of this host, such as claude-code' },
    text: { kind: 'text', value: 'WORDS', help: 'only sessions that have this in their name, task or tags' },
    limit: { kind: 'count', value: 'N', min: 1, max: 200, default: '20', help: 'at most so many' },
    all: { kind: 'flag', help: 'all of them, however many' },
  },
  examples: [
    { line: 'session-mcp list --project=. --activity=idle', does: 'who is free in this project' },
    { line: 'session-mcp list --all --json', does: 'everything, for a script' },
  ],
  async run({ out, open, shell }, args) {
    const { bus } = await open()
    const { caller } = await shell()
    const filter = {
      projectPath: args.project === undefined ? undefined : projectArgument(args.project),
      groupId: args.group,
      status: args.status,
      activity: args.activity,
      host: args.host,
      text: args.text,
    }
    const answer = args.all
      ? await allSessions(bus, caller, filter)
      : await bus.list(caller, { ...filter, limit: args.limit })
    const isFiltered = Object.values(filter).some((value) => value !== undefined)
    await out.answer(answer, (safe, view) => renderList(safe, view, isFiltered))
    return EXIT.ok
  },
})

export function renderList(answer: ListAnswer, view: View, isFiltered: boolean): string {
  const { sessions, total, open } = answer
  const partial = partialLines(answer.partial, view)
  if (total === 0) return [isFiltered ? NO_MATCH : NO_SESSION, ...partial].join('\n')
  const rows = sessionLines(
    sessions,
    ['name', 'status', 'activity', 'unread', 'host', 'group', 'project', 'updated', 'task'],
    view,
    true,
  )
  const shown =
    sessions.length === total
      ? `${countsOf(sessions)}.`
      : `Showing ${sessions.length} of ${count(total, 'session')}, ${open === 0 ? 'none' : open} of them open. All: session-mcp list --all`
  return [...rows, '', shown, ...partial].join('\n')
}

const NO_MATCH = 'No session matches. session-mcp list shows all of them.'
const NO_SESSION =
  'No session is on the bus yet. session-mcp says how to connect a client; session-mcp demo shows what it is like.'
