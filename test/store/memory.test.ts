import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../src/core/limits.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { aMessage } from '../contract/records.ts'
import { describeStore } from '../contract/store.ts'

describeStore('memory', async (options) => {
  const store = memoryStore(options)
  return {
    store,
    another: async () => store,
    async close() {
      store.close()
    },
  }
})

describe('the memory store', () => {
  it('takes a message back from a reader that holds it longer than its lease, and says so', async () => {
    let nowMs = 0
    const { inbox } = memoryStore({ clock: { now: () => nowMs } })
    const message = aMessage('b', 1)
    await inbox.deliver(message)
    for (let returns = 0; returns <= LIMITS.claimReturns; returns++) {
      const claim = await inbox.claim('b', message.id)
      expect(claim).toMatchObject({ redelivered: returns > 0 })
      nowMs += LIMITS.claimLeaseMs
      expect(await inbox.unread('b')).toMatchObject({ ids: [], claimed: 1 })
      nowMs += 1
      expect((await inbox.unread('b')).ids).toHaveLength(returns < LIMITS.claimReturns ? 1 : 0)
    }
    expect(await inbox.damaged('b')).toEqual([message.id])
  })

  it('ignores the end of a claim that was lost meanwhile', async () => {
    let nowMs = 0
    const { inbox } = memoryStore({ clock: { now: () => nowMs } })
    const message = aMessage('b', 1)
    await inbox.deliver(message)
    const lost = await inbox.claim('b', message.id)
    nowMs += LIMITS.claimLeaseMs + 1
    await inbox.unread('b')
    const next = await inbox.claim('b', message.id)
    if (lost === undefined || next === undefined || 'what' in lost || 'what' in next) throw new Error('not claimed')
    await lost.settle()
    expect(await inbox.find('b', message.id)).toMatchObject({ place: 'claimed' })
    await lost.release()
    expect(await inbox.unread('b')).toMatchObject({ ids: [], claimed: 1 })
    await next.settle()
    expect(await inbox.find('b', message.id)).toMatchObject({ place: 'read', readAt: new Date(nowMs).toISOString() })
  })
})
