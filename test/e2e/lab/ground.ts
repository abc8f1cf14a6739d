/** What a lab stands on: a folder for it, and the PATH of whoever works in it. */
import { existsSync } from 'node:fs'
import { mkdtemp, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** A path to a socket has at most 104 bytes, and those of Codex take some 85 below this. */
const MOST_BYTES = 16

/** A new folder. */
export async function labFolder(name: string): Promise<string> {
  const base = await realpath(tmpdir())
  const fits = process.platform === 'win32' || Buffer.byteLength(base) <= MOST_BYTES
  return realpath(await mkdtemp(path.join(fits ? base : '/tmp', `session-mcp-${name}-`)))
}

const SYSTEM = ['/usr/bin', '/bin']

/** `first`, this Node, and the programs of the system; those of the developer are none of the lab's, save tmux. */
export function labPath(...first: readonly string[]): string {
  const hasTmux = (folder: string) => existsSync(path.join(folder, 'tmux'))
  const ownFolder = process.env['PATH']?.split(path.delimiter).find(hasTmux)
  const more = SYSTEM.some(hasTmux) || ownFolder === undefined ? [] : [ownFolder]
  return [...first, path.dirname(process.execPath), ...SYSTEM, ...more].join(path.delimiter)
}
