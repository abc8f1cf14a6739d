/** Executors made up for tests of the rules: what they were asked is kept, and they answer as told. */

import type { Action, ActionKind, Outcome } from '../../src/core/action.ts'
import type { HostTraits } from '../../src/core/host-plugin.ts'
import type { Executor, Offer } from '../../src/core/ports-actions.ts'

export interface TestExecutor extends Executor {
  readonly performed: Action[]
}

export function executor(
  options: {
    readonly id?: string
    readonly offer?: (kind: ActionKind) => Offer | undefined
    readonly outcome?: (action: Action) => Outcome | Promise<Outcome>
  } = {},
): TestExecutor {
  const { id = 'panes', offer = () => ({ can: true }), outcome = done } = options
  const performed: Action[] = []
  return {
    id,
    performed,
    offers: async (kind) => offer(kind),
    async perform(action) {
      performed.push(action)
      return outcome(action)
    },
  }
}

export function done({ kind }: Action): Outcome {
  return { state: 'done', evidence: `${kind} was seen`, ...(kind === 'create' && { place: { pane: '%7' } }) }
}

/** An IDE whose front end performs what its bridge hands it. */
export const IDE: HostTraits = {
  kind: 'msun',
  injection: 'per-request',
  doors: ['push'],
  executor: {
    id: 'msun',
    watches: false,
    kinds: ['create', 'switch', 'close', 'set_model', 'set_scene', 'send_message', 'rename'],
  },
}
