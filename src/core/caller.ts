/** Who is calling: the strongest source wins, and a model's own word is the weakest. */

import type { Activity } from './activity.ts'
import type { ProcessRef } from './ports.ts'
import type { Session } from './session.ts'

/** What one client connection has registered so far. Held by the server, one per connection. */
export interface Connection {
  /** The session of this connection, once there is one. */
  own?: string
  /** Ids that callers of this connection named themselves: more than one makes it a shared server. */
  readonly named: Set<string>
}

export interface CallerHints {
  readonly connection: Connection
  /** Put into the call by the host itself; a model cannot set it. */
  readonly hostSays?: string | undefined
  /** The hidden `_session` parameter, filled in by a hook. */
  readonly hookSays?: string | undefined
  /** Set by the same hook, or by the host itself, where a subagent calls. */
  readonly isSubagent?: boolean | undefined
  /** From the environment or the command line of the server, where the host is known to set it right. */
  readonly configured?: string | undefined
  /** The token with which create_session had this client started. */
  readonly spawn?: string | undefined
  /** The `sessionId` argument. */
  readonly argument?: string | undefined
  /** What the argument stands for: the caller (default), the id to register, or an inbox that may be another’s. */
  readonly argumentMeans?: 'caller' | 'registers' | 'inbox' | undefined
  readonly host: CallerHost
}

export interface CallerHost {
  readonly kind: string
  readonly version?: string
  readonly client?: ProcessRef
  readonly doors: readonly string[]
  readonly pane?: string
  readonly terminal?: string
  /** One server serves all sessions of this host; see `SessionHost`. */
  readonly shared?: boolean
}

export type Caller =
  | {
      readonly kind: 'session'
      readonly id: string
      /** Undefined until the first update_session. */
      readonly session: Session | undefined
      /** What was observed of it at this call. */
      readonly activity?: Activity | undefined
      /** False where only an argument says so. */
      readonly verified: boolean
      /** True for an agent the session started itself: it may look and send, and nothing else. */
      readonly isSubagent?: boolean
      readonly connection: Connection
      readonly host: CallerHost
    }
  | { readonly kind: 'human' }
  /** A client that has not registered: may look, may not act. */
  | { readonly kind: 'nobody'; readonly connection: Connection; readonly host: CallerHost }

export const HUMAN: Caller = { kind: 'human' }

/** The person at this machine: can be written to, is never woken, has no session. */
export const HUMAN_ID = 'human'
