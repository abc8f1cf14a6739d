/** Queues of actions in the Maps of one process; see memory.ts. */

import { type Action, isActionId } from '../core/action.ts'
import type { ActionStore } from '../core/ports-actions.ts'
import { checked, createWatchers } from './memory-inbox.ts'

export function memoryActions(): ActionStore {
  const waiting = new Map<string, Action>()
  const taken = new Map<string, Action>()
  const watchers = createWatchers()
  const key = (executor: string, id: string) => `${checked(executor)} ${id}`
  return {
    async request(action) {
      waiting.set(key(action.executor, checked(action.id, isActionId(action.id))), action)
      watchers.tell(action.executor)
    },
    async claim(executor, id) {
      const action = waiting.get(key(executor, id))
      if (action === undefined) return undefined
      waiting.delete(key(executor, id))
      taken.set(key(executor, id), action)
      return action
    },
    async finish(action, { state, evidence }, finishedAt) {
      taken.set(key(action.executor, action.id), { ...action, state, evidence, finishedAt })
    },
    find: async (executor, id) => waiting.get(key(executor, id)) ?? taken.get(key(executor, id)),
    async waiting(executor) {
      return [...waiting.values()].flatMap((action) => (action.executor === executor ? [action.id] : [])).sort()
    },
    async unfinished() {
      return [
        ...[...waiting.values()].map((action) => ({ action })),
        ...[...taken.values()].flatMap((action) =>
          action.finishedAt === undefined ? [{ action, taker: 'alive' as const }] : [],
        ),
      ]
    },
    async about(sessionId) {
      return [...waiting.values(), ...taken.values()]
        .filter(({ by, target }) => by.id === sessionId || target.id === sessionId)
        .sort((a, b) => (a.id < b.id ? 1 : -1))
    },
    async drop(requestedBefore) {
      let dropped = 0
      for (const place of [waiting, taken]) {
        for (const [at, action] of place) {
          if (action.requestedAt < requestedBefore && place.delete(at)) dropped += 1
        }
      }
      return dropped
    },
    watch: (executor, hint) => watchers.add((changed) => (changed === executor ? hint() : undefined)),
  }
}
