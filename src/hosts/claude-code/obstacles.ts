/**
 * Settings that stand above a person's own, and switch hooks off whatever those say: of the organisation, and of the project
 * (https://code.claude.com/docs/en/settings, read 2026-11).
 */

import { record } from '../entries.ts'
import type { Machine, Obstacle } from '../wiring.ts'
import { directory } from './directory.ts'

/** Linux, macOS, Windows; of each only one is there. What an organisation hands out by other means is in no file. */
const MANAGED = [
  '/etc/claude-code',
  '/Library/Application Support/ClaudeCode',
  'C:\\Program Files\\ClaudeCode',
  'C:\\ProgramData\\ClaudeCode',
]
const ADMINISTRATOR = 'Only whoever manages this machine can change that; until then sessions have to look for mail.'

export function obstacles(machine: Machine): readonly Obstacle[] {
  const { cwd, join, read } = machine
  const managed = MANAGED.map((directory) => join(directory, 'managed-settings.json')).flatMap((file): Obstacle[] => {
    const { disableAllHooks, allowManagedHooksOnly } = record(read(file))
    if (disableAllHooks !== true && allowManagedHooksOnly !== true) return []
    const name = disableAllHooks === true ? 'disableAllHooks' : 'allowManagedHooksOnly'
    return [{ text: `"${name}" is true in ${file}, so none of our hooks runs.`, fix: ADMINISTRATOR }]
  })
  const theirs = join(directory(machine), 'settings.json')
  const here = ['settings.json', 'settings.local.json']
    .map((name) => join(cwd, '.claude', name))
    .filter((file) => file !== theirs)
  const project = here.findLast((file) => typeof record(read(file))['disableAllHooks'] === 'boolean')
  if (project === undefined || record(read(project))['disableAllHooks'] !== true) return managed
  return [
    ...managed,
    {
      text: `"disableAllHooks" is true in ${project}, so no hook runs in this folder.`,
      fix: 'Take it out of the file.',
    },
  ]
}
