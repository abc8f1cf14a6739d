/** Puts the rules together with a store and the system. */

import type { Bus } from './bus.ts'
import { complete } from './complete.ts'
import { type BusDeps, createContext } from './context.ts'
import { create } from './create-session.ts'
import { news, watch } from './follow.ts'
import { glance } from './glance.ts'
import { identify } from './identify.ts'
import { read } from './inbox.ts'
import { manage } from './manage.ts'
import { receipt } from './receipt.ts'
import { update } from './register.ts'
import { list, query } from './roster.ts'
import { onRosterChange } from './roster-watch.ts'
import { send } from './send.ts'
import { sweep } from './sweep.ts'
import { wait } from './wait.ts'

/** @throws BusError BAD_TTL when an option is no duration. */
export function createBus(deps: BusDeps): Bus {
  const context = createContext(deps)
  return {
    identify: (hints) => identify(context, hints),
    update: (caller, input) => update(context, caller, input),
    list: (_caller, input) => list(context, input),
    glance: (_caller, input) => glance(context, input),
    query: (caller, target) => query(context, target, caller),
    send: (caller, input) => send(context, caller, input),
    read: (caller, input) => read(context, caller, input),
    receipt: (caller, messageId) => receipt(context, caller, messageId),
    wait: (caller, input, options) => wait(context, caller, input, options),
    watch: (caller, input) => watch(context, caller, input),
    create: (caller, input) => create(context, caller, input),
    manage: (caller, input) => manage(context, caller, input),
    complete: (caller, input) => complete(context, caller, input),
    onRosterChange: (changed) => onRosterChange(context, changed),
    news: (caller, options) => news(context, caller, options),
    sweep: (options) => sweep(context, options),
  }
}
