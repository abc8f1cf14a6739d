import { describe, expect, it } from 'vitest'
import { alternative, fold, nearest, requireName } from '../../src/core/name.ts'

describe('the grammar of names', () => {
  it.each([
    ['lead', 'lead'],
    ['  Lead  reviewer ', 'Lead reviewer'],
    ['v1.2_x-y', 'v1.2_x-y'],
    ['7', '7'],
    ['Größe', 'Größe'],
    ['서울 팀', '서울 팀'],
    ['Ａｌｐｈａ', 'Alpha'],
    ['ﬁx', 'fix'],
    ['e\u0301tude', '\u00e9tude'],
    ['हिन्दी', 'हिन्दी'],
    ['x'.repeat(48), 'x'.repeat(48)],
    ['demo.site.example', 'demo.site.example'],
  ])('%j is stored as %j', (text, name) => {
    expect(requireName(text)).toBe(name)
    expect(requireName(name)).toBe(name)
  })

  it.each([
    '',
    ' ',
    '.hidden',
    '-x',
    '_x',
    '__proto__',
    'a/b',
    'a\\b',
    'a:b',
    'a"b',
    'a\nb',
    'a\tb',
    'a\0b',
    'a\u200bb',
    'a\u202eb',
    // Letters and marks, too, but nobody sees them.
    'a\u034fb',
    'a\ufe0fb',
    'a\u3164b',
    '\u3164',
    'a\u17b4b',
    'a\u{e0101}b',
    'a#b',
    '😀',
    '\ud83d',
    'x'.repeat(49),
    'group:x',
    '../../evil',
  ])('C146 C148 %j is refused', (text) => {
    expect(() => requireName(text, 'groupId')).toThrow(
      expect.objectContaining({ code: 'BAD_NAME', message: expect.stringMatching(/^groupId /) }),
    )
  })

  it('says which character nobody sees', () => {
    expect(() => requireName('re\ufe0fviewer')).toThrow('name "re\\ufe0fviewer" is not a name.')
    expect(() => requireName('a\u{e0101}')).toThrow('name "a\\udb40\\udd01" is not a name.')
  })

  it.each(['me', 'All', 'USER', 'human', 'System', 'ｈuman'])('%j means something else here', (text) => {
    expect(() => requireName(text)).toThrow(expect.objectContaining({ message: expect.stringContaining('reserved') }))
  })

  it('is counted in characters, not in code units', () => {
    expect(requireName('𝒜'.repeat(48))).toBe('A'.repeat(48))
    expect(requireName('𐐀'.repeat(48))).toBe('𐐀'.repeat(48))
    expect(() => requireName('𐐀'.repeat(49))).toThrow()
  })
})

describe('the form names are compared in', () => {
  it.each([
    ['Lead', 'LEAD'],
    ['Straße', 'STRAßE'],
    ['Ｌｅａｄ', 'lead'],
    ['étude', 'E\u0301TUDE'],
    ['İ', 'i\u0307'],
  ])('takes %j and %j for one', (a, b) => {
    expect(fold(a)).toBe(fold(b))
    expect(fold(fold(a))).toBe(fold(a))
  })

  it('keeps apart what differs', () => {
    expect(new Set(['a b', 'a-b', 'a_b', 'a.b', 'ab'].map(fold)).size).toBe(5)
  })
})

describe('another name to offer', () => {
  it('is a name, however long the first one is', () => {
    expect(alternative('lead', 2)).toBe('lead-2')
    for (const name of ['x'.repeat(48), '𐐀'.repeat(48)]) {
      expect(requireName(alternative(name, 17))).toMatch(/-17$/)
    }
  })
})

describe('the nearest names', () => {
  const names = ['reviewer', 'lead', 'Lead-2', 'builder', 'x']

  it.each([
    ['reveiwer', ['reviewer']],
    ['REVIEWER', ['reviewer']],
    ['leda', ['lead']],
    ['xx', ['x']],
    ['completely different', []],
  ])('to %j are %j', (text, expected) => {
    expect(nearest(text, names)).toEqual(expected)
  })

  it('are at most as many as asked for, nearest first, and cost little for long text', () => {
    expect(nearest('lead', ['lead-3', 'lead', 'lead-2', 'leads'], 2)).toEqual(['lead', 'leads'])
    expect(nearest('y'.repeat(1_000_000), names)).toEqual([])
  })
})
