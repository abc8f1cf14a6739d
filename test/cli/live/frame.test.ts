import { describe, expect, it } from 'vitest'
import { type Frame, frameOf } from '../../../src/cli/live/frame.ts'
import type { Key } from '../../../src/cli/live/key.ts'
import { type Effect, type Loaded, type Notice, type State, startState } from '../../../src/cli/live/state.ts'
import { inView, type Looked, update } from '../../../src/cli/live/update.ts'
import type { View } from '../../../src/cli/output.ts'
import { createPaint, withoutPaint } from '../../../src/cli/paint.ts'
import { widthOf } from '../../../src/cli/width.ts'
import type { MessageView, SessionView } from '../../../src/core/answers.ts'
import type { Sight } from '../../../src/core/sight.ts'
import { NOW_MS, sight } from './sights.ts'

const view = (hasColor = false): View => ({
  columns: 0,
  paint: createPaint(hasColor),
  nowMs: NOW_MS,
  userHome: '/home/ada',
})
const SESSIONS: readonly Sight[] = [
  sight('s-1', { name: 'lead', activity: 'working', since: '2026-11-30T11:54:00Z', waitingFor: ['s-2', 's-9'] }),
  sight('s-2', { name: 'reviewer', activity: 'needs_permission', since: '2026-11-30T11:56:00Z' }),
  sight('s-3', { name: '審査担当', task: '支払い処理を審査する 🎯\u202e\u001b[2J', host: 'codex' }),
  sight('s-4', { name: 'old', status: 'completed', finished: 'closed' }),
]
const MESSAGE: MessageView = {
  id: 'msg-1',
  from: { id: 's-2', name: 'reviewer', verified: true },
  sentAt: '2026-11-30T11:59:00Z',
  ageSeconds: 60,
  intent: 'request',
  priority: 'normal',
  content:
    'first \u001b]0;title\u0007line\nsecond line that is long enough to be broken somewhere 審査審査審査審査審査',
}

const WHOLE: SessionView = {
  ...(SESSIONS[1] as Sight),
  ...{ unread: 0, aliases: [], tags: [], metadata: {}, evidence: 'hook Notification', wakeable: true, doors: [] },
  ...{ watching: [], followers: ['s-1'], damagedMessages: 0, ttl: '4h', createdAt: '2026-11-30T11:00:00Z' },
}

function looked(sessions: readonly Sight[], more: Partial<Looked> = {}): Looked {
  const mailOf = new Map([['s-3', { unread: 2, oldestUnreadSeconds: 720 }]])
  return {
    board: { sessions, asking: new Map() },
    partial: [],
    mailOf,
    own: { unread: 0 },
    page: undefined,
    loaded: undefined,
    ...more,
  }
}

function begin(size = { columns: 100, rows: 20 }, sessions = SESSIONS, isNarrowed = false): State {
  const state = startState({ size, version: '1.2.3', home: '/home/ada/.session-mcp', you: undefined, isNarrowed })
  return update(state, { kind: 'looked', looked: looked(sessions) }, view()).state
}

const key = (word: string): Key =>
  word.length === 1 || word === '審'
    ? { kind: 'text', text: word, isPaste: false }
    : { kind: 'name', name: word as 'up' }

function press(state: State, ...words: string[]): { state: State; effects: readonly Effect[] } {
  let next: { state: State; effects: readonly Effect[] } = { state, effects: [] }
  for (const word of words) next = update(next.state, { kind: 'key', key: key(word) }, view())
  return next
}

const loadedPage = (state: State, loaded: Loaded): State =>
  update(state, { kind: 'looked', looked: looked(SESSIONS, { page: state.pages.at(-1), loaded }) }, view()).state

const text = ({ lines }: Frame) => lines.map((line) => line.trimEnd()).join('\n')

