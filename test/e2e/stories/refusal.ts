/** A refused call reaches the model whole: what was asked, what is true, what to do next. */
import { expect } from 'vitest'
import type { Host } from '../lab/host.ts'
import { expectCleanEnd, inPlace } from '../lab/place.ts'
import { refusal } from '../lab/results.ts'

export async function expectRefusals(host: Host): Promise<void> {
  await inPlace(async ({ model, project, run }) => {
    const stranger = model.conversation('stranger')
    stranger.play([
      { tool: /send_message$/, args: { to: 'nobody', content: 'hello' } },
      { tool: /update_session$/, args: { name: 'stranger' } },
      { tool: /update_session$/, args: { task: 'ask around', projectPath: project, name: 'stranger' } },
      { tool: /send_message$/, args: { to: 'strangr', content: 'hello' } },
      { text: 'refused' },
    ])
    expectCleanEnd(await run(host, 'stranger', 'Talk to somebody.'))
    const [unregistered, incomplete, , unknown] = stranger.requests.at(-1)?.exchanges ?? []
    for (const exchange of [unregistered, incomplete, unknown]) {
      const said = { code: expect.stringMatching(/^[A-Z_]+$/), message: expect.any(String), hint: expect.any(String) }
      expect(refusal(exchange?.result ?? '')).toEqual({ ok: false, error: said })
    }
  })
}
