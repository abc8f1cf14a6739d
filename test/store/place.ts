/** A home of its own for each test, and processes that are really dead or really alive. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeEach } from 'vitest'
import { type FileStore, type FileStoreOptions, fileStore } from '../../src/store/files/store.ts'
import { createProcesses, processTag } from '../../src/system/process.ts'
import { lookUp } from '../../src/system/process-table.ts'

export const { self } = createProcesses()
export const IS_ROOT = process.getuid?.() === 0
/** Root of a container may be nobody of the kind. */
export const CAN_GIVE_AWAY = (() => {
  const file = path.join(os.tmpdir(), `sm-owner-${process.pid}`)
  try {
    fs.writeFileSync(file, '')
    fs.chownSync(file, 12_345, 12_345)
    return true
  } catch {
    return false
  } finally {
    fs.rmSync(file, { force: true })
  }
})()
/** Windows has neither modes nor owners. */
export const HAS_OWNERS = process.getuid !== undefined

export interface Place {
  /** Beside home: for what must not be reached. */
  root: string
  home: string
  open(options?: Partial<FileStoreOptions>): FileStore
  at(...parts: string[]): string
  write(text: string, ...parts: string[]): string
}

/** A fresh directory before each test of the file, removed after it. */
export function freshPlace(): Place {
  const place = { open, at, write } as Place
  function at(...parts: string[]): string {
    return path.join(place.home, ...parts)
  }
  function open(options: Partial<FileStoreOptions> = {}): FileStore {
    return fileStore({ home: place.home, self, durability: 'process', ...options })
  }
  function write(text: string, ...parts: string[]): string {
    const file = at(...parts)
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    fs.writeFileSync(file, text, { mode: 0o600 })
    return file
  }
  beforeEach(() => {
    place.root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'sm-files-')))
    place.home = path.join(place.root, 'home')
  })
  afterEach(() => fs.rmSync(place.root, { recursive: true, force: true }))
  return place
}

const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

/** The tag of a running process that is not this one. */
export async function livingTag(): Promise<{ tag: string; kill(): Promise<void> }> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  children.push(child)
  await once(child, 'spawn')
  const sight = child.pid === undefined ? 'absent' : lookUp(child.pid)
  if (child.pid === undefined || typeof sight === 'string') throw new Error('the child did not start')
  const tag = processTag({ ...self, pid: child.pid, start: sight.start })
  return {
    tag,
    async kill() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

/** The tag of a process that was killed a moment ago. */
export async function deadTag(): Promise<string> {
  const { tag, kill } = await livingTag()
  await kill()
  return tag
}

/** Every file below a directory, relative, sorted. */
export function filesIn(directory: string): string[] {
  return fs
    .readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)))
    .sort()
}
