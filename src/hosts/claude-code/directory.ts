import type { Machine } from '../wiring.ts'

/** Where a person's settings of Claude Code lie. */
export function directory({ env, userHome, join }: Pick<Machine, 'env' | 'userHome' | 'join'>): string {
  return env['CLAUDE_CONFIG_DIR'] || join(userHome, '.claude')
}
