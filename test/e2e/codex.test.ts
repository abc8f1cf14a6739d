/** Codex on the bus, with our server in its configuration and nothing else: no hooks, as where nobody trusted them. */
import { codex } from './lab/codex.ts'
import { hostTest } from './lab/installed.ts'
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
