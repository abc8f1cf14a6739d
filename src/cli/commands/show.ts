import type { SessionView } from '../../core/answers.ts'
import type { ActionAnswer, ActionRow } from '../../core/answers-actions.ts'
import { defineCommand } from '../define.ts'
import { EXIT } from '../exit.ts'
import { type Fact, factLines } from '../facts.ts'
import type { View } from '../output.ts'
import { activityWord, nameOf, statePainter } from '../session-rows.ts'
import { count, duration, listing, shortPath, when } from '../words.ts'

export default defineCommand({
  name: 'show',
  summary: 'show one session in full',
  description: [
    'Shows what a session declares of itself, what its host observes and how that is known, its mail, whom it waits for and who follows it.',
  ],
  args: { session: { kind: 'positional', required: true, help: 'its id, name or former name' } },
  examples: [{ line: 'session-mcp show reviewer', does: 'everything known about "reviewer"' }],
  async run({ out, open, shell }, { session }) {
    const { bus } = await open()
    const { caller } = await shell()
    await out.answer(await bus.query(caller, session), renderSession)
    return EXIT.ok
  },
})

export function renderSession(s: SessionView, view: View): string {
  const { paint, nowMs, userHome } = view
  const state = statePainter(s, view) ?? ((text: string) => text)
  const ago = (iso: string | undefined) => (iso === undefined ? undefined : when(iso, nowMs))
  const facts: Fact[] = [
    ['id', s.name === undefined ? undefined : s.id],
    ['also called', listing(s.aliases)],
    ['task', s.task],
    ['progress', s.progress],
    ['result', s.result],
    ['status', `${s.status}, updated ${ago(s.updatedAt)}`],
    ['activity', `${activityWord(s)}${forHowLong(s, nowMs)}: ${s.evidence}`],
    ['last seen', ago(s.lastSeenAt)],
    ['last turn', ago(s.lastTurn)],
    ['last wake', s.lastWake && wakeText(s.lastWake, nowMs)],
    ['unread', unreadSentence(s)],
    [
      'damaged',
      s.damagedMessages === 0 ? undefined : `${count(s.damagedMessages, 'message')} set aside; see session-mcp doctor`,
    ],
    ['waits for', listing(s.waitingFor)],
    ['follows', listing(s.watching)],
    ['followed by', listing(s.followers)],
    ['project', shortPath(s.projectPath, userHome)],
    ['repository', s.repoPath === undefined ? undefined : shortPath(s.repoPath, userHome)],
    ['branch', s.branch],
    ['group', s.groupId],
    ['tags', listing(s.tags)],
    ['host', s.host],
    ['model', s.model],
    ['scene', s.scene],
    ['can be woken', wakeable(s)],
    ['parent', s.parentSessionId],
    ['opened by', s.spawnedBy],
    ['opening', s.opened === undefined || s.opened.state === 'done' ? undefined : howItEnded(s.opened)],
    ['created', ago(s.createdAt)],
    [
      'closed',
      s.closedAt === undefined ? undefined : `${ago(s.closedAt)}${s.closeReason ? ` (${s.closeReason})` : ''}`,
    ],
    ['expires', s.expiresAt === undefined ? `${s.ttl} after it ends` : ago(s.expiresAt)],
    ...(s.actions ?? []).map((action): Fact => ['action', actionText(action, nowMs)]),
    ['actions', s.actionsFault],
    ...Object.entries(s.metadata).map(
      ([key, value]): Fact => [`metadata.${key}`, typeof value === 'string' ? value : JSON.stringify(value)],
    ),
  ]
  return [`${paint.strong(nameOf(s))}  ${state(`${s.status}, ${activityWord(s)}`)}`, ...factLines(facts, view)].join(
    '\n',
  )
}

function forHowLong({ activitySince, finished }: SessionView, nowMs: number): string {
  return activitySince === undefined || finished !== undefined
    ? ''
    : ` for ${duration(nowMs - Date.parse(activitySince))}`
}

function unreadSentence({ unread, oldestUnreadSeconds }: SessionView): string {
  if (unread === 0) return 'none'
  const age = oldestUnreadSeconds === undefined ? '' : `, the oldest ${duration(oldestUnreadSeconds * 1000)} old`
  return `${count(unread, 'message')}${age}`
}

function wakeText({ at, from, turnAt }: NonNullable<SessionView['lastWake']>, nowMs: number): string {
  const proof = turnAt === undefined ? 'no turn seen since' : `a turn started ${when(turnAt, nowMs)}`
  return `asked for by ${from} ${when(at, nowMs)}, ${proof}`
}

function howItEnded({ state, evidence }: ActionAnswer): string {
  return `${state}: ${evidence}`
}

function actionText(action: ActionRow, nowMs: number): string {
  const { kind, asked, target, by, requestedAt, next } = action
  const what = `${kind} of ${target}${asked === undefined ? '' : ` (${asked})`}`
  return `${what}, asked for by ${by} ${when(requestedAt, nowMs)}: ${howItEnded(action)}. ${next}`
}

function wakeable({ wakeable: isWakeable, doors }: SessionView): string {
  if (!isWakeable) return 'no, it asked not to be'
  return doors.length === 0 ? 'no, its host has no way to' : `yes, by ${listing(doors)}`
}
