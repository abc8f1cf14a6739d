import type { ListAnswer } from '../../core/answers.ts'
import { defineCommand } from '../define.ts'
import { EXIT } from '../exit.ts'
import { FILTER_ARGS, filterOf } from '../filter.ts'
import type { View } from '../output.ts'
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
    ...FILTER_ARGS,
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
    const filter = filterOf(args)
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
