/**
 * Which of our hooks Codex holds back. A person trusts each one in the terminal; Codex then keeps a hash of it in
 * `config.toml` under `[hooks.state]`, by file, event and place. Only ever read here: trust is the person's to give.
 */

import { createHash } from 'node:crypto'
import { record } from '../entries.ts'
import type { HeldBack, HostData, JsonPath } from '../wiring.ts'

/** Where Codex itself sorts or shortens: the limit of its last events is capped, and some know no matcher. */
const CAPPED_S = 3
const CAPPED = ['session_end', 'interrupt']

/** @param ours where in a group of hooks ours are. */
export function heldBack(data: HostData, ours: (group: unknown) => readonly JsonPath[]): HeldBack[] {
  const hooks = data['hooks']
  const state = record(record(record(data['servers']?.root)['hooks'])['state'])
  return Object.entries(record(record(hooks?.root)['hooks'])).flatMap(([event, groups]) =>
    (Array.isArray(groups) ? groups : []).flatMap((group: unknown, place) =>
      ours(group).flatMap((at): HeldBack[] => {
        const label = event.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()
        const index = Number(at.at(-1) ?? 0)
        const keys = (hooks?.paths ?? []).map((path) => `${path}:${label}:${place}:${index}`)
        const { trusted_hash: hash, enabled } = record(keys.map((key) => state[key]).find((each) => each !== undefined))
        if (enabled === false) return [{ label: event, why: 'switched off' }]
        if (typeof hash !== 'string') return [{ label: event, why: 'not reviewed' }]
        return hash === hashOf(label, group, index) ? [] : [{ label: event, why: 'changed since' }]
      }),
    ),
  )
}

/** As 0.171 counts: SHA-256 of the sorted JSON of what the hook does. */
function hashOf(event: string, group: unknown, index: number): string {
  const { hooks, matcher } = record(group)
  const { command, timeout } = record(Array.isArray(hooks) ? hooks[index] : undefined)
  const seconds = typeof timeout === 'number' ? timeout : 600
  const identity = {
    event_name: event,
    hooks: [
      {
        async: false,
        command,
        timeout: CAPPED.includes(event) ? Math.min(seconds, CAPPED_S) : seconds,
        type: 'command',
      },
    ],
    ...(matcher !== undefined && { matcher }),
  }
  return `sha256:${createHash('sha256').update(JSON.stringify(identity)).digest('hex')}`
}
