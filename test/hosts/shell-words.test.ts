/** Commands of hosts that know no arguments: what is written for a shell is what a shell, and we, read. */
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { shellLine, wordsOf } from '../../src/hosts/shell-words.ts'

const WORDS = [
  '/usr/bin/node',
  "/it's here/a b",
  '',
  '$HOME `x` "q" \\ * ?',
  "'",
  "''a''",
  '--home',
  'größe → 🎉',
  'a\nb',
]

test.runIf(process.platform !== 'win32')('every word reaches the program as it is', () => {
  const { stdout } = spawnSync('sh', ['-c', `printf '%s\\0' ${shellLine(WORDS, false)}`], { encoding: 'utf8' })
  expect(stdout.split('\0').slice(0, -1)).toEqual(WORDS)
})

test('what was written is read again, on every system', () => {
  expect(wordsOf(shellLine(WORDS, false))).toEqual(WORDS)
  const windows = ['C:\\Program Files\\node.exe', 'C:\\a b\\codex.js', '--home', '']
  expect(wordsOf(shellLine(windows, true))).toEqual(windows)
})

test.each(['node x.js', "'a' b", "'open", '"a"b', "'a' && 'b'", "'a'$(b)"])('%s is no line of ours', (line) => {
  expect(wordsOf(line)).toBeUndefined()
})
