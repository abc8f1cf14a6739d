import { describe, expect, it } from 'vitest'
import { checkNode, renderDiagnosis } from '../../src/cli/commands/doctor.ts'
import { renderList } from '../../src/cli/commands/list.ts'
import { type Overview, renderOverview } from '../../src/cli/commands/overview.ts'
import { renderSession } from '../../src/cli/commands/show.ts'
import type { View } from '../../src/cli/output.ts'
import { createPaint } from '../../src/cli/paint.ts'
import { countsOf } from '../../src/cli/session-rows.ts'
import { welcome } from '../../src/cli/welcome.ts'
import { widthOf } from '../../src/cli/width.ts'
import type { SessionRow, SessionView } from '../../src/core/answers.ts'

const now = Date.parse('2026-11-30T12:00:00Z')
const view: View = { columns: 100, paint: createPaint(false), nowMs: now, userHome: '/home/ada' }
const narrow: View = { ...view, columns: 60 }
const at = (secondsAgo: number) => new Date(now - secondsAgo * 1000).toISOString()

const row = (id: string, more: Partial<SessionRow> = {}): SessionRow => ({
  id,
  task: `Task of ${id}`,
  status: 'active',
  activity: 'idle',
  host: 'claude-code',
  projectPath: '/home/ada/src/shop',
  updatedAt: at(180),
  unread: 0,
  ...more,
})

const sessions: readonly SessionRow[] = [
  row('s-1', { name: 'builder', activity: 'working', unread: 2, oldestUnreadSeconds: 720 }),
  row('s-2', { name: '審査担当', status: 'blocked', activity: 'needs_permission', host: 'opencode', progress: '半分' }),
  row('s-3', { name: 'crashed', activity: 'ended', finished: 'ended' }),
  row('0b7c6f52-9f2c-4c56-8d5c-0d1d2f3a4b5c', {
    status: 'completed',
    finished: 'closed',
    projectPath: '/home/ada/src/tools',
  }),
]

