/** Settles answers that consume: kept once the client was written to, given back in every other case. */

import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { RequestId } from '@modelcontextprotocol/sdk/types.js'
import type { Called } from '../tools/registry.ts'

type HandOver = NonNullable<Called['handOver']>

export interface HandOvers {
  /** Takes charge of the answer to request `id`, which is cancelled (or its connection lost) through `signal`. */
  hold(id: RequestId, handOver: HandOver, signal: AbortSignal): void
  /** Resolves when nothing is being settled. */
  idle(): Promise<unknown>
}

/**
 * Wraps `transport.send`. An answer counts as handed over when its bytes were written; a failed write or a cancellation
 * before that gives it back, and whatever comes later changes nothing. `failed` hears of settling that did not work: the
 * message is then held until its lease runs out.
 */
export function settleOnSend(transport: Transport, failed: (fault: unknown) => void): HandOvers {
  const held = new Map<RequestId, HandOver>()
  const send = transport.send.bind(transport)

  const settling = new Set<Promise<void>>()

  /** Exactly one of the two calls, whoever comes first. */
  const settle = async (id: RequestId | undefined, isWritten: boolean): Promise<void> => {
    const handOver = id === undefined ? undefined : held.get(id)
    if (id === undefined || handOver === undefined) return
    held.delete(id)
    const done = (isWritten ? handOver.handedOver() : handOver.notHandedOver()).catch(failed)
    settling.add(done)
    await done
    settling.delete(done)
  }

  transport.send = async (message, options) => {
    const id = 'method' in message ? undefined : message.id
    try {
      await send(message, options)
    } catch (fault) {
      await settle(id, false)
      throw fault
    }
    await settle(id, true)
  }

  return {
    hold(id, handOver, signal) {
      held.set(id, handOver)
      if (signal.aborted) void settle(id, false)
      else signal.addEventListener('abort', () => void settle(id, false), { once: true })
    },
    idle() {
      return Promise.all(settling)
    },
  }
}
