import { describe, expect, it } from 'vitest'
import { type Item, isForPerson, itemsOf, needOf, stateText } from '../../../src/cli/live/order.ts'
import type { Sight } from '../../../src/core/sight.ts'
import { sight } from './sights.ts'

const none: ReadonlyMap<string, string> = new Map()
/** `# project`, names, `+n` for what is left out, an empty line between sections. */
const drawn = (items: readonly Item[]) =>
  items.map((item) => {
    if (item.kind === 'gap') return ''
    if (item.kind === 'more') return `+${item.hidden}`
    return item.kind === 'heading' ? `# ${item.project ?? 'needs you'}` : (item.row.name ?? item.row.id)
  })

describe('what a session needs', () => {
  it.each<[Partial<Sight>, string]>([
    [{ activity: 'needs_permission' }, 'permission'],
    [{ activity: 'needs_input', status: 'blocked' }, 'answer'],
    [{ activity: 'idle', status: 'blocked' }, 'blocked'],
    [{ activity: 'working' }, 'working'],
    [{ activity: 'idle', status: 'paused' }, 'idle'],
    [{ activity: 'unknown' }, 'unknown'],
    [{ activity: 'needs_input', finished: 'ended' }, 'over'],
    [{ status: 'blocked', finished: 'closed' }, 'over'],
  ])('%o is %s', (more, need) => {
    expect(needOf(sight('s', more), none)).toBe(need)
  })

  it('is the person where its question lies unread in their inbox, even when it is over', () => {
    const asking = new Map([['s', '2026-11-30T11:58:00Z']])
    expect(needOf(sight('s', { activity: 'working' }), asking)).toBe('asks')
    expect(needOf(sight('s', { finished: 'ended' }), asking)).toBe('asks')
    expect(needOf(sight('s', { activity: 'needs_permission' }), asking)).toBe('permission')
  })

  it('is said in the words of every other command', () => {
    const text = (more: Partial<Sight>) => stateText(sight('s', more), needOf(sight('s', more), none))
    expect(text({ activity: 'needs_permission' })).toBe('needs permission')
    expect(text({ activity: 'idle', status: 'blocked' })).toBe('blocked, idle')
    expect(text({ activity: 'working' })).toBe('working')
    expect(text({ finished: 'closed', status: 'cancelled' })).toBe('cancelled')
    expect(text({ finished: 'ended', status: 'active' })).toBe('ended')
    expect(['permission', 'answer', 'asks', 'blocked'].every((need) => isForPerson(need as 'asks'))).toBe(true)
  })
})

describe('the order', () => {
  const sessions = [
    sight('old', { finished: 'closed', updatedAt: '2026-11-30T10:00:00Z', projectPath: '/b' }),
    sight('idle', { projectPath: '/b' }),
    sight('busy', { activity: 'working', projectPath: '/b' }),
    sight('stuck', { status: 'blocked', projectPath: '/b' }),
    sight('asks', { projectPath: '/a' }),
    sight('waits-long', { activity: 'needs_input', since: '2026-11-30T09:00:00Z', projectPath: '/b' }),
    sight('waits', { activity: 'needs_input', since: '2026-11-30T11:00:00Z', projectPath: '/a' }),
    sight('permit', { activity: 'needs_permission', since: '2026-11-30T11:30:00Z', projectPath: '/c' }),
    sight('dark', { activity: 'unknown', projectPath: '/b' }),
    sight('gone', { finished: 'ended', projectPath: '/0' }),
    sight('tree', { projectPath: '/elsewhere', repoPath: '/a' }),
  ]
  const board = { sessions, asking: new Map([['asks', '2026-11-30T11:50:00Z']]) }

  it('has those who need the person first, then projects that run, then what is over', () => {
    expect(drawn(itemsOf(board, false))).toEqual([
      ...['# needs you', 'permit', 'waits-long', 'waits', 'asks', 'stuck', ''],
      ...['# /a', 'tree', ''],
      ...['# /b', 'busy', 'idle', 'dark', 'old', ''],
      ...['# /0', 'gone'],
    ])
  })

  it('does not depend on the order in which sessions come', () => {
    const turned = itemsOf({ ...board, sessions: [...sessions].reverse() }, false)
    expect(drawn(turned)).toEqual(drawn(itemsOf(board, false)))
  })

  it('shows the latest of those that are over, and all when asked', () => {
    const over = [1, 2, 3, 4, 5].map((n) =>
      sight(`o${n}`, { finished: 'closed', updatedAt: `2026-11-30T10:0${n}:00Z`, projectPath: '/p' }),
    )
    expect(drawn(itemsOf({ sessions: over, asking: none }, false))).toEqual(['# /p', 'o5', 'o4', 'o3', '+2'])
    expect(drawn(itemsOf({ sessions: over, asking: none }, true))).toEqual(['# /p', 'o5', 'o4', 'o3', 'o2', 'o1'])
  })
})