describe('the screen', () => {
  it('shows who needs you, then each project', () => {
    expect(text(frameOf(begin(), view()))).toMatchInlineSnapshot(`
      "4 sessions: 3 running, 1 closed                                                          1 needs you
         NAME      STATE              FOR  UNREAD   TASK                                  WAITS FOR
      Needs you (1)
      >! reviewer  needs permission    4m           shop: Task of s-2

      ~/src/shop
         lead      working             6m           Task of s-1                           reviewer and s-9
         審査担当  idle                    2 (12m)  支払い処理を審査する 🎯
         old       completed           3m           Task of s-4










      enter details  i your mail  w write  m its mail  o open  c complete  / filter  a all  ? help  q quit"
    `)
  })

  it('never passes off what could not be read as all there is', () => {
    const partial = [{ what: 's-9', why: 'The inbox is not readable.' }]
    const { state } = update(begin(), { kind: 'looked', looked: looked(SESSIONS, { partial }) }, view())
    expect(frameOf(state, view()).lines[0]).toContain('not complete: see session-mcp doctor')
  })

  it('has exactly as many rows as the terminal, and no line is wider, in any size and in every page', () => {
    const remark: Notice = { tone: 'warn', text: 'A remark that is long. '.repeat(12) }
    const pages: readonly State[] = [
      begin(),
      begin(undefined, []),
      press(begin(), '?').state,
      loadedPage(press(begin(), 'enter').state, {
        kind: 'session',
        id: 's-2',
        view: WHOLE,
      }),
      loadedPage(press(begin(), 'm').state, { kind: 'mail', id: 's-2', messages: [MESSAGE], remaining: 3 }),
      loadedPage(press(begin(), 'i').state, {
        kind: 'own',
        messages: [MESSAGE],
        fresh: new Set(['msg-1']),
        remaining: 0,
      }),
      press(begin(), 'w', 'a', '審').state,
      press(begin(), 'c').state,
      press(begin(), '/', 'x').state,
      { ...begin(), notice: remark },
    ]
    const wrong: unknown[] = []
    for (const hasColor of [false, true]) {
      for (const page of pages) {
        for (const columns of [1, 2, 3, 5, 8, 13, 20, 40, 60, 80, 130]) {
          for (const rows of [1, 2, 3, 4, 5, 7, 8, 12, 20, 50]) {
            const { state } = update(page, { kind: 'sized', size: { columns, rows } }, view())
            const { lines, cursor } = frameOf(state, view(hasColor))
            const plain = lines.map(withoutPaint)
            const odd = plain.filter(
              // A character of two columns in a terminal of one is beyond help.
              (line) => widthOf(line) > Math.max(columns, 2) || /[\u0000-\u001f\u202e]/.test(line),
            )
            const isOff = cursor !== undefined && (cursor.y >= rows || cursor.x >= columns)
            if (lines.length !== rows || odd.length > 0 || isOff) wrong.push({ columns, rows, plain, odd, cursor })
          }
        }
      }
    }
    expect(wrong.slice(0, 1)).toEqual([])
  })

  it('says for how long a question has been waiting, and has the oldest first', () => {
    const asking = new Map([
      ['s-1', '2026-11-30T11:55:00Z'],
      ['s-3', '2026-11-30T11:40:00Z'],
    ])
    const { state } = update(
      begin(),
      { kind: 'looked', looked: looked(SESSIONS, { board: { sessions: SESSIONS, asking } }) },
      view(),
    )
    const shown = text(frameOf(state, view()))
    expect(shown).toMatch(/reviewer +needs permission.*\n ! 審査担当 +asks you +20m .*\n ! lead +asks you +5m /)
  })

  it('leaves room for the task behind the name of a project, and uses a wider terminal at once', () => {
    const long = sight('s-1', { activity: 'needs_input', projectPath: `/p/${'long-'.repeat(12)}`, task: 'Mend it' })
    expect(text(frameOf(begin({ columns: 80, rows: 20 }, [long]), view()))).toContain('long-long-long-…: Mend it')
    const short = [sight('s-1')]
    const [drawn, wide] = [70, 160].map((columns) => begin({ columns, rows: 20 }, short)) as [State, State]
    frameOf(drawn, view())
    const sized = update(drawn, { kind: 'sized', size: wide.size }, view()).state
    expect(frameOf(sized, view())).toEqual(frameOf(wide, view()))
  })

  it('keeps its columns where they are while one scrolls, and draws only the rows in sight', () => {
    const many = Array.from({ length: 1_000 }, (_, n) =>
      sight(`s-${n}`, { name: n === 700 ? 'a-name-that-is-much-longer' : `n-${n}`, projectPath: `/p/${n % 7}` }),
    )
    let state = begin({ columns: 100, rows: 20 }, many)
    const heads = new Set<string>()
    for (let page = 0; page < 90; page++) {
      heads.add(frameOf(state, view()).lines[1] ?? '')
      expect(inView(state).length).toBeLessThanOrEqual(20)
      state = press(state, 'pagedown').state
    }
    expect([...heads]).toHaveLength(1)
    expect(text(frameOf(press(state, 'G').state, view()))).toContain('>')
  })
})

