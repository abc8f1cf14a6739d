/** A home to measure in, and a session that speaks in it. */

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type Caller, type Connection, type OpenedBus, type OpenOptions, openBus } from '../src/lib.ts'

export interface Place {
  readonly directory: string
  remove(): void
}

/**
 * A fresh directory: on `disk`, under the system's temporary directory (TMPDIR says which file system), or in `memory` where
 * there is some. Memory is for what needs no disk: ext4 takes 10 to 900 microseconds to make one and the same file,
 * depending on what was deleted beside it minutes ago, and would hide everything else.
 */
export function makePlace(name: string, on: 'disk' | 'memory' = 'disk'): Place {
  const parent = on === 'memory' ? MEMORY : os.tmpdir()
  const directory = fs.mkdtempSync(path.join(parent, `session-mcp-${name}-`))
  return { directory, remove: () => fs.rmSync(directory, { recursive: true, force: true }) }
}

const MEMORY = fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir()

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
