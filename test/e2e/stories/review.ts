/** The story the host tests tell: one session asks for a review, waits, and reads the answer of the other. */
import { expect } from 'vitest'
import type { Host } from '../lab/host.ts'
import { expectCleanEnd, inPlace } from '../lab/place.ts'
import { readInbox, sendMessage, shown, untilRefused, waitForSessions } from '../lab/results.ts'
import { untilWaiting } from '../lab/until-waiting.ts'

/** Turn numbers of both scripts: a session that reached one has been shown the results of all before it. */
const asked = { register: 0, send: 1, wait: 2, read: 3, end: 4 }
const answered = { register: 0, read: 1, send: 2, complete: 3, end: 4 }

export async function playReview(askerHost: Host, workerHost: Host): Promise<void> {
  await inPlace(async (place) => {
    const { model, project } = place
    const asker = model.conversation('asker')
    const worker = model.conversation('worker')
    asker.play(
      untilRefused([
        { tool: /update_session$/, args: { task: 'ask for a review', projectPath: project, name: 'asker' } },
        {
          tool: /send_message$/,
          args: { to: 'worker', content: 'please review', intent: 'request' },
          after: worker.reached(answered.register + 1),
        },
        { tool: /wait_for_sessions$/, args: { sessions: ['worker'], timeout: '100s' } },
        { tool: /read_inbox$/, args: {} },
        { text: 'asked and answered' },
      ]),
    )
    worker.play(
      untilRefused([
        { tool: /update_session$/, args: { task: 'review', projectPath: project, name: 'worker' } },
        { tool: /read_inbox$/, args: {}, after: asker.reached(asked.send + 1) },
        {
          tool: /send_message$/,
          args: () => ({
            to: 'asker',
            content: 'looks good',
            replyTo: shown(worker, readInbox).messages[0]?.id,
          }),
          after: () => untilWaiting(place, asker, asked.wait),
        },
        { tool: /complete_session$/, args: { result: 'reviewed' } },
        { text: 'reviewed' },
      ]),
    )

    const runs = await Promise.all([
      place.run(askerHost, 'asker', 'Ask the worker for a review.'),
      place.run(workerHost, 'worker', 'Review what you are asked to.'),
    ])

    const sent = shown(asker, sendMessage)
    expect(sent.to).toMatchObject([{ name: 'worker', stored: true }])
    const { messages: requests } = shown(worker, readInbox)
    expect(requests).toMatchObject([
      { id: sent.messageId, from: { name: 'asker' }, content: 'please review', intent: 'request' },
    ])
    const waited = shown(asker, waitForSessions)
    expect(waited).toMatchObject({
      done: true,
      sessions: [{ name: 'worker', status: 'completed', result: 'reviewed' }],
    })
    const replies = shown(asker, readInbox)
    expect(replies).toMatchObject({
      messages: [{ from: { name: 'worker' }, content: 'looks good', replyTo: sent.messageId }],
      remaining: 0,
    })

    const sessions = Object.values(await place.files('sessions'))
    expect(sessions.map(({ name }) => name).sort()).toEqual(['asker', 'worker'])
    // Read, because the host was written to: nothing is still unread or only claimed.
    // In the name of a file a capital is `~` and its small letter.
    const inbox = `inboxes/${sent.to[0]?.id.replace(/[A-Z]/g, (letter) => `~${letter.toLowerCase()}`)}`
    expect(Object.keys(await place.files(`${inbox}/read`))).toEqual([`${sent.messageId}.json`])
    expect(await place.files(`${inbox}/claimed`)).toEqual({})
    expect(await place.files(inbox)).toEqual({})

    expectCleanEnd(...runs)
    expect(runs[0].stdout).toContain('asked and answered')
    if (model.refused.length > 0) console.log(`refused on the way out: ${[...new Set(model.refused)].join(', ')}`)
  })
}