describe('a page', () => {
  it('of a session has all that is known, who waits for it, and names instead of ids', () => {
    const state = loadedPage(press(begin(), 'enter').state, { kind: 'session', id: 's-2', view: WHOLE })
    const shown = text(frameOf(state, view()))
    expect(shown).toContain('reviewer  active, needs permission')
    expect(shown).toContain('lead waits for it.')
    expect(shown).toMatch(/followed by +lead/)
  })

  it('of mail says who wrote it, and whether it stays unread', () => {
    const state = loadedPage(press(begin(), 'm').state, { kind: 'mail', id: 's-2', messages: [MESSAGE], remaining: 3 })
    const shown = text(frameOf(state, view()))
    expect(shown).toContain('4 messages unread in the inbox of reviewer; looking leaves them unread.')
    expect(shown).toMatch(/reviewer {2}1m ago, request, msg-1\n +│ first line\n/)
  })

  it('of your own mail shows what is new, however much was read before: it has become read with that', () => {
    const letter = (n: number): MessageView => ({ ...MESSAGE, id: `msg-${n}`, content: `letter ${n}` })
    const messages = Array.from({ length: 40 }, (_, n) => letter(n))
    for (const size of [
      { columns: 100, rows: 20 },
      { columns: 40, rows: 10 },
    ]) {
      const opened = press(begin(size), 'i').state
      const own = { kind: 'own', messages, fresh: new Set(['msg-39']), remaining: 0 } as const
      const shown = text(frameOf(loadedPage(opened, own), view()))
      expect(shown).toMatch(/^> reviewer[^>]*│ letter 39$/m)
      // Without anything new it is the last one that would be answered.
      expect(text(frameOf(loadedPage(opened, { ...own, fresh: new Set() }), view()))).toContain('│ letter 39')
      // Page by page the mark goes along: nothing is answered that is not on the screen.
      let paged = press(loadedPage(opened, own), 'g').state
      for (let n = 0; n < 8; n++) {
        paged = press(paged, 'pagedown').state
        const marked = /^> reviewer[^>]*?│ letter (\d+)$/m.exec(text(frameOf(paged, view())))?.[1]
        expect(press(paged, 'enter', 'x', 'enter').effects).toMatchObject([{ replyTo: `msg-${marked}` }])
      }
      // More mail does not move what is being read.
      const up = press(loadedPage(opened, own), 'g').state
      const more = { ...own, messages: [...messages, letter(40)], fresh: new Set(['msg-40']) }
      expect(text(frameOf(loadedPage(up, more), view()))).toContain('│ letter 0')
    }
  })

  it('without sessions says that there are none only where all were asked for', () => {
    const size = { columns: 60, rows: 60 }
    expect(text(frameOf(begin(size, []), view()))).toContain('No session has registered yet')
    const narrowed = text(frameOf(begin(size, [], true), view()))
    expect(narrowed).toContain('No session matches what this view was started for.')
    expect(narrowed).not.toContain('registered')
    // The lines to be copied are there as a whole.
    expect(text(frameOf(begin({ columns: 30, rows: 90 }, []), view())).replaceAll(/\n */g, '')).toContain(
      `"args":["${process.argv[1]}"]}}}`,
    )
  })

  it('of the welcome is scrolled like any other, and not beyond its end', () => {
    const empty = begin({ columns: 60, rows: 10 }, [])
    const lines = (state: State) => text(frameOf(state, view())).split('\n')
    const end = press(empty, 'G').state
    expect(lines(end).slice(1, -2).join(' ')).toMatch(/All commands: session-mcp help\.$/)
    expect(lines(press(end, 'j', 'j', 'k').state)).not.toEqual(lines(end))
    expect(lines(press(end, 'g').state)).toEqual(lines(empty))
    expect(lines(press(empty, 'pagedown').state)).not.toEqual(lines(empty))
  })

  it('that goes on beyond the screen says how to get there', () => {
    const state = (rows: number) =>
      loadedPage(press(begin({ columns: 80, rows }), 'enter').state, { kind: 'session', id: 's-2', view: WHOLE })
    expect(frameOf(state(40), view()).lines.at(-1)).not.toContain('scroll')
    expect(frameOf(state(12), view()).lines.at(-1)).toContain('esc back  j k scroll')
  })

  it('that was opened meanwhile does not get what was looked up for another', () => {
    const before = press(begin(), 'enter').state
    const after = press(before, 'escape', 'm').state
    const stale = looked(SESSIONS, { page: before.pages.at(-1), loaded: { kind: 'session', id: 's-2', view: WHOLE } })
    expect(update(after, { kind: 'looked', looked: stale }, view()).state.loaded).toBeUndefined()
  })
})

