/** What tests have run on real hosts. Written by `npm run proofs` from a run of them, never by hand. */

import type { Proof } from './capability.ts'

export const PROOFS: readonly Proof[] = [
  ['claude-code', '2.1.197', 'activity', 'hooks', '2026-11-30', 'claude-code-mail'],
  ['claude-code', '2.1.197', 'continue', 'hooks', '2026-11-30', 'claude-code-mail'],
  ['claude-code', '2.1.197', 'identity', 'hooks', '2026-11-30', 'claude-code-mail'],
  ['claude-code', '2.1.197', 'inject', 'hooks', '2026-11-30', 'claude-code-mail'],
  ['claude-code', '2.1.197', 'mid-turn', 'hooks', '2026-11-30', 'claude-code-mail'],
  ['claude-code', '2.1.197', 'wake', 'file-watch', '2026-11-30', 'claude-code-wake'],
  ['claude-code', '2.1.332', 'activity', 'hooks', '2026-11-30', 'claude-code-mail'],
  ['claude-code', '2.1.332', 'continue', 'hooks', '2026-11-30', 'claude-code-mail'],
  ['claude-code', '2.1.332', 'identity', 'hooks', '2026-11-30', 'claude-code-mail'],
  ['claude-code', '2.1.332', 'inject', 'hooks', '2026-11-30', 'claude-code-mail'],
  ['claude-code', '2.1.332', 'mid-turn', 'hooks', '2026-11-30', 'claude-code-mail'],
  ['claude-code', '2.1.332', 'wake', 'file-watch', '2026-11-30', 'claude-code-wake'],
  ['codex', '0.171.0', 'activity', 'hooks', '2026-11-30', 'codex-mail'],
  ['codex', '0.171.0', 'continue', 'hooks', '2026-11-30', 'codex-mail'],
  ['codex', '0.171.0', 'inject', 'hooks', '2026-11-30', 'codex-mail'],
  ['codex', '0.171.0', 'mid-turn', 'hooks', '2026-11-30', 'codex-mail'],
]
