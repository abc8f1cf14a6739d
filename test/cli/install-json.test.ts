import { describe, expect, it } from 'vitest'
import { addItem, addMember, remove, set } from '../../src/cli/install/json-edit.ts'
import { jsonOf, lineOf, Malformed, parseJson } from '../../src/cli/install/json-tree.ts'

const read = (text: string) => {
  const { root } = parseJson(text)
  return root && jsonOf(root)
}

describe('reading', () => {
  it.each([
    '{}',
    '[1, -2.5e-3, "a\\u0041\\n", true, false, null, [], {"": {}}]',
    '\r\n\t{ "a" : { "b" : [ { } ] } }\n',
    '"text"',
  ])('says what JSON.parse says of %s', (text) => {
    expect(read(text)).toEqual(JSON.parse(text))
    expect(parseJson(text).extra).toBeUndefined()
  })

  it('takes comments and trailing commas, and says where the first of them is', () => {
    const text = '{\n  "a": [1, 2,], // one\n  /* two\n */ "b": "// no comment",\n}'
    expect(read(text)).toEqual({ a: [1, 2], b: '// no comment' })
    const { extra } = parseJson(text)
    expect(extra).toMatchObject({ what: 'a comma after the last entry' })
    expect(lineOf(text, extra?.offset ?? 0)).toBe(2)
    expect(parseJson('// only this').root).toBeUndefined()
  })

  it.each([
    ['{"a": 1', 1, 'the end of the file stands where "," or "}" must be'],
    ['{"a": 1\n "b": 2}', 2, '" stands where "," or "}" must be'],
    ['{a: 1}', 1, 'a stands where a name in quotes must be'],
    ['{\n"a"\n1}', 3, '1 stands where ":" must be'],
    ['{"a": undefined}', 1, 'undefined stands where a value must be'],
    ['{"a": 01}', 1, '01 stands where a value must be'],
    ['{"a": "x\ny"}', 1, '" stands where a value must be'],
    ['[,]', 1, ', stands where a value must be'],
    ['{} {}', 1, '{ stands after the end'],
    ['{} /* open', 1, '/ stands after the end'],
    ['<<<<<<< HEAD', 1, '< stands where a value must be'],
  ])('refuses %j with its line', (text, line, what) => {
    let fault: unknown
    try {
      parseJson(text)
    } catch (caught) {
      fault = caught
    }
    expect(fault).toBeInstanceOf(Malformed)
    expect((fault as Malformed).message).toBe(what)
    expect(lineOf(text, (fault as Malformed).offset)).toBe(line)
  })

  it('lets the later of two members of one name count, as JSON.parse does', () => {
    const text = '{"a": {"x": 1}, "a": {"y": 2}}'
    expect(read(addMember(text, ['a'], 'z', 3))).toEqual({ a: { y: 2, z: 3 } })
  })
})

