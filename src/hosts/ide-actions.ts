/** An action as an IDE's front end performs it: flat, with only what its type takes, in the IDE's own ids. */

import type { Action } from '../core/action.ts'
import type { PluginAction } from '../core/plugin-module.ts'
import { typedText } from '../core/typed.ts'

export function pluginActionOf(action: Action): PluginAction {
  const { id, kind, by, target, params } = action
  const { name, model, scene, projectPath, prompt, text } = params
  const base = { id, type: kind === 'create' ? ('create_session' as const) : kind, sessionId: target.hostSessionId }
  return {
    ...base,
    ...(text !== undefined && { text: kind === 'set_input' ? typedText(action) : text }),
    ...(model !== undefined && { model }),
    ...(scene !== undefined && { scene }),
    ...(name !== undefined && { name }),
    ...(projectPath !== undefined && { projectPath }),
    ...(prompt !== undefined && { prompt }),
    by: { id: by.id, name: by.name },
  }
}