describe('keys', () => {
  it('select by what is drawn, and stay on a session while others come and go', () => {
    const state = press(begin(), 'j', 'j').state
    expect(state.selected).toBe('s-3')
    const more = [sight('s-0', { name: 'aaa', activity: 'needs_input' }), ...SESSIONS]
    expect(update(state, { kind: 'looked', looked: looked(more) }, view()).state.selected).toBe('s-3')
    const fewer = SESSIONS.filter(({ id }) => id !== 's-3')
    expect(update(state, { kind: 'looked', looked: looked(fewer) }, view()).state.selected).toBe('s-4')
    expect(press(state, 'G').state.selected).toBe('s-4')
    expect(press(state, 'g').state.selected).toBe('s-2')
  })

  it('write to the selected session: Enter sends, Tab asks for an answer, nothing is not sent', () => {
    const sent = press(begin(), 'w', 'h', 'i', 'tab', 'enter')
    expect(sent.effects).toEqual([
      { kind: 'send', to: { id: 's-2', label: 'reviewer' }, text: 'hi', replyTo: undefined, isRequest: true },
    ])
    expect(sent.state.prompt).toBeUndefined()
    expect(press(begin(), 'w', 'enter').effects).toEqual([])
    const left = press(begin(), 'w', 'h', 'escape')
    expect([left.effects, left.state.notice?.text]).toEqual([[], 'Nothing was sent.'])
  })

  it('that wrote a text which was refused have written it all the same: it stands there again, with the reason', () => {
    const { state, effects } = press(begin(), 'w', 'h', 'i', 'tab', 'enter')
    const [sending] = effects
    if (sending?.kind !== 'send') throw new Error('nothing was sent')
    const refused = (from: State) => update(from, { kind: 'unsent', sending, why: 'Its inbox is full.' }, view()).state
    const again = text(frameOf(refused(state), view()))
    expect(again).toMatch(/Not sent: Its inbox is full\.\nAsk reviewer: hi$/)
    expect(press(refused(state), 'enter').effects).toEqual([sending])
    expect(text(frameOf(press(refused(state), '!').state, view()))).toMatch(/Enter sends.*\nAsk reviewer: hi!$/)
    // While something else is asked it waits, and is not what the next key answers.
    const asked = refused(press(state, 'c').state)
    expect(text(frameOf(asked, view()))).toContain('Complete reviewer?')
    const after = press(asked, 'n')
    expect(after.effects).toEqual([])
    expect(text(frameOf(after.state, view()))).toMatch(/Not sent: Its inbox is full\.\nAsk reviewer: hi$/)
    expect(press(after.state, 'escape').state.prompt).toBeUndefined()
  })

  it('complete only after a yes that was typed', () => {
    expect(press(begin(), 'c').effects).toEqual([])
    expect(press(begin(), 'c', 'enter').effects).toEqual([])
    expect(press(begin(), 'c', 'n').state.prompt).toBeUndefined()
    const pasted: Key = { kind: 'text', text: 'y', isPaste: true }
    expect(update(press(begin(), 'c').state, { kind: 'key', key: pasted }, view()).effects).toEqual([])
    expect(press(begin(), 'c', 'y').effects).toEqual([{ kind: 'complete', target: { id: 's-2', label: 'reviewer' } }])
  })

  it('answer the message that is marked in your own mail', () => {
    const second = { ...MESSAGE, id: 'msg-2', from: { id: 's-1', name: 'lead', verified: true } }
    const own = { kind: 'own', messages: [MESSAGE, second], fresh: new Set(['msg-2']), remaining: 0 } as const
    const state = loadedPage(press(begin(), 'i').state, own)
    expect(press(state, 'enter', 'o', 'k', 'enter').effects).toMatchObject([
      { kind: 'send', replyTo: 'msg-2', text: 'ok' },
    ])
    expect(press(state, 'k', 'enter', 'x', 'enter').effects).toMatchObject([{ replyTo: 'msg-1' }])
  })

  it('are no command when they were pasted', () => {
    for (const letter of ['q', 'c', 'w', 'a']) {
      const next = update(begin(), { kind: 'key', key: { kind: 'text', text: letter, isPaste: true } }, view())
      expect(next).toEqual({ state: begin(), effects: [] })
    }
  })

  it('quit from everywhere', () => {
    const ctrl: Key = { kind: 'ctrl', letter: 'c' }
    for (const state of [
      begin(),
      press(begin(), 'w', 'x').state,
      press(begin(), 'enter').state,
      press(begin(), 'c').state,
    ]) {
      expect(update(state, { kind: 'key', key: ctrl }, view()).effects).toEqual([{ kind: 'quit', how: 'interrupted' }])
    }
    expect(press(begin(), 'enter', 'q').effects).toEqual([{ kind: 'quit', how: 'asked' }])
  })
})
