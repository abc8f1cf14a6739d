/** A home to measure in, and a session that speaks in it. */

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type Caller, type Connection, type OpenedBus, type OpenOptions, openBus } from '../src/lib.ts'

export interface Place {
  readonly directory: string
  /** Now, for a place with few files. */
  remove(): void
}

const left = new Set<string>()
process.once('exit', () => {
  for (const directory of left) fs.rmSync(directory, { recursive: true, force: true })
})

/**
 * A fresh directory under the system's temporary one; TMPDIR says on which file system. Where there are many files it stays
 * until all is measured: ext4 makes files slowly, up to 900 microseconds each, for minutes after many were deleted nearby.
 */
export function makePlace(name: string): Place {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), `session-mcp-${name}-`))
  left.add(directory)
  return { directory, remove: () => fs.rmSync(directory, { recursive: true, force: true }) }
}

export interface Speaker {
  readonly id: string
  readonly caller: Caller
}

/** Registers a session of this process. */
export async function join({ bus, processes }: OpenedBus, name: string): Promise<Speaker> {
  const connection: Connection = { named: new Set() }
  const hints = { connection, host: { kind: 'generic', doors: [], client: processes.self } }
  const { id } = await bus.update(await bus.identify(hints), {
    task: `measures ${name}`,
    projectPath: '/project',
    name,
  })
  return { id, caller: await bus.identify(hints) }
}

export function openIn(place: Place, options: Omit<OpenOptions, 'home'> = {}): Promise<OpenedBus> {
  return openBus({ home: path.join(place.directory, 'home'), ...options })
}
