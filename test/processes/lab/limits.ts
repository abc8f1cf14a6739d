/** What this machine lets a test do, and tests that say by name why they cannot run. */

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { test } from 'vitest'
import { makePlace, mountPlace } from './place.ts'

/** A test that is skipped, for a reason that its name tells, or run. */
export function testUnless(
  reason: string | undefined,
  name: string,
  run: () => Promise<void>,
  timeoutMs?: number,
): void {
  test.skipIf(reason !== undefined)(reason === undefined ? name : `${name} [skipped: ${reason}]`, run, timeoutMs)
}

/** Command lines that run what follows with less of something. */
export const FEW_HANDLES = ['sh', '-c', 'ulimit -n 64 && exec "$0" "$@"']
/** One inotify instance for a user of its own, so that nobody else on the machine runs out of them. */
export const ONE_INOTIFY = [
  'unshare',
  '-U',
  '-r',
  'sh',
  '-c',
  'echo 1 >/proc/sys/user/max_inotify_instances && exec "$0" "$@"',
]
/** For servers behind it: a user that has a namespace of its own owns nothing above its own folders there. */
export const AS_ANOTHER = ['--durability=process', '--allow-foreign-home']

export const noMount = (() => {
  const tried = mountPlace('try', 1)
  if (typeof tried === 'string') return tried
  tried.remove()
  return undefined
})()

export const noRoot = (() => {
  const place = makePlace('try')
  try {
    fs.chownSync(place.directory, 12_345, 12_345)
    return undefined
  } catch {
    return 'needs the rights of root to make files of other users'
  } finally {
    place.remove()
  }
})()

export const noInotifyLimit = (() => {
  const [command = '', ...args] = ONE_INOTIFY
  const { status, error, stderr } = spawnSync(command, [...args, 'true'], { encoding: 'utf8' })
  return status === 0 ? undefined : `inotify instances cannot be limited here: ${error?.message ?? stderr.trim()}`
})()