describe('list', () => {
  const answer = { sessions, total: 4, open: 3 }

  it('shows who is there, and counts what it shows', () => {
    expect(renderList(answer, view, false)).toMatchInlineSnapshot(`
      "NAME                     STATUS     ACTIVITY          UNREAD   PROJECT      TASK
      builder                  active     working           2 (12m)  ~/src/shop   Task of s-1
      審査担当                 blocked    needs permission           ~/src/shop   Task of s-2 (半分)
      crashed                  active     ended                      ~/src/shop   Task of s-3
      0b7c6f52-9f2c-4c56-8d5…  completed  closed                     ~/src/tools  Task of 0b7c6f52-9f2c-4…

      4 sessions: 2 running, 1 ended, 1 closed."
    `)
  })

  it('fits 60 columns', () => {
    const text = renderList(answer, narrow, false)
    for (const line of text.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(60)
    expect(text).toMatchInlineSnapshot(`
      "NAME        STATUS     ACTIVITY          UNREAD   TASK
      builder     active     working           2 (12m)  Task of s…
      審査担当    blocked    needs permission           Task of s…
      crashed     active     ended                      Task of s…
      0b7c6f52-…  completed  closed                     Task of 0…

      4 sessions: 2 running, 1 ended, 1 closed."
    `)
  })

  it('number and sentence agree (C070)', () => {
    expect(countsOf([row('x', { activity: 'ended', finished: 'ended' })])).toBe('1 session: none running, 1 ended')
    expect(countsOf([])).toBe('no sessions')
    expect(countsOf(sessions)).toBe('4 sessions: 2 running, 1 ended, 1 closed')
  })

  it('says when it is a page, when it is empty and when it is not complete', () => {
    expect(renderList({ sessions, total: 57, open: 40 }, view, false)).toMatch(
      /Showing 4 of 57 sessions, 40 of them open/,
    )
    expect(renderList({ sessions: [], total: 0, open: 0 }, view, true)).toMatch(/^No session matches/)
    const partial = [{ what: 'sessions/x.json', why: 'damaged' }]
    const text = renderList({ sessions: [], total: 0, open: 0, partial }, view, false)
    expect(text).toMatch(/^No session is on the bus yet/)
    expect(text).toMatch(/Not complete; .*:\n {2}sessions\/x.json: damaged/)
  })
})

describe('overview', () => {
  const overview: Overview = {
    home: '/home/ada/.session-mcp',
    version: '1.2.3',
    you: { kind: 'human' },
    inbox: { unread: 2, oldestUnreadSeconds: 300 },
    waitingForYou: ['s-2'],
    sessions,
    total: 4,
    open: 3,
  }

  it('shows projects, mail and what to do next', () => {
    expect(renderOverview(overview, view)).toMatchInlineSnapshot(`
      "4 sessions: 2 running, 1 ended, 1 closed.
      ! 審査担当 needs your permission (~/src/shop)

      ~/src/shop
        builder                active     working           2 (12m)  claude-code  Task of s-1
        審査担当               blocked    needs permission           opencode     Task of s-2 (半分)
        crashed                active     ended                      claude-code  Task of s-3

      ~/src/tools
        0b7c6f52-9f2c-4c56-8…  completed  closed                     claude-code  Task of 0b7c6f52-9f2c-4…

      2 messages for you, the oldest 5m old.

      session-mcp inbox                  read your mail
      session-mcp show builder           everything about it
      session-mcp send builder "..."     write to it
      session-mcp wait builder 審査担当  until they are done
      session-mcp watch                  the same, live
      session-mcp help                   all commands"
    `)
  })

  it('fits 60 columns', () => {
    for (const line of renderOverview(overview, narrow).split('\n')) expect(widthOf(line), line).toBeLessThanOrEqual(60)
  })

  it('counts sessions of a worktree with their repository, and only once (C118)', () => {
    const tree = row('wt', { projectPath: '/w/1a4b/r', repoPath: '/home/ada/src/shop' })
    const text = renderOverview({ ...overview, sessions: [row('a'), tree], total: 2 }, view)
    expect(text.match(/~\/src\/shop/g)).toHaveLength(1)
    expect(text).not.toContain('/w/1a4b/r')
  })

  it('folds what is long over', () => {
    const over = [1, 2, 3, 4, 5].map((n) => row(`o-${n}`, { status: 'completed', finished: 'closed' }))
    expect(renderOverview({ ...overview, sessions: over, total: 5 }, view)).toContain('and 2 more that are over')
  })

  it('teaches on a fresh machine', () => {
    expect(welcome(overview, view, '/opt/session mcp/dist/index.js')).toMatchInlineSnapshot(`
      "session-mcp 1.2.3: one bus for every AI coding session on this machine.
      No session has registered yet (/home/ada/.session-mcp).

      1. Connect a client, once
        Claude Code
          claude mcp add --scope user session-mcp -- node "/opt/session mcp/dist/index.js"
        Codex
          codex mcp add session-mcp -- node "/opt/session mcp/dist/index.js"
        Others, in their MCP configuration
          {"mcpServers":{"session-mcp":{"command":"node","args":["/opt/session mcp/dist/index.js"]}}}

      2. Start a session in it, and say
          "Register with session-mcp, then tell me which other sessions there are."

      3. Look again
        Who is there, and what they do
          session-mcp

      See it work without a client: session-mcp demo. Check this machine: session-mcp doctor. All
      commands: session-mcp help."
    `)
  })
})

describe('doctor', () => {
  it('prints settings with their source, then what it found and what to do', () => {
    const text = renderDiagnosis(
      {
        healthy: false,
        version: '1.2.3',
        settings: [
          { setting: '--home', value: '/srv/bus', source: 'SESSION_MCP_HOME' },
          { setting: '--name', value: null, source: 'default' },
        ],
        warnings: ['The variable "SESSION_MCP_HMOE" means nothing to session-mcp.'],
        checks: [checkNode('22.1.0'), checkNode('18.19.1')],
        hosts: [],
      },
      view,
    )
    expect(text).toMatchInlineSnapshot(`
      "session-mcp 1.2.3

      SETTING  VALUE     FROM
      --home   /srv/bus  SESSION_MCP_HOME
      --name   -         default

      ok    Node 22.1.0.
      fail  Node 18.19.1 is older than 20.19.
            > Install a newer Node, and let the client start the server with it.
      warn  The variable "SESSION_MCP_HMOE" means nothing to session-mcp.

      1 check failed."
    `)
  })

  it('knows which Node is new enough', () => {
    expect(['18.20.0', '20.18.9', '20.19.0', '22.0.0', '24.1.0'].map((version) => checkNode(version).level)).toEqual([
      'fail',
      'fail',
      'ok',
      'ok',
      'ok',
    ])
  })
})

describe('show', () => {
  const shown = (more: Partial<SessionView>): string =>
    renderSession(
      {
        ...row('s-1', { name: 'builder' }),
        aliases: [],
        tags: [],
        metadata: {},
        evidence: 'hook Stop',
        wakeable: true,
        doors: [],
        waitingFor: [],
        watching: [],
        followers: [],
        damagedMessages: 0,
        ttl: '4h',
        createdAt: at(600),
        ...more,
      },
      { ...view, columns: 400 },
    )

  it('says what was asked of a session and has no good end: what, by whom, when, how it is known, what to do', () => {
    const text = shown({
      actions: [
        {
          id: 'act-1',
          kind: 'set_input',
          target: 'builder',
          asked: 'look here',
          by: 'lead',
          requestedAt: at(180),
          state: 'unknown',
          evidence: 'its executor ended before it said how it went',
          next: 'See with query_session how things stand.',
        },
      ],
    })
    expect(text).toContain(
      '  action        set_input of builder (look here), asked for by lead 3m ago: unknown: its executor ended before it said how it went. See with query_session how things stand.',
    )
    expect(shown({ actionsFault: 'EIO' })).toMatch(/^ {2}actions +EIO$/m)
    expect(shown({})).not.toContain('action ')
  })

  it('says of a session that create_session opened that it never came', () => {
    const opened = { id: 'act-1', kind: 'create', state: 'failed', evidence: 'never registered within 60 s' } as const
    expect(shown({ spawnedBy: 'lead', opened })).toMatch(/^ {2}opening +failed: never registered within 60 s$/m)
    expect(shown({ spawnedBy: 'lead', opened: { ...opened, state: 'done' } })).not.toContain('opening')
  })
})
