import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { commandLine, wordsOf } from '../../src/hosts/command-line.ts'

describe('a command as one text', () => {
  const commands = [
    ['/usr/bin/node', '/opt/session-mcp/dist/hooks/statusline.js'],
    ['/usr/bin/node', "/home/o'hara/my bus/x.js", '--home', '/tmp/$HOME `id` "q" \\ ;&|<>*?'],
    ['node', '/home/名前/x.js', '--home', '/tmp/~x'],
  ]
  it.each(commands)('means the same words to a shell, and back: %s', (...words) => {
    const text = commandLine(words, false)
    const print = 'for word in "$@"; do printf "%s\\0" "$word"; done'
    const { stdout } = spawnSync('sh', ['-c', `set -- ${text}; ${print}`], { encoding: 'utf8' })
    expect(stdout.split('\0').slice(0, -1)).toEqual(words)
    expect(wordsOf(text)).toEqual(words)
  })

  it('has slashes on Windows, and quotes only around what needs them', () => {
    const words = ['C:\\Program Files\\nodejs\\node.exe', 'C:\\bus\\statusline.js']
    const text = commandLine(words, true)
    expect(text).toBe('"C:/Program Files/nodejs/node.exe" C:/bus/statusline.js')
    expect(wordsOf(text)).toEqual(['C:/Program Files/nodejs/node.exe', 'C:/bus/statusline.js'])
  })

  it.each(['a | b', 'a; b', 'a $(b)', 'a "$b"', 'a > b', 'a & b', 'a `b`', "a 'b", 'a\\ b'])(
    'is not read where a shell would do more than start it: %s',
    (text) => {
      expect(wordsOf(text)).toBeUndefined()
    },
  )
})
