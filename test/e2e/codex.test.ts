/** Codex on the bus, with our server in its configuration and nothing else: no hooks, as where nobody trusted them. */
import { expect } from 'vitest'
import { codex } from './lab/codex.ts'
import { proof } from './lab/heard.ts'
import { hostTest } from './lab/installed.ts'
import { expectCleanEnd, inPlace } from './lab/place.ts'
import { receipt, send } from './lab/shell.ts'
import { playKilled } from './stories/killed.ts'
import { playLongMail } from './stories/long-mail.ts'
import { playLongWait } from './stories/long-wait.ts'
import { expectOffer } from './stories/offer.ts'
import { expectRefusals } from './stories/refusal.ts'
import { playReview } from './stories/review.ts'

hostTest('offers the model all our tools', [codex], expectOffer)
hostTest('shows the model a refusal whole', [codex], expectRefusals)
hostTest('one session asks, another answers', [codex, codex], playReview)
hostTest('is seen to be gone when it is killed', [codex], playKilled)
hostTest('hands over long mail whole', [codex], playLongMail)
hostTest('goes on waiting with a cursor', [codex], () => playLongWait(codex, '2s'))

hostTest('C022: what is sent to it is stored, and no wake is claimed', [codex], async () => {
  await inPlace(async (place) => {
    const cx = place.model.conversation('cx')
    let sent: Awaited<ReturnType<typeof send>> | undefined
    cx.play([
      { tool: /update_session$/, args: { task: 'be without hooks', projectPath: place.project, name: 'cx' } },
      {
        text: 'registered',
        async after() {
          sent = await send(place, 'cx', 'look', '--activate', 'auto')
        },
      },
    ])
    expectCleanEnd(await place.run(codex, 'cx', 'Register.'))
    expect(sent?.wake).toMatchObject({
      outcome: 'unavailable',
      evidence: 'stored only: host codex has no way to be woken, or its hooks are not installed',
    })
    const status = await receipt(place, sent?.id ?? '')
    expect(status).toMatchObject({ place: 'unread' })
    expect(status).not.toHaveProperty('turnStartedAt')
    const [session] = Object.values(await place.files('sessions'))
    expect(session).toMatchObject({ name: 'cx', host: { kind: 'codex', doors: [] } })
    proof(codex, `without hooks it registers as ${session?.['id']} by update_session; ${sent?.wake?.evidence}`)
  })
})
