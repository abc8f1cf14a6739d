/** A wait that ran out is a normal answer, even under a host's own limit, and its cursor carries the next one on. */
import { expect } from 'vitest'
import type { Host } from '../lab/host.ts'
import { expectCleanEnd, inPlace } from '../lab/place.ts'
import { allShown, shown, untilRefused, waitForSessions } from '../lab/results.ts'

const asked = { firstWait: 1, secondWait: 2 }

/** @param callLimitMs how long the host is told to let one call last, where it can be told. */
export async function playLongWait(host: Host, timeout: string, callLimitMs?: number): Promise<void> {
  await inPlace(async ({ model, project, run }) => {
    const waiter = model.conversation('waiter')
    const worker = model.conversation('worker')
    const wait = { tool: /wait_for_sessions$/ }
    waiter.play(
      untilRefused([
        { tool: /update_session$/, args: { task: 'wait', projectPath: project, name: 'waiter' } },
        { ...wait, args: { sessions: ['worker'], timeout }, after: worker.reached(1) },
        {
          ...wait,
          args: () => ({ sessions: ['worker'], timeout: '100s', cursor: shown(waiter, waitForSessions).cursor }),
          after: worker.reached(2),
        },
        { text: 'waited' },
      ]),
    )
    worker.play(
      untilRefused([
        { tool: /update_session$/, args: { task: 'work', projectPath: project, name: 'worker' } },
        // Closed between the two waits: only the cursor can know.
        { tool: /complete_session$/, args: { result: 'worked' }, after: waiter.reached(asked.secondWait) },
        { text: 'worked' },
      ]),
    )
    const runs = await Promise.all([
      run(host, 'waiter', 'Wait.', { callLimitMs }),
      run(host, 'worker', 'Work.', { callLimitMs }),
    ])
    expect(allShown(waiter, waitForSessions)).toMatchObject([
      { done: false, pending: ['worker'] },
      { done: true, sessions: [{ name: 'worker', status: 'completed', result: 'worked' }] },
    ])
    expectCleanEnd(...runs)
  })
}
