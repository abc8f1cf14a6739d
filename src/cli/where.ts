/** Where a session runs, and what the person can type to get there. */

import type { Entry } from '../core/ports.ts'
import { isClosed, label } from '../core/session.ts'
import { HOSTS } from '../hosts/table.ts'
import { typed } from './words.ts'

/** What tmux calls a pane: nothing else is handed to a person to type. */
const PANE = /^%\d{1,9}$/

/** One sentence or two. Of a session that still runs nothing is opened a second time. */
export function whereItRuns(entry: Entry | undefined): string {
  if (entry === undefined) return 'This session is gone.'
  const { session } = entry
  const { kind, pane, client, hostSessionId } = session.host
  const name = label(session)
  const place = `${kind}${client === undefined ? '' : `, process ${client.pid}`}, in ${session.projectPath}`
  const isOver = !isRunning(entry)
  if (pane !== undefined && PANE.test(pane) && !isOver)
    return `${name} runs in the tmux pane ${pane}: tmux switch-client -t '${pane}'`
  if (!isOver) return `${name} runs in ${place}. Where that is on your screen is not known here.`
  const resume = HOSTS.find((host) => host.kind === kind)?.resume
  if (resume === undefined) return `${name} is over; it ran in ${place}.`
  const again = [...resume, hostSessionId ?? session.id].map(typed).join(' ')
  return `${name} is over. To go on with it: cd ${typed(session.projectPath)} && ${again}`
}

/** As far as its record tells. */
export function isRunning(entry: Entry | undefined): boolean {
  return entry !== undefined && !isClosed(entry.session) && entry.activity?.state !== 'ended'
}
