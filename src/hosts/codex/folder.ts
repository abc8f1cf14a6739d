/** Where Codex keeps its settings and conversations, and listens: CODEX_HOME of whoever runs the conversation. */

/** Told by the place of a conversation: its hooks are given no CODEX_HOME, and `$CODEX_HOME/sessions/YYYY/MM/DD/` holds it. */
export function folderOf(transcript: string | undefined): string | undefined {
  return /^(.+)[\\/]sessions[\\/]\d{4}[\\/]/.exec(transcript ?? '')?.[1]
}
