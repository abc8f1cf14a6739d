/** Is the home there, ours, closed to others and writable; is the disk under it fit for a bus. */

import fs from 'node:fs'
import path from 'node:path'
import { quote } from '../../core/ids.ts'
import { bytes } from '../words.ts'
import { type Check, fail, ok, warn } from './check.ts'

const ELSEWHERE = 'Point --home or SESSION_MCP_HOME to a directory of your own on a local disk.'
const LOW_BYTES = 100 * 1024 * 1024
const LOW_FILES = 1_000

export function isThere(home: string): boolean {
  return fs.existsSync(home)
}

/** Before anything opens, and so makes, the home. */
export function checkPlace(home: string, allowForeign: boolean): Check {
  const stat = fs.lstatSync(home, { throwIfNoEntry: false })
  if (stat === undefined) {
    const parent = existingParent(home)
    return isWritable(parent)
      ? ok('home', `${home} does not exist yet; it is made at first use.`)
      : fail('home', `${home} does not exist, and ${parent} cannot be written, so it cannot be made.`, ELSEWHERE)
  }
  const target = stat.isSymbolicLink() ? fs.statSync(home, { throwIfNoEntry: false }) : stat
  if (!target?.isDirectory()) return fail('home', `${home} is not a directory.`, ELSEWHERE)
  const shown = stat.isSymbolicLink() ? `${home} (a link to ${fs.realpathSync(home)})` : home
  return checkRights(shown, target, allowForeign ? warn : fail)
}

function checkRights(home: string, { uid, mode }: fs.Stats, foreign: typeof fail): Check {
  const me = process.getuid?.()
  if (me === undefined) return ok('home', `${home} is there.`)
  const rights = (mode & 0o777).toString(8)
  if (uid !== me) return foreign('home', `${home} belongs to user ${uid}, not to you (${me}).`, ELSEWHERE)
  if ((mode & 0o022) !== 0)
    return foreign('home', `${home} can be changed by other users (mode ${rights}).`, `Run chmod 700 ${home}.`)
  if ((mode & 0o077) !== 0)
    return warn('home', `${home} can be read by other users (mode ${rights}).`, `Run chmod 700 ${home}.`)
  return ok('home', `${home} is yours alone (mode ${rights}).`)
}

/** A real file, written, renamed and removed: what every delivery does. */
export function checkWriting(home: string): Check {
  const probe = path.join(home, 'tmp', `doctor-${process.pid}`)
  try {
    fs.writeFileSync(probe, 'probe', { mode: 0o600, flag: 'wx' })
    fs.renameSync(probe, `${probe}-renamed`)
    fs.rmSync(`${probe}-renamed`)
    return ok('home', 'Files can be written, renamed and removed in it.')
  } catch (fault) {
    fs.rmSync(probe, { force: true })
    return fail(
      'home',
      `It cannot be written (${codeOf(fault)}). Reading works; every send and update is refused.`,
      ELSEWHERE,
    )
  }
}

export function checkFormat(home: string): Check {
  const file = path.join(home, 'format.json')
  try {
    const { version } = JSON.parse(fs.readFileSync(file, 'utf8')) as { version?: unknown }
    return ok('home', `Its layout has version ${String(version)}.`)
  } catch (fault) {
    return fail(
      'home',
      `${file} cannot be read (${codeOf(fault)}).`,
      'If nothing else can be read either, move the directory away and start a new one.',
    )
  }
}

/** statfs(2), magic numbers, read 2026-11. Remote: changes made elsewhere send no events, and a rename may be told twice. */
const FILE_SYSTEMS: Readonly<
  Record<number, { readonly name: string; readonly isRemote?: true; readonly isLost?: true }>
> = {
  61267: { name: 'ext4' },
  1481003842: { name: 'xfs' },
  2435016766: { name: 'btrfs' },
  2035054128: { name: 'overlayfs' },
  801189825: { name: 'zfs' },
  4076150800: { name: 'f2fs' },
  26: { name: 'apfs' },
  16914836: { name: 'tmpfs', isLost: true },
  26985: { name: 'nfs', isRemote: true },
  4283649346: { name: 'cifs', isRemote: true },
  4266872130: { name: 'smb2', isRemote: true },
  1702057286: { name: 'fuse', isRemote: true },
  16914839: { name: '9p', isRemote: true },
}

export function checkDisk(home: string): Check[] {
  let stat: fs.StatsFs
  try {
    stat = fs.statfsSync(home)
  } catch (fault) {
    return [
      warn(
        'disk',
        `The system does not say what disk it is on (${codeOf(fault)}).`,
        'Nothing to do if all else works.',
      ),
    ]
  }
  const kind = FILE_SYSTEMS[stat.type >>> 0]
  const name = kind?.name ?? `type 0x${(stat.type >>> 0).toString(16)}`
  const free = stat.bavail * stat.bsize
  const room = `${bytes(free)} are free on it (${name}).`
  const checks: Check[] = []
  if (free < LOW_BYTES)
    checks.push((free === 0 ? fail : warn)('disk', room, 'Make room, or move the home to a larger disk.'))
  else checks.push(ok('disk', room))
  if (stat.files > 0 && stat.ffree < LOW_FILES) {
    checks.push(
      warn(
        'disk',
        `Only ${stat.ffree} more files fit on it.`,
        'Remove files that nobody needs: every message is a file.',
      ),
    )
  }
  if (kind?.isRemote)
    checks.push(
      warn(
        'disk',
        `${name} is a network or foreign file system: new mail is found by looking, not by events.`,
        ELSEWHERE,
      ),
    )
  if (kind?.isLost)
    checks.push(warn('disk', `${name} lives in memory: the bus is gone when the machine restarts.`, ELSEWHERE))
  return checks
}

function existingParent(directory: string): string {
  const parent = path.dirname(directory)
  return parent === directory || fs.existsSync(parent) ? parent : existingParent(parent)
}

function isWritable(directory: string): boolean {
  try {
    fs.accessSync(directory, fs.constants.W_OK | fs.constants.X_OK)
    return true
  } catch {
    return false // what it cannot do, not why, is the question
  }
}

export function codeOf(fault: unknown): string {
  const { code, message } = fault as NodeJS.ErrnoException
  return code ?? quote(String(message))
}
