/** OpenCode on the bus. */
import { hostTest } from './lab/installed.ts'
import { opencode, withPlugin } from './lab/opencode.ts'
import { playKilled } from './stories/killed.ts'
import { playLongMail } from './stories/long-mail.ts'
import { playLongWait } from './stories/long-wait.ts'
import { expectOffer } from './stories/offer.ts'
import { expectRefusals } from './stories/refusal.ts'
import { playReview } from './stories/review.ts'

hostTest('offers the model all our tools', [opencode], expectOffer)
hostTest('shows the model a refusal whole', [opencode], expectRefusals)
hostTest('one session asks, another answers', [opencode, opencode], playReview)
hostTest('is seen to be gone when it is killed', [opencode], playKilled)
hostTest('hands over long mail whole', [opencode], playLongMail)
hostTest('goes on waiting with a cursor, beyond its own limit per call', [opencode], () =>
  playLongWait(opencode, '13s', 10_000),
)

hostTest('with the plugin: one session asks, another answers', [opencode], () =>
  playReview(withPlugin('run'), withPlugin('run')),
)
hostTest('C177: with the plugin: is seen to be gone when it is killed', [opencode], () => playKilled(withPlugin('run')))
