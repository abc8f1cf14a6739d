import { afterEach, beforeEach } from 'vitest'
import type { Store } from '../../src/core/ports.ts'
import type { Open } from './store.ts'

/** Opens two handles on fresh data before each test of the block, and closes them after it. */
export function twoHandles(open: Open, options?: { readonly inboxLimit?: number }): { one: Store; two: Store } {
  const handles = {} as { one: Store; two: Store }
  let close: () => Promise<void>
  beforeEach(async () => {
    const opened = await open(options)
    handles.one = opened.store
    handles.two = await opened.another()
    close = opened.close
  })
  afterEach(() => close())
  return handles
}
