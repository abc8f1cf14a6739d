import { describe, expect, it, vi } from 'vitest'
import { createKeyReader, type Key, onlyKeys, type Pressed } from '../../../src/cli/live/key.ts'
import { type Edit, EMPTY_LINE, edit, textOf, typeInto, windowOf } from '../../../src/cli/live/line.ts'
import { widthOf } from '../../../src/cli/width.ts'

const NOTHING: Pressed = {
  ...{ upArrow: false, downArrow: false, leftArrow: false, rightArrow: false, pageUp: false, pageDown: false },
  ...{
    home: false,
    end: false,
    return: false,
    escape: false,
    tab: false,
    backspace: false,
    delete: false,
    ctrl: false,
  },
}
const word = (key: Key) => (key.kind === 'text' ? `"${key.text}"` : key.kind === 'name' ? key.name : `^${key.letter}`)

describe('keys', () => {
  it('that came in one piece are as many keys', () => {
    expect(createKeyReader()('jj\rx\u007f\u0003', NOTHING).map(word)).toEqual([
      ...['"j"', '"j"', 'enter', '"x"', 'backspace', '^c'],
    ])
  })

  it('have the names of the library', () => {
    const read = createKeyReader()
    expect(read('', { ...NOTHING, upArrow: true }).map(word)).toEqual(['up'])
    expect(read('c', { ...NOTHING, ctrl: true }).map(word)).toEqual(['^c'])
    expect(read('', { ...NOTHING, delete: true }).map(word)).toEqual(['backspace'])
  })

  it('of a paste are text: line ends and all, and nothing that drives a terminal', () => {
    const read = createKeyReader()
    read('[200~', NOTHING)
    const keys = [
      ...read('cy\u001b[2Jq', NOTHING),
      ...read('', { ...NOTHING, return: true }),
      ...read('last\r', NOTHING),
    ]
    expect(keys).toEqual(['cyq', '\n', 'last\n'].map((text) => ({ kind: 'text', text, isPaste: true })))
    read('[201~', NOTHING)
    expect(read('q', NOTHING)).toEqual([{ kind: 'text', text: 'q', isPaste: false }])
  })
})

describe('a line', () => {
  const edited = (text: string, ...edits: Edit[]) => edits.reduce(edit, typeInto(EMPTY_LINE, text))

  it('that holds a pasted file costs what is seen of it: a piece of it, at each key and each drawing', () => {
    const file = '審'.repeat(150_000)
    const line = edited(file, 'left', 'left')
    const cost = vi.spyOn(Intl.Segmenter.prototype, 'segment')
    try {
      const { text, cursor } = windowOf(line, 80)
      expect([widthOf(text), cursor]).toEqual([78, 78])
      const after = (['left', 'right', 'backspace', 'delete'] as const).reduce(edit, line)
      expect(textOf(after)).toBe(file.slice(2))
      expect(textOf(edit(typeInto(EMPTY_LINE, `${file} last`), 'word'))).toBe(`${file} `)
      expect(Math.max(...cost.mock.calls.map(([of]) => of.length))).toBeLessThan(5_000)
    } finally {
      cost.mockRestore()
    }
    // A character of two units is never cut in half.
    for (const shift of ['', 'x']) {
      const smiles = `${shift}${'🎯'.repeat(5_000)}${shift}`
      expect(windowOf(typeInto(EMPTY_LINE, smiles), 60).text).not.toMatch(/\p{Surrogate}/u)
      expect(windowOf(edited(smiles, 'home'), 60).text).not.toMatch(/\p{Surrogate}/u)
    }
  })

  it('is edited by characters as people see them', () => {
    expect(textOf(edited('a👩‍👩‍👧e\u0301', 'backspace'))).toBe('a👩‍👩‍👧')
    expect(textOf(edited('a👩‍👩‍👧', 'backspace'))).toBe('a')
    expect(textOf(typeInto(edited('ac', 'left'), 'b'))).toBe('abc')
    expect(textOf(edited('審査', 'home', 'delete'))).toBe('査')
    expect(textOf(edited('one two ', 'word'))).toBe('one ')
    expect(textOf(edited('one', 'clear'))).toBe('')
    expect(textOf(edited('', 'backspace', 'delete', 'left', 'right'))).toBe('')
  })

  it('shows the part around the cursor, never wider than it may', () => {
    for (const text of ['short', 'a long line of many words', '審査支払い処理🎯🎯', 'two\nlines']) {
      for (let columns = 2; columns < 30; columns++) {
        for (const edits of [[], ['home'], ['left', 'left', 'left']] as Edit[][]) {
          const shown = windowOf(edited(text, ...edits), columns)
          expect(widthOf(shown.text)).toBeLessThan(columns)
          expect(shown.cursor).toBeLessThan(columns)
        }
      }
    }
    expect(windowOf(edited('two\nlines'), 20)).toEqual({ text: 'two↵lines', cursor: 9 })
  })
})

describe('what a terminal sends', () => {
  it('stays where it is a key or text', () => {
    for (const key of [
      'j',
      'é🎯',
      '\u001b',
      '\r',
      '\u001b[A',
      '\u001b[1;5C',
      '\u001bOB',
      '\u001b[5~',
      '\u001b[3;2~',
      '\u001b[Z',
    ])
      expect(onlyKeys(key)).toBe(key)
    expect(onlyKeys('\u001b[200~a [31m b\u001b[201~')).toBe('\u001b[200~a [31m b\u001b[201~')
  })

  it('goes where it is none: keys nobody knows, colours in a paste', () => {
    for (const none of ['\u001b[1;5P', '\u001b[31m', '\u001b[99;5~', '\u001bO5x', '\u001b[38;5;200m', '\u001b[5X'])
      expect(onlyKeys(`a${none}b`)).toBe('ab')
  })
})
