import { describe, expect, it } from 'vitest'
import { cleanId, isId, quote, requireId } from '../../src/core/ids.ts'

const DEVICES = ['nul', 'NUL', 'con', 'Con', 'prn', 'aux', 'com1', 'COM9', 'com0', 'lpt1', 'LPT9']
const HOSTILE = [
  '../../evil',
  '..\\..\\evil',
  '/abs/evil',
  'C:\\evil',
  'a/../../evil',
  '%2e%2e/evil',
  '.',
  '..',
  '',
  ' ',
  'a.',
  'a ',
  ' a',
  '-a',
  '_a',
  '__proto__',
  'a\0b',
  'a\nb',
  'a:b',
  'a*',
  'a>b',
  'ä',
  'Ａ',
  'a\u200bb',
  'x'.repeat(129),
  'x'.repeat(300),
]

describe('the grammar of ids', () => {
  it.each(['a', 'A', '0', 'a-b_c', 'ses-1x', '5b0c7a1e-94d2-4f63-8a0b-2f6de1c93b77', 'constructor', 'x'.repeat(128)])(
    '%j is an id',
    (id) => {
      expect(isId(id)).toBe(true)
      expect(requireId(id, 'sessionId')).toBe(id)
      expect(cleanId(id)).toBe(id)
    },
  )

  it.each([...HOSTILE, ...DEVICES, 'agent:main:explicit:agent:main:probe'])(
    'C142 C146 %j is none, and is refused by the name of its parameter',
    (text) => {
      expect(isId(text)).toBe(false)
      expect(() => requireId(text, 'sessionId')).toThrow(
        expect.objectContaining({ code: 'BAD_ID', message: expect.stringMatching(/^sessionId ".*" is not an id\.$/) }),
      )
    },
  )

  it('is no device name, but a name that only begins like one is fine', () => {
    for (const id of ['console', 'nul-1', 'com10', 'lpt', 'com', 'auxiliary']) expect(isId(id), id).toBe(true)
  })

  it('leaves room in a file name: at most 64 capitals', () => {
    expect(isId('A'.repeat(64) + 'b'.repeat(64))).toBe(true)
    expect(isId('A'.repeat(65))).toBe(false)
  })
})

describe('an id out of what a host calls a conversation', () => {
  it.each([...HOSTILE, ...DEVICES, 'agent:main:explicit:agent:main:probe'])(
    'C142 %j becomes an id, always the same',
    (text) => {
      const id = cleanId(text)
      expect(isId(id)).toBe(true)
      expect(cleanId(text)).toBe(id)
      expect(cleanId(id)).toBe(id)
    },
  )

  it('tells apart what its letters alone would not', () => {
    const texts = [...HOSTILE, 'agent:main', 'agent.main', 'agent main', 'agent_main', 'agent-main', 'agent/main']
    expect(new Set(texts.map(cleanId)).size).toBe(texts.length)
    const long = 'x'.repeat(300)
    expect(cleanId(`${long}a`)).not.toBe(cleanId(`${long}b`))
  })
})

describe('quoted text in an error', () => {
  it('is short, on one line, and shows what cannot be seen', () => {
    expect(quote('a"b')).toBe('"a\\"b"')
    expect(quote('\u001b[31m\u202e\u200b\u2028\u009b')).toBe('"\\u001b[31m\\u202e\\u200b\\u2028\\u009b"')
    expect(quote('x'.repeat(500)).length).toBeLessThan(70)
    expect(quote('line\nline')).not.toContain('\n')
  })
})
