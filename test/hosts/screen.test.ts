/**
 * What terminals of real hosts showed, in test/hosts/screens: Claude Code 2.1.332 (RECORD_SCREENS=1 and the host test
 * claude-code-screens write them anew) and Codex 0.171, recorded once in November 2026.
 */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { HOSTS } from '../../src/hosts/table.ts'
import { shownIn } from '../../src/hosts/tmux/screen.ts'

const FOLDER = path.join(import.meta.dirname, 'screens')
const IDLE = { input: '', isWorking: false }
const TURN = { input: '', isWorking: true }

const EXPECTED: Readonly<Record<string, Readonly<Record<string, { input: string; isWorking: boolean } | undefined>>>> =
  {
    'claude-code': {
      cancelled: { input: 'be slow', isWorking: false },
      cleared: IDLE,
      command: { input: '/rename Peter', isWorking: false },
      dialog: undefined,
      draft: { input: 'a draft', isWorking: false },
      'draft-of-two-lines': { input: 'a draft\n  and more', isWorking: false },
      fresh: IDLE,
      idle: IDLE,
      'idle-again': IDLE,
      permission: undefined,
      renamed: IDLE,
      'shell-mode': undefined,
      working: TURN,
      'working-again': TURN,
      'working-with-draft': { input: 'a draft', isWorking: true },
    },
    codex: {
      'cancelled-with-draft': { input: 'draft', isWorking: false },
      cleared: IDLE,
      command: { input: '/rename Peter', isWorking: false },
      dialog: undefined,
      draft: { input: 'hello there', isWorking: false },
      'draft-of-two-lines': { input: 'line one\n  line two', isWorking: false },
      idle: IDLE,
      renamed: IDLE,
      working: TURN,
      'working-with-draft': { input: 'draft', isWorking: true },
    },
  }

function screenOf(kind: string) {
  const screen = HOSTS.find((host) => host.kind === kind)?.screen
  if (screen === undefined) throw new Error(`${kind} has no screen`)
  return screen
}

const recorded = (kind: string, state: string) => fs.readFileSync(path.join(FOLDER, kind, `${state}.txt`), 'utf8')

it('every host whose screen is read has recorded ones, and every recorded one is expected', () => {
  expect(HOSTS.flatMap(({ kind, screen }) => (screen === undefined ? [] : [kind])).sort()).toEqual(
    Object.keys(EXPECTED),
  )
  for (const [kind, states] of Object.entries(EXPECTED)) {
    expect(fs.readdirSync(path.join(FOLDER, kind)).sort()).toEqual(
      Object.keys(states)
        .map((state) => `${state}.txt`)
        .sort(),
    )
  }
})

describe.each(Object.entries(EXPECTED))('the terminal of %s', (kind, states) => {
  it.each(Object.entries(states))('is read as it is: %s', (state, expected) => {
    expect(screenOf(kind).read(shownIn(recorded(kind, state)))).toEqual(expected)
  })

  it('is not known while something else is shown', () => {
    for (const text of ['', '\n', '$ ', 'vim\n~\n~\n', '❯ ', '› ', `${'─'.repeat(20)}\n❯ \n`]) {
      expect(screenOf(kind).read(shownIn(text)), JSON.stringify(text)).toBeUndefined()
    }
  })

  it('an empty input line in what was said does not count: it is no longer at the bottom', () => {
    const forged = `${recorded(kind, 'idle').trimEnd()}\n${'  said after it\n'.repeat(8)}`
    expect(screenOf(kind).read(shownIn(forged))).toBeUndefined()
    const asking = `${recorded(kind, 'idle').trimEnd()}\n${recorded(kind, 'dialog')}`
    expect(screenOf(kind).read(shownIn(asking))).toBeUndefined()
  })
})

describe('a captured pane', () => {
  it('is read without styles, links and trailing blanks, and dim text is told apart', () => {
    const text =
      '\u001b[1mbold\u001b[0m \u001b[2mdim\u001b[22m \u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\  \n\u001b[38;5;2mgreen\u001b[38;2;2;2;2mrgb\u001b[2mdim\nstill dim\u001b[m end\u00a0\n\n\n'
    expect(shownIn(text)).toEqual({
      lines: ['bold dim link', 'greenrgbdim', 'still dim end'],
      bright: ['bold  link', 'greenrgb', ' end'],
    })
  })
})
