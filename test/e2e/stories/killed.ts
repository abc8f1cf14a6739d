/** A host that is killed takes its server with it, and its peers see that it is gone: by evidence, not by silence. */
import { expect } from 'vitest'
import type { Host } from '../lab/host.ts'
import { inPlace } from '../lab/place.ts'
import { allShown, querySession, untilRefused } from '../lab/results.ts'
import { untilWaiting } from '../lab/until-waiting.ts'

export async function playKilled(host: Host): Promise<void> {
  await inPlace(async (place) => {
    const { model, project, run } = place
    const victim = model.conversation('victim')
    const witness = model.conversation('witness')
    victim.play(
      untilRefused([
        { tool: /update_session$/, args: { task: 'be killed', projectPath: project, name: 'victim' } },
        { tool: /wait_for_sessions$/, args: { sessions: ['witness'], timeout: '100s' }, after: witness.reached(1) },
      ]),
    )
    const isWaiting = victim.reached(1).then(() => untilWaiting(place, victim, 1))
    const killWhen = Promise.all([isWaiting, witness.reached(2)])
    const killed = run(host, 'victim', 'Wait for the witness.', { killWhen })
    witness.play(
      untilRefused([
        { tool: /update_session$/, args: { task: 'watch', projectPath: project, name: 'witness' } },
        { tool: /query_session$/, args: { session: 'victim' }, after: victim.reached(1) },
        { tool: /query_session$/, args: { session: 'victim' }, after: killed },
        { text: 'seen' },
      ]),
    )
    await run(host, 'witness', 'Look after the victim.')
    expect(await killed).toMatchObject({ exitCode: null, leftBehind: [] })
    const [before, after] = allShown(witness, querySession)
    expect(before?.finished).toBeUndefined()
    expect(after).toMatchObject({ name: 'victim', activity: 'ended', finished: 'ended' })
  })
}
