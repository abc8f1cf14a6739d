/** An action as an IDE's front end performs it: flat, with only what its type takes, in the IDE's own ids. */

import type { Action } from '../core/action.ts'
import { HUMAN_ID } from '../core/caller.ts'
import type { PluginAction } from '../core/plugin-module.ts'

export function pluginActionOf({ id, kind, by, target, params }: Action): PluginAction {
  const { name, model, scene, projectPath, prompt, text } = params
  const who = { id: by.id, name: by.name }
  const base = { id, type: kind === 'create' ? ('create_session' as const) : kind, sessionId: target.hostSessionId }
  return {
    ...base,
    ...(text !== undefined && { text: kind === 'set_input' ? `${origin(who)} ${text}` : text }),
    ...(model !== undefined && { model }),
    ...(scene !== undefined && { scene }),
    ...(name !== undefined && { name }),
    ...(projectPath !== undefined && { projectPath }),
    ...(prompt !== undefined && { prompt }),
    by: who,
  }
}

/** A person who sends what stands in the input line has to see that somebody else wrote it. */
function origin({ id, name }: PluginAction['by']): string {
  return id === HUMAN_ID ? '[from the person at this machine]' : `[from session ${name}]`
}
