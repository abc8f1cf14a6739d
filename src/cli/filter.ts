/** Which sessions a command is about: the same words for all that show many. */

import { ACTIVITIES } from '../core/activity.ts'
import { STATUSES } from '../core/session.ts'
import type { Args, ValuesOf } from './options.ts'
import { projectArgument } from './project-path.ts'

export const FILTER_ARGS = {
  project: { kind: 'text', value: 'PATH', help: 'only sessions of this project, worktrees included' },
  group: { kind: 'text', value: 'ID', help: 'only sessions of this group' },
  status: { kind: 'choice', choices: STATUSES, help: 'only this status' },
  activity: { kind: 'choice', choices: ACTIVITIES, help: 'only this activity' },
  host: { kind: 'text', value: 'NAME', help: 'only sessions of this host, such as claude-code' },
  text: { kind: 'text', value: 'WORDS', help: 'only sessions that have this in their name, task or tags' },
} as const satisfies Args

export function filterOf(args: ValuesOf<typeof FILTER_ARGS>) {
  return {
    projectPath: args.project === undefined ? undefined : projectArgument(args.project),
    groupId: args.group,
    status: args.status,
    activity: args.activity,
    host: args.host,
    text: args.text,
  }
}