describe('writing', () => {
  it.each([
    ['', '{\n  "k": [\n    1\n  ]\n}\n'],
    ['\ufeff', '\ufeff{\n  "k": [\n    1\n  ]\n}\n'],
    ['{}', '{\n  "k": [\n    1\n  ]\n}'],
    ['{ }\n', '{\n  "k": [\n    1\n  ]\n}\n'],
    ['// c\n', '// c\n{\n  "k": [\n    1\n  ]\n}\n'],
    ['{"a":1}', '{"a":1,"k":[1]}'],
    ['{ "a": 1 }', '{ "a": 1, "k": [1] }'],
    ['{\n\t"a": 1\n}\n', '{\n\t"a": 1,\n\t"k": [\n\t\t1\n\t]\n}\n'],
    ['{\r\n    "a": 1\r\n}', '{\r\n    "a": 1,\r\n    "k": [\r\n        1\r\n    ]\r\n}'],
    ['{\n  "a": 1, // about a\n}', '{\n  "a": 1, // about a\n  "k": [\n    1\n  ],\n}'],
    ['{\n  "a": 1 // about a\n  // "b": 2\n}', '{\n  "a": 1, // about a\n  // "b": 2\n  "k": [\n    1\n  ]\n}'],
    ['{\n  // nothing yet\n}', '{\n  // nothing yet\n  "k": [\n    1\n  ]\n}'],
    ['{\n  "a": 1}', '{\n  "a": 1,\n  "k": [\n    1\n  ]}'],
  ])('adds to %j in its own style, and takes it back', (text, expected) => {
    const added = addMember(text, [], 'k', [1])
    expect(added).toBe(expected)
    if (/\w/.test(text.replace(/\/\/.*/g, ''))) expect(remove(added, ['k'])).toBe(text)
  })

  it('keeps the comments around what it removes', () => {
    const text = '{\n  // first\n  "a": 1, // one\n  /* second */ "b": 2, // two\n  "c": 3 // three\n}'
    expect(remove(text, ['b'])).toBe('{\n  // first\n  "a": 1, // one\n  /* second */ // two\n  "c": 3 // three\n}')
    expect(remove(text, ['c'])).toBe('{\n  // first\n  "a": 1, // one\n  /* second */ "b": 2 // two\n   // three\n}')
    expect(remove('[ // one\n 1]', [0])).toBe('[ // one\n ]')
    expect(remove('{"a": 1, /* two */ "b": 2}', ['a'])).toBe('{/* two */ "b": 2}')
  })

  it('replaces a value where it stands', () => {
    expect(set('{"a": [1, 2], "b": 3}', ['a', 1], { x: 1 })).toBe('{"a": [1, {"x":1}], "b": 3}')
    expect(set('{\n  "a": {\n    "x": 1\n  }, // a\n  "b": 3\n}', ['a'], { y: [2] })).toBe(
      '{\n  "a": {\n    "y": [\n      2\n    ]\n  }, // a\n  "b": 3\n}',
    )
  })
})

/** A small generator with a fixed seed: the same texts on every machine. */
function dice(seed: number) {
  let state = seed
  return (sides: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

const GAPS = ['', ' ', '\n', '\n\t', ' // c, "}\n', '/* ] */', '\r\n  ']

function randomText(roll: (sides: number) => number, depth: number): string {
  const gap = () => GAPS[roll(GAPS.length)] ?? ''
  if (depth === 0 || roll(4) === 0) return ['1', '"a//b"', 'null', '"\\"{"', '{}', '[ ]'][roll(6)] ?? ''
  const isObject = roll(2) === 0
  const entries = Array.from({ length: roll(4) }, (_, i) => {
    const value = randomText(roll, depth - 1) + gap()
    return isObject ? `"k${i}"${gap()}:${gap()}${value}` : value
  })
  const comma = entries.length > 0 && roll(3) === 0 ? `,${gap()}` : ''
  const inside = gap() + entries.join(`,${gap()}`) + comma
  return isObject ? `{${inside}}` : `[${inside}]`
}

describe('any text', () => {
  it('holds after an edit what it held before, and what was added', () => {
    const roll = dice(7)
    for (let n = 0; n < 1_000; n++) {
      const members = Array.from({ length: roll(4) }, (_, i) => `"m${i}": ${randomText(roll, 3)}`)
      const gap = ['', ' ', '\n', '\n  ', ' // c\n', '\r\n\t'][roll(6)] ?? ''
      const comma = members.length > 0 && roll(3) === 0 ? `,${gap}` : ''
      const text = `{${gap}${members.join(`,${gap}`)}${comma}${roll(2) === 0 ? gap : ''}}`
      const before = read(text) as Record<string, unknown>
      const added = addMember(text, [], 'ours', [{ deep: true }])
      expect(read(added), text).toEqual({ ...before, ours: [{ deep: true }] })
      const more = addItem(added, ['ours'], 2)
      expect(read(more), text).toEqual({ ...before, ours: [{ deep: true }, 2] })
      expect(remove(more, ['ours', 1]), text).toBe(added)
      const back = remove(added, ['ours'])
      expect(read(back), text).toEqual(before)
      if (members.length > 0) expect(back).toBe(text)
      for (const key of Object.keys(before)) {
        const { [key]: _, ...rest } = before
        expect(read(remove(added, [key])), `${key} of ${added}`).toEqual({ ...rest, ours: [{ deep: true }] })
        const list = before[key]
        if (!Array.isArray(list)) continue
        for (let i = 0; i < list.length; i++) {
          expect(read(remove(text, [key, i])), `${key} ${i} of ${text}`).toEqual({
            ...before,
            [key]: list.filter((_, at) => at !== i),
          })
        }
      }
    }
  })
})
