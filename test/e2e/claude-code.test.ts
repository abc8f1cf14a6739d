/** Claude Code on the bus: the release npm gives this Node, and the newest one. */
import { claudeCode, claudeCodeNewest } from './lab/claude-code.ts'
import { hostTest } from './lab/installed.ts'
import { playKilled } from './stories/killed.ts'
import { playLongMail } from './stories/long-mail.ts'
import { playLongWait } from './stories/long-wait.ts'
import { expectOffer } from './stories/offer.ts'
import { expectRefusals } from './stories/refusal.ts'
import { playReview } from './stories/review.ts'

for (const host of [claudeCode, claudeCodeNewest]) {
  hostTest('offers the model all our tools', [host], expectOffer)
  hostTest('shows the model a refusal whole', [host], expectRefusals)
  hostTest('one session asks, another answers', [host, host], playReview)
  hostTest('is seen to be gone when it is killed', [host], playKilled)
  hostTest('hands over long mail whole', [host], playLongMail)
  hostTest('goes on waiting with a cursor', [host], () => playLongWait(host, '2s'))
}
