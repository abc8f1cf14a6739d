import { describe, expect, it } from 'vitest'
import { type Column, table } from '../../src/cli/table.ts'
import { cut, cutStart, pad, widthOf, wrap } from '../../src/cli/width.ts'
import { ago, bytes, count, duration, listing, shortPath, typed, when } from '../../src/cli/words.ts'

describe('width', () => {
  it.each([
    ['abc', 3],
    ['审查', 4],
    ['서울', 4],
    ['かな', 4],
    ['ＡＢ', 4],
    ['é', 1],
    ['e\u0301', 1],
    ['🎯', 2],
    ['❤️', 2],
    ['🇩🇪', 2],
    ['—', 1],
    ['', 0],
  ])('%s takes %i columns', (text, columns) => {
    expect(widthOf(text)).toBe(columns)
  })

  it('never cuts to more than it may', () => {
    for (const text of ['abcdefghij', '审查支付流程', 'a审b查c支', '🎯🎯🎯🎯']) {
      for (let columns = 1; columns <= 12; columns++) {
        expect(widthOf(cut(text, columns))).toBeLessThanOrEqual(columns)
        expect(widthOf(cutStart(text, columns))).toBeLessThanOrEqual(columns)
      }
    }
    expect(cut('审查支付', 6)).toBe('审查…')
    expect(cutStart('~/src/deep/app', 10)).toBe('…/deep/app')
  })

  it('pads by columns, not by characters', () => {
    expect(pad('审查', 6)).toBe('审查  ')
    expect(pad('7', 3, 'right')).toBe('  7')
  })

  it('wraps at spaces, keeps indents and loses nothing but the spaces it broke at', () => {
    expect(wrap('one two three', 7)).toEqual(['one two', 'three'])
    expect(wrap('  const x = 1\n\nend', 40)).toEqual(['  const x = 1', '', 'end'])
    expect(wrap('审查支付流程', 5)).toEqual(['审查', '支付', '流程'])
    expect(wrap('abcdefgh', 3).join('')).toBe('abcdefgh')
  })
})

describe('table', () => {
  const columns: Column[] = [
    { title: 'NAME', min: 4 },
    { title: 'STATE' },
    { title: 'PATH', min: 6, keep: 'end', drop: 1 },
    { title: 'HOST', drop: 2 },
  ]
  const row = ['审查担当者', 'working', '/home/ada/src/checkout', 'claude-code'].map((text) => ({ text }))

  it('keeps every line within the terminal down to its narrowest', () => {
    for (let width = 17; width <= 80; width++) {
      for (const line of table(columns, [row], width, (text) => text)) expect(widthOf(line)).toBeLessThanOrEqual(width)
    }
  })

  it('shrinks first, then leaves out what matters least', () => {
    expect(table(columns, [row], 100, (text) => text)[0]).toMatch(/NAME +STATE +PATH +HOST/)
    expect(table(columns, [row], 40, (text) => text)[0]).toMatch(/NAME +STATE +PATH +HOST/)
    expect(table(columns, [row], 28, (text) => text)[0]).toMatch(/^NAME +STATE +PATH$/)
    expect(table(columns, [row], 20, (text) => text)[0]).toMatch(/^NAME +STATE$/)
  })

  it('leaves a column out that nobody fills', () => {
    expect(table(columns, [[{ text: 'a' }, { text: '' }, { text: 'p' }]], 80, (text) => text)[0]).toBe('NAME  PATH')
  })

  it('lets no cell break its line', () => {
    expect(table(columns, [[{ text: 'a\nb' }, { text: '\u001b[2Jx' }]], 80, undefined)).toEqual(['a b  x'])
  })
})

describe('words', () => {
  it('count and noun agree', () => {
    expect([0, 1, 2].map((n) => count(n, 'message'))).toEqual(['no messages', '1 message', '2 messages'])
    expect([0, 1, 2].map((n) => count(n, 'inbox', 'inboxes'))).toEqual(['no inboxes', '1 inbox', '2 inboxes'])
  })

  it('durations have one unit and never round up', () => {
    const [s, m, h, d] = [1_000, 60_000, 3_600_000, 86_400_000] as const
    expect([0, 59 * s, 60 * s, 119 * m + 59 * s, 47 * h, 48 * h, 9 * d].map(duration)).toEqual([
      '0s',
      '59s',
      '1m',
      '1h',
      '47h',
      '2d',
      '9d',
    ])
    expect(duration(-5)).toBe('0s')
    expect(ago(0)).toBe('now')
    expect(ago(90)).toBe('1m ago')
  })

  it('times lie before, after or at now, and nonsense is shown as it is', () => {
    const now = Date.parse('2026-11-30T12:00:00Z')
    expect(when('2026-11-30T11:57:00Z', now)).toBe('3m ago')
    expect(when('2026-11-30T14:00:00Z', now)).toBe('in 2h')
    expect(when('2026-11-30T12:00:00.400Z', now)).toBe('now')
    expect(when('soon', now)).toBe('soon')
  })

  it('lists, sizes and paths read well', () => {
    expect(listing([])).toBe('')
    expect(listing(['a', 'b', 'c'])).toBe('a, b and c')
    expect([0, 1023, 1536, 40 * 1024, 12 * 1024 ** 3].map(bytes)).toEqual([
      '0 B',
      '1023 B',
      '1.5 KiB',
      '40 KiB',
      '12 GiB',
    ])
    expect(shortPath('/home/ada/src', '/home/ada')).toBe('~/src')
    expect(shortPath('/home/adam/src', '/home/ada')).toBe('/home/adam/src')
    expect(shortPath('/home/ada', '/home/ada')).toBe('~')
    expect(shortPath('/srv', '/')).toBe('/srv')
    expect([typed('reviewer'), typed('code reviewer'), typed('审查')]).toEqual(['reviewer', '"code reviewer"', '审查'])
  })
})
