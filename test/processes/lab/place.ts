/** A home for one test, and everything around it that has to go again. */

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

export interface Place {
  readonly directory: string
  readonly home: string
  remove(): void
}

export function makePlace(name: string): Place {
  const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), `session-mcp-${name}-`)))
  return { directory, home: path.join(directory, 'home'), remove: () => removeTree(directory) }
}

export interface Mounted extends Place {
  /** Remounts with these options, e.g. `ro`. */
  remount(options: string): void
}

/** A place on a small file system of its own. @returns why not, where that takes rights this process lacks. */
export function mountPlace(name: string, megabytes: number): Mounted | string {
  if (process.platform !== 'linux') return `tmpfs is mounted on Linux only, this is ${process.platform}`
  const place = makePlace(name)
  const mounted = run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', place.directory])
  if (mounted !== undefined) {
    place.remove()
    return `a tmpfs cannot be mounted here: ${mounted}`
  }
  return {
    ...place,
    remount(options) {
      const failed = run('mount', ['-o', `remount,${options}`, place.directory])
      if (failed !== undefined) throw new Error(`remount ${options}: ${failed}`)
    },
    remove() {
      run('umount', ['-l', place.directory])
      place.remove()
    },
  }
}

/** @returns what went wrong. */
function run(command: string, args: readonly string[]): string | undefined {
  const { status, error, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  return status === 0 ? undefined : (error?.message ?? stderr.trim())
}

/** Programs that are being killed may still write while their files are removed. */
function removeTree(directory: string): void {
  fs.rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
}
