/** One plugin in the project: `.engineer/plugins/session-mcp/`. Where the command line keeps its servers is its own affair. */

import { ideHome, launchOfPlugin, pluginFolder } from '../plugin-folder.ts'
import type { Machine, Wiring } from '../wiring.ts'
import { capabilities } from './capabilities.ts'

export const engineerWiring: Wiring = {
  kind: 'engineer',
  title: 'Engineer',
  binaries: ['engineer'],
  gives:
    'in this project: sessions are told at each prompt and between tools who they are, what is unread and what they follow',
  capabilities,
  variables: /^ENGINEER_/i,
  scripts: () => [],
  probe: () => undefined,
  directory,
  home: ideHome,
  place: projectOf,
  files(machine, { hooks, home }) {
    const to = machine.join(directory(machine), 'plugins', 'session-mcp')
    return pluginFolder(machine, machine.join(hooks, 'cli-plugin'), to, home)
  },
  launch: launchOfPlugin,
}

function directory(machine: Machine): string {
  return machine.join(projectOf(machine), '.engineer')
}

/** The nearest folder that is a project of this host already, or a repository; the current one where there is none. */
function projectOf({ cwd, userHome, join, exists }: Machine): string {
  for (let directory = cwd; ; ) {
    // What lies in a person's home is theirs, and no project's.
    const isKnown = directory !== userHome && exists(join(directory, '.engineer'))
    if (isKnown || exists(join(directory, '.git'))) return directory
    const parent = join(directory, '..')
    if (parent === directory) return cwd
    directory = parent
  }
}
