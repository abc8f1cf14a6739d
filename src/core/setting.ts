/** The scene and the model a session runs with, as its host says: kept in its record, and told to it. */

import type { Context } from './context.ts'
import { fenced } from './fence.ts'
import type { Conversation } from './host-plugin.ts'
import { LIMITS } from './limits.ts'
import type { Entry } from './ports.ts'
import type { Session } from './session.ts'
import { clip } from './text.ts'

export type Setting = Pick<Conversation, 'model' | 'scene'>

/** The record with what the host says now: empty takes it out, undefined leaves it. Itself where nothing is different. */
export function withSetting(session: Session, setting: Setting): Session {
  let next = session
  for (const field of ['model', 'scene'] as const) {
    const said = setting[field]
    if (said === undefined) continue
    const { [field]: before, ...rest } = next
    const value = clip(said.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim(), LIMITS.nameChars * 2)
    if (value === (before ?? '')) continue
    next = value === '' ? rest : { ...next, [field]: value }
  }
  return next
}

/** Brings the record up to date. Nobody is told: it is not what a session declares of its work. */
export async function noteSetting(context: Context, entry: Entry, setting: Setting): Promise<Entry> {
  if (withSetting(entry.session, setting) === entry.session) return entry
  const changed = await context.store.sessions.change(entry.session.id, (current) => {
    if (current === undefined) return undefined
    const session = withSetting(current.session, setting)
    return session === current.session ? undefined : { session }
  })
  return changed ?? entry
}

/** For the model; undefined where the host says neither. */
export function settingLine({ scene, model }: Setting): string | undefined {
  const parts = [scene ? `scene ${fenced(scene)}` : '', model ? `model ${fenced(model)}` : ''].filter(Boolean)
  return parts.length === 0 ? undefined : `session-mcp: this session runs with ${parts.join(' and ')}.`
}
