import { describe, expect, it } from 'vitest'
import { clip, requireBody, requireLine, requireUnicode } from '../../src/core/text.ts'

const CONTROLS = Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code))

describe('a line', () => {
  it('is kept as it is, without the spaces around it', () => {
    expect(requireLine('  fix the 🎯 “parser” 👩‍👩‍👧  ', 'task', 100)).toBe('fix the 🎯 “parser” 👩‍👩‍👧')
  })

  it.each([...CONTROLS, '\u007f', '\u0085', '\u009b', '\u2028', '\u2029'])(
    'C144 C140 that holds %j is refused, and the field is named',
    (char) => {
      expect(() => requireLine(`a${char}b`, 'task', 100)).toThrow(
        expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringMatching(/^task /) }),
      )
    },
  )

  it('is measured in bytes, not in characters', () => {
    expect(requireLine('ä'.repeat(50), 'task', 100)).toHaveLength(50)
    expect(() => requireLine('ä'.repeat(51), 'task', 100)).toThrow(
      expect.objectContaining({ code: 'RECORD_TOO_LARGE', message: 'task is 102 bytes; at most 100 fit.' }),
    )
  })
})

describe('a body', () => {
  it('C144 keeps line breaks, tabs and every control character but U+0000', () => {
    const text = CONTROLS.slice(1).join('x')
    expect(requireBody(text, 'progress', 100)).toBe(text)
    expect(() => requireBody('a\0b', 'progress', 100)).toThrow(
      expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringMatching(/^progress .*U\+0000/) }),
    )
  })

  it.each(['x\ud83d y', '\udc00', 'a\ud800', '\udc00\ud800', '\ud83d\ud83d\ude00'])(
    'C134 %j with half a character in it is refused with the reason',
    (text) => {
      for (const call of [() => requireBody(text, 'content', 100), () => requireUnicode(text, 'content')]) {
        expect(call).toThrow(
          expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringMatching(/^content .*surrogate/) }),
        )
      }
    },
  )

  it('C134 whole pairs are fine', () => {
    requireUnicode('😀👩‍👩‍👧𐐀', 'content')
  })
})

describe('a clipped text', () => {
  it('is whole where it fits, and says where it was cut', () => {
    expect(clip('abc', 3)).toBe('abc')
    expect(clip('abcd', 3)).toBe('ab…')
  })

  it('C136 never ends in half a character', () => {
    for (let max = 2; max < 12; max++) {
      const cut = clip('a😀😀😀😀😀', max)
      expect(cut.length).toBeLessThanOrEqual(max)
      requireUnicode(cut, `cut at ${max}`)
    }
  })
})
