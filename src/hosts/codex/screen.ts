/**
 * The terminal of Codex 0.171, as recorded in November 2026: the input line begins with the prompt sign, what could be
 * typed stands there in dim letters, at most a few lines follow. A turn shows its clock above. In a dialog the sign marks
 * the choice, and a number follows it.
 */

import type { Screen } from '../host.ts'

const SIGN = '›'
const BELOW = 5

export const screen: Screen = {
  read({ lines, bright }) {
    const at = lines.findLastIndex((line) => line.startsWith(SIGN))
    if (at === -1 || lines.length - at - 1 > BELOW || /^› \d+\. /.test(lines[at] ?? '')) return undefined
    // More lines of a draft are indented like the footer, from which an empty line parts them.
    const end = lines.findIndex((line, n) => n > at && line === '')
    if (end === -1) return undefined
    const input = bright.slice(at, end).join('\n').slice(SIGN.length).trim()
    const above = lines.slice(0, at).findLast((line) => line !== '') ?? ''
    return { input, isWorking: /^[•◦] .*\besc to interrupt\)/.test(above) }
  },
  // Without a word of its own: the line below the input line ends with the name.
  rename: { line: (name) => `/rename ${name}`, said: (name) => ` · ${name}` },
  setModel: (model) => `In its tab type: /model, and choose ${model} from the list`,
}
