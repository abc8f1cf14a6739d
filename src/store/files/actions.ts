/**
 * Actions: `actions/{executor}/{id}.json` while one waits, `claimed/{id}~{owner}` while it is performed, `done/{id}.json`
 * afterwards. Winning the rename is the only right to perform it, and nothing ever goes back.
 */

import fs from 'node:fs'
import { type Action, decodeAction, isActionId, type Outcome, TAKER_GONE } from '../../core/action.ts'
import type { ProcessRef } from '../../core/ports.ts'
import type { ActionStore, Unfinished } from '../../core/ports-actions.ts'
import {
  factsIfThere,
  moveIfThere,
  namesIn,
  publish,
  readIfThere,
  removeIfThere,
  replace,
} from '../../system/atomic-file.ts'
import { checkTag } from '../../system/process.ts'
import { readFault } from './fault.ts'
import type { Home } from './home.ts'
import { inside } from './layout.ts'
import { removeEmpty } from './retention.ts'
import { watchDirectories } from './watch.ts'

const MAX_BYTES = 512 * 1024
/** Of the newest so many are read to find those of one session. */
const LOOKED_AT = 500

export function fileActions(home: Home, self: ProcessRef, tag: string): ActionStore {
  const { at } = home
  const requested = (executor: string, id: string) => inside(at.actions(executor), `${checked(id)}.json`)
  const claimed = (executor: string) => inside(at.actions(executor), 'claimed')
  const done = (executor: string, id: string) => inside(inside(at.actions(executor), 'done'), `${checked(id)}.json`)

  /** @throws BusError STORE_UNREADABLE */
  const load = (file: string): Action | undefined => {
    try {
      const got = readIfThere(file, MAX_BYTES)
      return got === undefined ? undefined : decodeAction(JSON.parse(got.text))
    } catch (fault) {
      throw readFault(fault, `The action ${file}`)
    }
  }
  const claimOf = (executor: string, id: string): string | undefined =>
    namesIn(claimed(executor)).find((name) => name.startsWith(`${id}~`))
  const end = (action: Action, outcome: Outcome, finishedAt: string) => {
    const { state, evidence } = outcome
    const text = JSON.stringify({ ...action, state, evidence, finishedAt })
    home.write(() => {
      home.directory(inside(at.actions(action.executor), 'done'))
      replace(home.tmp(), done(action.executor, action.id), text, 'process')
    })
    const claim = claimOf(action.executor, action.id)
    if (claim !== undefined) removeIfThere(inside(claimed(action.executor), claim))
  }

  return {
    async request(action) {
      const file = requested(action.executor, action.id)
      home.write(() => {
        home.directory(at.actions(action.executor))
        publish(home.tmp(), file, JSON.stringify(action), 'process')
      })
    },
    async claim(executor, id) {
      if (!isActionId(id)) return undefined
      const held = inside(claimed(executor), `${id}~${tag}`)
      const won = home.write(() => {
        if (!fs.existsSync(requested(executor, id))) return false
        home.directory(claimed(executor))
        return moveIfThere(requested(executor, id), held)
      })
      return won ? load(held) : undefined
    },
    async finish(action, outcome, finishedAt) {
      end(action, outcome, finishedAt)
    },
    async find(executor, id) {
      if (!isActionId(id)) return undefined
      const settled = load(requested(executor, id)) ?? load(done(executor, id))
      if (settled !== undefined) return settled
      const claim = claimOf(executor, id)
      const action = claim === undefined ? undefined : load(inside(claimed(executor), claim))
      if (claim === undefined || action === undefined) return load(done(executor, id)) // it ended in between
      const now = asTaken(action, claim)
      // It may have said how it went since the look above, and ended then.
      return now.state === 'unknown' ? (load(done(executor, id)) ?? now) : now
    },
    async waiting(executor) {
      return filesIn(at.actions(executor))
        .map(({ id }) => id)
        .sort()
    },
    async unfinished() {
      return queues().flatMap((queue): Unfinished[] => [
        ...filesIn(queue).flatMap(({ file }) => readable(queue, file)),
        ...claimsIn(queue).flatMap(({ file, claim }) =>
          readable(queue, file).map(({ action }) => ({ action, taker: takerOf(action, claim) })),
        ),
      ])
    },
    async about(sessionId) {
      const newest = queues()
        .flatMap((queue) => [
          ...filesIn(queue).map((found) => ({ queue, ...found, claim: undefined })),
          ...claimsIn(queue).map((found) => ({ queue, ...found })),
          ...filesIn(queue, 'done').map((found) => ({ queue, ...found, claim: undefined })),
        ])
        .sort((a, b) => (a.id < b.id ? 1 : -1))
        .slice(0, LOOKED_AT)
      return newest.flatMap(({ queue, file, claim }) =>
        readable(queue, file)
          .filter(({ action }) => action.by.id === sessionId || action.target.id === sessionId)
          .map(({ action }) => (claim === undefined ? action : asTaken(action, claim))),
      )
    },
    async drop(requestedBefore) {
      let dropped = 0
      for (const queue of queues()) {
        for (const folder of [queue, inside(queue, 'claimed'), inside(queue, 'done')]) {
          for (const name of namesIn(folder)) {
            const file = inside(folder, name)
            if (isOlder(file, requestedBefore) && removeIfThere(file)) dropped += 1
          }
        }
        if (isUnused(queue, requestedBefore)) removeQueue(queue)
      }
      return dropped
    },
    watch(executor, hint) {
      home.write(() => home.directory(at.actions(executor)))
      return watchDirectories([at.actions(executor)], () => hint())
    },
  }

  /** What the system or a person left there is no queue. */
  function queues(): string[] {
    return namesIn(at.actionQueues)
      .map((name) => inside(at.actionQueues, name))
      .filter((queue) => fs.lstatSync(queue, { throwIfNoEntry: false })?.isDirectory() === true)
  }

  function filesIn(queue: string, folder?: string): { readonly id: string; readonly file: string }[] {
    const directory = folder === undefined ? queue : inside(queue, folder)
    return namesIn(directory).flatMap((name) => {
      const id = name.endsWith('.json') ? name.slice(0, -5) : ''
      return isActionId(id) ? [{ id, file: inside(directory, name) }] : []
    })
  }

  /** Not those of which it is known how they ended, and whose taker was killed before it took them away. */
  function claimsIn(queue: string): { readonly id: string; readonly file: string; readonly claim: string }[] {
    return namesIn(inside(queue, 'claimed')).flatMap((claim) => {
      const [id = ''] = claim.split('~')
      const hasEnd = fs.existsSync(inside(inside(queue, 'done'), `${id}.json`))
      return isActionId(id) && !hasEnd ? [{ id, file: inside(inside(queue, 'claimed'), claim), claim }] : []
    })
  }

  /** One that is damaged, or lies in the queue of another, must not hide the others. */
  function readable(queue: string, file: string): { readonly action: Action }[] {
    try {
      const action = load(file)
      return action !== undefined && at.actions(action.executor) === queue ? [{ action }] : []
    } catch {
      return []
    }
  }

  function takerOf({ id }: Action, claim: string) {
    return checkTag(claim.slice(id.length + 1), self)
  }

  function asTaken(action: Action, claim: string): Action {
    return takerOf(action, claim) === 'gone' ? { ...action, ...TAKER_GONE } : action
  }

  /** Of a host's process each has its own; nothing came or went in it since. Whoever watches it finds it when it is back. */
  function isUnused(queue: string, since: string): boolean {
    const stat = fs.statSync(queue, { throwIfNoEntry: false })
    return stat !== undefined && stat.mtimeMs < Date.parse(since)
  }

  function removeQueue(queue: string): void {
    for (const directory of [inside(queue, 'claimed'), inside(queue, 'done'), queue]) {
      if (!removeEmpty(directory)) return
    }
  }

  function isOlder(file: string, requestedBefore: string): boolean {
    const facts = factsIfThere(file)
    if (facts?.regular !== true) return false
    try {
      const action = load(file)
      return action !== undefined && action.requestedAt < requestedBefore
    } catch {
      return facts.mtimeMs < Date.parse(requestedBefore) // damaged: it says nothing of its own age
    }
  }
}

function checked(id: string): string {
  if (!isActionId(id)) throw new Error('not an action id')
  return id
}
