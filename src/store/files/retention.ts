/** Taking old messages and empty folders away. Only the sweep calls this. */

import fs from 'node:fs'
import { decodeMessage, isMessageId, type Message } from '../../core/message.ts'
import type { DropOptions } from '../../core/ports.ts'
import { errorCode, namesIn, readIfThere, removeIfThere } from '../../system/atomic-file.ts'
import { inside, type Layout } from './layout.ts'

/**
 * Removes messages, oldest first, until one is met that stays: the cost is what is removed, not what is kept.
 * Files that cannot be read are passed over: a person may want to see them. Resolves to the ids of what is gone.
 */
export function dropExpired(
  at: Layout,
  id: string,
  expired: (message: Message) => boolean,
  { unreadToo, dryRun }: DropOptions,
): { unread: string[]; read: string[] } {
  const dropIn = (directory: string): string[] => {
    const dropped: string[] = []
    const names = namesIn(directory).filter((name) => name.endsWith('.json') && isMessageId(name.slice(0, -5)))
    for (const name of names.sort()) {
      const file = inside(directory, name)
      const message = load(file)
      if (message === undefined) continue
      if (!expired(message)) break
      if (dryRun || removeIfThere(file)) dropped.push(name.slice(0, -5))
    }
    return dropped
  }
  return { read: dropIn(at.read(id)), unread: unreadToo ? dropIn(at.inbox(id)) : [] }
}

function load(file: string): Message | undefined {
  try {
    const got = readIfThere(file, Number.MAX_SAFE_INTEGER)
    return got === undefined ? undefined : decodeMessage(JSON.parse(got.text))
  } catch {
    return undefined // unreadable files are for a person to look at; doctor shows them
  }
}

/** Removes an inbox folder and its own folders, each only if it is empty. */
export function removeFolder(at: Layout, id: string): void {
  for (const directory of [at.claimed(id), at.read(id), at.damaged(id), at.inbox(id)]) {
    if (!removeEmpty(directory)) return
  }
}

/** Never recursive: what is not empty stays. @returns whether the directory is gone. */
export function removeEmpty(directory: string): boolean {
  try {
    fs.rmdirSync(directory)
    return true
  } catch (fault) {
    return errorCode(fault) === 'ENOENT'
  }
}
