/** Sessions as the live view gets them. */

import type { Sight } from '../../../src/core/sight.ts'

export const NOW_MS = Date.parse('2026-11-30T12:00:00Z')

export function sight(id: string, more: Partial<Sight> = {}): Sight {
  return {
    id,
    task: `Task of ${id}`,
    status: 'active',
    activity: 'idle',
    host: 'claude-code',
    projectPath: '/home/ada/src/shop',
    updatedAt: '2026-11-30T11:57:00Z',
    waitingFor: [],
    ...more,
  }
}
