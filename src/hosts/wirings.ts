/** The hosts `install` knows, in the order they are listed. */

import { claudeCodeWiring } from './claude-code/wiring.ts'
import { codexWiring } from './codex/wiring.ts'
import { engineerWiring } from './engineer/wiring.ts'
import { msunWiring } from './msun/wiring.ts'
import { opencodeWiring } from './opencode/wiring.ts'
import type { Wiring } from './wiring.ts'

export const WIRINGS: readonly Wiring[] = [claudeCodeWiring, codexWiring, opencodeWiring, msunWiring, engineerWiring]
