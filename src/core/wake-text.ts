/** The text that starts a turn: ours alone, so that its return in a prompt is proof and no peer’s word rides on it. */

import { isId } from './ids.ts'

export function wakeText(wakeId: string, unread: number): string {
  return `session-mcp wake ${wakeId}: ${unread} unread ${unread === 1 ? 'message' : 'messages'}. Use read_inbox.`
}

/** The wake a prompt carries, if it is one. */
export function wakeIdIn(prompt: string): string | undefined {
  const id = /session-mcp wake ([0-9a-z]{8,16}): \d+ unread/.exec(prompt)?.[1]
  return id !== undefined && isId(id) ? id : undefined
}
