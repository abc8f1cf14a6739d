/** What a host offers its model of our server. */
import { expect } from 'vitest'
import type { Host } from '../lab/host.ts'
import { expectCleanEnd, inPlace } from '../lab/place.ts'
import { tools } from '../lab/results.ts'

export async function expectOffer(host: Host): Promise<void> {
  await inPlace(async ({ model, run }) => {
    const reader = model.conversation('reader')
    reader.play([{ text: 'seen' }])
    expectCleanEnd(await run(host, 'reader', 'Say something.'))
    // Hosts prefix the server's name: mcp__session-mcp__read_inbox, session-mcp_read_inbox, mcp__session_mcp__read_inbox.
    const ours = reader.requests[0]?.tools.flatMap((name) => /session[-_]mcp_+(\w+)$/.exec(name)?.[1] ?? [])
    console.log(`[${host.name}] offers ${ours?.join(', ')}`)
    expect(ours).toEqual(expect.arrayContaining(tools))
  })
}
