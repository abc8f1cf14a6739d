/** A status line in terminals of any width, with text that anybody may have written. */
import { describe, expect, it } from 'vitest'
import { createPaint } from '../../src/cli/paint.ts'
import { statusLine } from '../../src/cli/status-line/line.ts'
import { widthOf } from '../../src/cli/width.ts'
import { partsOf, type StatusBeside, type StatusFacts } from '../../src/core/status-line.ts'

const FACTS: StatusFacts = {
  label: 'shop',
  isClosed: false,
  unread: 3,
  waiters: { count: 4, names: ['lead', 'qa'] },
}
const BESIDE: StatusBeside = { model: 'Opus 4.6', context: 41 }
const plain = createPaint(false)

const line = (columns: number, facts: Partial<StatusFacts> = {}, beside: Partial<StatusBeside> = {}) =>
  statusLine(partsOf({ ...FACTS, ...facts }, { ...BESIDE, ...beside }), columns, plain)

describe('a line', () => {
  it('says all of it where there is room, or where the width is not known', () => {
    const all = 'shop | 3 unread | lead, qa +2 wait for it | 41% context | Opus 4.6'
    expect(line(Number.POSITIVE_INFINITY)).toBe(all)
    expect(line(all.length)).toBe(all)
  })

  it.each([
    [65, 'shop | 3 unread | lead, qa +2 wait for it | 41% context'],
    [54, 'shop | 3 unread | 4 waiting | 41% context'],
    [40, 'shop | 3 unread | 4 waiting | 41%'],
    [30, 'shop | 3 unread | 4 waiting'],
    [20, 'shop | 3 unread'],
    [12, 'shop | 3'],
    [5, '3'],
    [1, '3'],
  ])('in %i columns gives up model, names, context and waiters, in this order, and unread last', (columns, text) => {
    expect(line(columns)).toBe(text)
  })

  it.each([
    [26, 'a name of a… | 3 unread'],
    [20, 'a name of a… | 12345'],
    [16, 'a na… | 12345'],
    [12, '12345'],
  ])('in %i columns still says how many are unread, however long the name is', (columns, text) => {
    const unread = columns === 26 ? 3 : 12_345
    expect(line(columns, { label: 'a name of a good many words', unread })).toBe(text)
  })

  it('never is wider than the terminal, whatever the names are made of', () => {
    const names = [
      '名前は長いので切ります名前は長い',
      '👩‍👩‍👧‍👦 family 🎉🎉🎉🎉',
      'é̂́ combining é̂́',
      'x'.repeat(300),
      'ñandú',
    ]
    for (const label of names) {
      for (let columns = 1; columns < 100; columns++) {
        const text = line(columns, { label, waiters: { count: 2, names } }, { model: names[0] })
        expect(widthOf(text), `${columns}: ${text}`).toBeLessThanOrEqual(columns)
        expect(text).not.toMatch(/[\n\r]/)
      }
    }
  })

  it('lets nothing of a name reach the terminal but its letters', () => {
    const evil = 'a\u001b]0;owned\u0007b\nc\r\u001b[31md\u202ee\u0000f\u009b2Jg\u2066h\u{e0041}i\tj'
    const text = line(Number.POSITIVE_INFINITY, { label: evil, waiters: { count: 1, names: [evil] } }, { model: evil })
    expect(text).toBe('ab c defghi j | 3 unread | ab c defghi j waits for it | 41% context | ab c defghi j')
    const painted = statusLine(partsOf({ ...FACTS, label: evil }, { ...BESIDE, model: evil }), 500, createPaint(true))
    expect(painted.replaceAll(/\u001b\[\d+m/g, '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  })

  it('is coloured where colour is on, and the same text', () => {
    const painted = statusLine(partsOf(FACTS, BESIDE), 500, createPaint(true))
    expect(painted).toContain('\u001b[33m3 unread\u001b[39m')
    expect(painted.replaceAll(/\u001b\[\d+m/g, '')).toBe(line(500))
  })
})
