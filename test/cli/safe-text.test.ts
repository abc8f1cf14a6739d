import { describe, expect, it } from 'vitest'
import { oneLine, safeAnswer, safeJson, safeText } from '../../src/cli/safe-text.ts'

/** Case C140 and its kind: what is sent, and all that may be left of it on a terminal. */
const HOSTILE: readonly (readonly [what: string, text: string, left: string])[] = [
  ['colours', '\u001b[31mRed\u001b[0m', 'Red'],
  ['a window title', 'a\u001b]0;own\u0007b', 'ab'],
  ['a window title ended by ST', 'a\u001b]0;own\u001b\\b', 'ab'],
  ['a window title ended by the C1 ST', 'a\u009d0;own\u009cb', 'ab'],
  ['the clipboard', '\u001b]52;c;AAAA\u0007', ''],
  ['a link', '\u001b]8;;http://evil.example\u001b\\click\u001b]8;;\u001b\\', 'click'],
  ['a C1 CSI', '\u009b2Jx', 'x'],
  ['backspaces', 'abc\b\bd', 'abcd'],
  ['a C1 control', 'a\u0085b\u0084c', 'a\nbc'],
  ['a device control string', '\u001bP1$r0m\u001b\\x', 'x'],
  ['an application command', '\u001b_secret\u001b\\x', 'x'],
  ['a string nobody ended', 'a\u001b]0;title\nnext line', 'a\nnext line'],
  ['a sequence inside a sequence', '\u001b[\u001b[31mx', 'x'],
  ['an escape cut off at the end', 'x\u001b', 'x'],
  ['a CSI cut off at the end', 'x\u001b[31', 'x'],
  ['a character set', '\u001b(0lqk\u001b(B', 'lqk'],
  ['a reset', '\u001bcx', 'x'],
  ['a saved cursor', '\u001b7x\u001b8', 'x'],
  ['carriage returns', 'user: yes\rpeer: no\r\nend', 'user: yes\npeer: no\nend'],
  ['vertical tab and form feed', 'a\u000bb\fc', 'abc'],
  ['NUL and DEL', 'a\0b\u007fc', 'abc'],
  ['bidi overrides', 'abc\u202edef\u202c\u2066x\u2069', 'abcdefx'],
  ['marks of direction', 'a\u200eb\u200fc\u061cd', 'abcd'],
  ['zero-width characters', 'a\u200bb\u200cc\u200dd\u2060e\ufefff', 'abcdef'],
  ['soft hyphens and fillers', 'a\u00adb\u3164c\u115fd', 'abcd'],
  ['hidden tag letters', 'a\u{e0041}\u{e0042}b', 'ab'],
  ['line and paragraph separators', 'a\u2028b\u2029c', 'a\nb\nc'],
  ['half a surrogate pair', 'a\ud83db', 'a\ufffdb'],
]

/** What must survive: nothing is made safe by making it unreadable. */
const HARMLESS = [
  'plain',
  'two\nlines\tand a tab',
  '—🎯测试',
  'naïve café',
  'שלום',
  '서울 東京',
  '❤️ ok',
  '[31m',
  'a\\u001b',
]

describe('safeText', () => {
  it.each(HOSTILE)('leaves nothing of %s', (_, text, left) => {
    expect(safeText(text)).toBe(left)
  })

  it.each(HARMLESS)('keeps %j as it is', (text) => {
    expect(safeText(text)).toBe(text)
  })

  it('leaves no control character whatever it is given', () => {
    const alphabet = [
      '\u001b',
      '[',
      ']',
      '\u009b',
      '\u009d',
      '\u0007',
      '\\',
      '\u009c',
      'P',
      '3',
      '1',
      'm',
      ';',
      '\n',
      'é',
      '\u202e',
    ]
    let seed = 1
    for (let round = 0; round < 5_000; round++) {
      let text = ''
      for (let i = 0; i < 12; i++) {
        seed = (seed * 48_271) % 2_147_483_647
        text += alphabet[seed % alphabet.length]
      }
      expect(safeText(text)).toMatch(/^[^\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]*$/)
    }
  })
})

describe('oneLine', () => {
  it('folds lines and runs of space into one line', () => {
    expect(oneLine('  a\n\n\tb\u2028c  ')).toBe('a b c')
  })
})

describe('safeAnswer', () => {
  it('reaches every text of an answer and nothing else', () => {
    const answer = { a: '\u001b[1mx', list: [{ '\u001b[1mkey': 'y\u0007' }], n: 1, yes: true, none: null }
    expect(safeAnswer(answer)).toEqual({ a: 'x', list: [{ key: 'y' }], n: 1, yes: true, none: null })
  })

  it('keeps a key called __proto__ a key', () => {
    const safe = safeAnswer(JSON.parse('{"__proto__":{"polluted":true}}'))
    expect(Object.hasOwn(safe, '__proto__')).toBe(true)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})

describe('safeJson', () => {
  it.each(HOSTILE)('keeps the original of %s, escaped', (what, text) => {
    const json = safeJson({ text })
    expect(json).toMatch(/^[^\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]*$/)
    if (what !== 'half a surrogate pair') expect(JSON.parse(json)).toEqual({ text })
  })

  it('leaves ordinary letters readable', () => {
    expect(safeJson({ text: '測試 é 🎯' })).toBe('{"text":"測試 é 🎯"}')
  })
})
