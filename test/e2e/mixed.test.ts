/** Different hosts on one bus. */
import { claudeCode } from './lab/claude-code.ts'
import { hostTest } from './lab/installed.ts'
import { opencode } from './lab/opencode.ts'
import { playReview } from './stories/review.ts'

hostTest('Claude Code asks, OpenCode answers', [claudeCode, opencode], playReview)
