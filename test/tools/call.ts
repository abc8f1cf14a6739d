/** Calls a tool the way the server does, on a fake bus. */

import { expect } from 'vitest'
import { type CallDeps, type Called, callTool } from '../../src/tools/registry.ts'
import { resolveToolsets } from '../../src/tools/toolsets.ts'
import { type FakeBus, fakeBus } from './fake-bus.ts'

export async function call(
  name: string,
  args: unknown,
  bus: FakeBus = fakeBus(),
  over: Partial<CallDeps> = {},
): Promise<Called> {
  return callTool(name, args, {
    bus,
    toolsets: resolveToolsets(undefined),
    client: { waitCeilingMs: 50_000 },
    signal: new AbortController().signal,
    hints: { connection: { named: new Set() }, host: { kind: 'generic', doors: [] } },
    ...over,
  })
}

interface RefusedWith {
  readonly code: string
  readonly message: string
  readonly hint: string
}

/** The refusal of a call that must be refused. */
export async function refused(name: string, args: unknown, bus: FakeBus = fakeBus()): Promise<RefusedWith> {
  const { result, handOver } = await call(name, args, bus)
  expect(result.isError).toBe(true)
  expect(handOver).toBeUndefined()
  expect(result.structuredContent['ok']).toBe(false)
  return result.structuredContent['error'] as RefusedWith
}
