/** What the rules need of this machine, whoever opens the bus on it: server, hook, status line. */

import os from 'node:os'
import type { Clock, Projects, Random } from '../core/ports.ts'
import { systemClock } from './clock.ts'
import { createProjects, PATHS_FOLD_CASE } from './projects.ts'
import { systemRandom } from './random.ts'

export interface Here {
  readonly clock: Clock
  readonly random: Random
  readonly projects: Projects
  readonly foldCase: boolean
}

export function here(): Here {
  return {
    clock: systemClock,
    random: systemRandom,
    projects: createProjects({ homeDir: os.homedir() }),
    foldCase: PATHS_FOLD_CASE,
  }
}
