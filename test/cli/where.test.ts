import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { whereItRuns } from '../../src/cli/where.ts'
import { freshActivity, observe } from '../../src/core/activity.ts'
import type { Entry } from '../../src/core/ports.ts'
import { decodeSession } from '../../src/core/session.ts'

const NOW = '2026-11-30T12:00:00Z'
const entry = (host: object, state: 'working' | 'ended' = 'working'): Entry => ({
  session: decodeSession({
    ...{ id: 's-1', name: 'lead', task: 't', projectPath: '/src/my shop', status: 'active', ttl: '4h' },
    ...{ createdAt: NOW, updatedAt: NOW, host },
  }),
  activity: observe(freshActivity('s-1', NOW), state, 'a test', NOW),
})

describe('where a session runs', () => {
  it('is its pane, with what to type', () => {
    expect(whereItRuns(entry({ kind: 'codex', pane: '%7' }))).toBe(
      "lead runs in the tmux pane %7: tmux switch-client -t '%7'",
    )
  })

  it('hands a person nothing to paste that runs what a record says', () => {
    const pane = "%7'; touch PWNED; '"
    expect(whereItRuns(entry({ kind: 'codex', pane }))).not.toContain('PWNED')
    const over = whereItRuns(entry({ kind: 'claude-code', hostSessionId: '$(echo "it\'s") `pwd`' }, 'ended'))
    const line = over.slice(over.indexOf('claude --resume '))
    const said = execFileSync('sh', ['-c', `claude() { printf %s "$2"; }; ${line}`], { encoding: 'utf8' })
    expect(said).toBe('$(echo "it\'s") `pwd`')
  })

  it('is said as far as it is known, and a running conversation is not opened twice', () => {
    const text = whereItRuns(entry({ kind: 'claude-code', client: { pid: 42 } }))
    expect(text).toContain('claude-code, process 42, in /src/my shop')
    expect(text).not.toContain('--resume')
  })

  it('is the way back into one that ended, where its host has one', () => {
    const host = { kind: 'claude-code', hostSessionId: 'abc', pane: '%7' }
    expect(whereItRuns(entry(host, 'ended'))).toBe(
      'lead is over. To go on with it: cd "/src/my shop" && claude --resume abc',
    )
    expect(whereItRuns(entry({ kind: 'generic' }, 'ended'))).toContain('it ran in generic')
    expect(whereItRuns(undefined)).toBe('This session is gone.')
  })
})
