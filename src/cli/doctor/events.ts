/** Does the system tell of new files, and how much room is left for those who want to be told. */

import fs from 'node:fs'
import path from 'node:path'
import { type Check, ok, warn } from './check.ts'
import { codeOf } from './home.ts'

/** Events come within a millisecond; a busy machine may need longer. */
const EVENT_MS = 1_500
/** From this share of the limit on, new sessions soon have to poll. */
const NEARLY = 0.8

/** A real watch on a real directory, and a real file in it. */
export async function checkEvents(home: string): Promise<Check> {
  const directory = path.join(home, 'tmp', `doctor-watch-${process.pid}`)
  let watcher: fs.FSWatcher | undefined
  try {
    fs.mkdirSync(directory, { mode: 0o700 })
    const isTold = await new Promise<boolean>((resolve, reject) => {
      const timer = setTimeout(() => resolve(false), EVENT_MS)
      const told = () => {
        clearTimeout(timer)
        resolve(true)
      }
      watcher = fs.watch(directory, told).on('error', reject)
      fs.writeFileSync(path.join(directory, 'probe'), '', { mode: 0o600 })
    })
    return isTold
      ? ok('events', 'The system tells of new files: mail is noticed within milliseconds.')
      : warn(
          'events',
          'The system does not tell of new files here: mail is noticed by looking, within 250 ms.',
          'Move the home to a local disk (--home).',
        )
  } catch (fault) {
    return warn(
      'events',
      `No watch can be set up (${codeOf(fault)}): mail is noticed by looking, within 250 ms.`,
      RAISE,
    )
  } finally {
    watcher?.close()
    fs.rmSync(directory, { recursive: true, force: true })
  }
}

const RAISE = 'Raise the limit: sudo sysctl fs.inotify.max_user_instances=1024.'

/** Linux allows each user a number of watchers (inotify instances): one per server, and editors take some too. */
export function checkInotify(proc = '/proc'): Check | undefined {
  let limit: number
  try {
    limit = Number(fs.readFileSync(path.join(proc, 'sys/fs/inotify/max_user_instances'), 'utf8'))
  } catch {
    return undefined // not Linux
  }
  const used = countInotify(proc)
  const text = `${used} of ${limit} inotify instances are in use.`
  return used >= limit * NEARLY ? warn('events', `${text} Above the limit sessions poll.`, RAISE) : ok('events', text)
}

function countInotify(proc: string): number {
  let used = 0
  for (const pid of fs.readdirSync(proc)) {
    if (!/^\d+$/.test(pid)) continue
    try {
      const directory = path.join(proc, pid, 'fd')
      for (const fd of fs.readdirSync(directory))
        if (targetOf(path.join(directory, fd)) === 'anon_inode:inotify') used++
    } catch {
      // another user's process, or one that ended meanwhile: not counted against us
    }
  }
  return used
}

function targetOf(link: string): string | undefined {
  try {
    return fs.readlinkSync(link)
  } catch {
    return undefined // closed between the two looks
  }
}
