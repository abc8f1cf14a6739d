/** Where everything lies under home. docs/on-disk-layout.md is this page in prose. */

import path from 'node:path'
import { shortHash } from '../../core/hash.ts'
import { isDeviceName, isId } from '../../core/ids.ts'
import { isMessageId } from '../../core/message.ts'

export const LAYOUT_VERSION = 1

/** Directories made when a home is opened. */
export const DIRECTORIES = [
  'tmp',
  'sessions',
  'activity',
  'shown',
  'inboxes',
  'sent',
  'names',
  'hosts',
  'clients',
  'pending',
  'gated',
  'wakes',
  'watchers',
  'actions',
  'locks',
  'log',
  'turns',
] as const

export interface Layout {
  readonly home: string
  readonly format: string
  readonly tmp: string
  readonly sessions: string
  readonly activity: string
  readonly inboxes: string
  readonly locks: string
  readonly log: string
  session(id: string): string
  activityOf(id: string): string
  shown(id: string): string
  inbox(id: string): string
  claimed(id: string): string
  read(id: string): string
  damaged(id: string): string
  sent(id: string): string
  name(folded: string): string
  /** What hooks learnt of a conversation, and which is the latest of a client process. */
  readonly hosts: string
  readonly clients: string
  host(hostKey: string): string
  client(tag: string): string
  pending(hostKey: string): string
  gated(hostKey: string): string
  readonly turns: string
  turn(hostKey: string): string
  wake(hostKey: string): string
  watchers(id: string): string
  readonly actionQueues: string
  /** The queue of one executor. */
  actions(executor: string): string
  lock(key: string): string
}

export function layout(home: string): Layout {
  // Every part is a clean name: joining them needs no normalising, which costs as much as a system call.
  const at = (...parts: string[]) => home + path.sep + parts.join(path.sep)
  const inbox = (id: string) => at('inboxes', fileName(id))
  return {
    home,
    format: at('format.json'),
    tmp: at('tmp'),
    sessions: at('sessions'),
    activity: at('activity'),
    inboxes: at('inboxes'),
    locks: at('locks'),
    log: at('log'),
    session: (id) => at('sessions', `${fileName(id)}.json`),
    activityOf: (id) => at('activity', `${fileName(id)}.json`),
    shown: (id) => at('shown', `${fileName(id)}.json`),
    inbox,
    claimed: (id) => `${inbox(id)}${path.sep}claimed`,
    read: (id) => `${inbox(id)}${path.sep}read`,
    damaged: (id) => `${inbox(id)}${path.sep}damaged`,
    sent: (id) => at('sent', fileName(id)),
    name: (folded) => at('names', nameFile(folded)),
    hosts: at('hosts'),
    clients: at('clients'),
    host: (hostKey) => at('hosts', `${fileName(hostKey)}.json`),
    client: (tag) => at('clients', `${tag}.json`),
    pending: (hostKey) => at('pending', fileName(hostKey)),
    gated: (hostKey) => at('gated', fileName(hostKey)),
    turns: at('turns'),
    turn: (hostKey) => at('turns', fileName(hostKey)),
    wake: (hostKey) => at('wakes', fileName(hostKey)),
    watchers: (id) => at('watchers', fileName(id)),
    actionQueues: at('actions'),
    actions: (executor) => at('actions', fileName(executor)),
    lock: (key) => at('locks', key),
  }
}

/**
 * The file name of an id: itself, with every capital letter written `~` + small letter.
 * So no two ids share a file on a file system that folds case, and the id can be read back.
 * @throws Error for what is no id: the rules check before, this is the last wall in front of a path.
 */
export function fileName(id: string): string {
  if (!isId(id)) throw new Error('not an id')
  return /[A-Z]/.test(id) ? id.replace(/[A-Z]/g, (letter) => `~${letter.toLowerCase()}`) : id
}

/** The file of a message, in any folder. @throws Error for what is no message id, as {@link fileName}. */
export function messageFile(messageId: string): string {
  if (!isMessageId(messageId)) throw new Error('not a message id')
  return `${messageId}.json`
}

/** The id behind a file name, or undefined for a name that {@link fileName} never makes. */
export function idOf(name: string): string | undefined {
  if (/[A-Z]/.test(name)) return undefined
  const id = name.includes('~') ? name.replace(/~([a-z])/g, (_, letter: string) => letter.toUpperCase()) : name
  return isId(id) ? id : undefined
}

const PLAIN_NAME = /^[a-z0-9][a-z0-9_-]*$/

/** Names may hold any letters, spaces and dots: those get a hash, which no plain name contains. */
function nameFile(folded: string): string {
  if (PLAIN_NAME.test(folded) && !isDeviceName(folded)) return folded
  const hash = shortHash(folded) + shortHash(folded, 1)
  const readable = folded.replace(/[^a-z0-9_-]+/g, '-').slice(0, 40)
  return `${readable}~${hash}`
}

/** A name in a directory of the layout. */
export function inside(directory: string, name: string): string {
  return directory + path.sep + name
}

/** The id of a session file such as `abc.json`. */
export function idOfJson(file: string): string | undefined {
  return file.endsWith('.json') ? idOf(file.slice(0, -5)) : undefined
}
