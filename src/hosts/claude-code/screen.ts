/**
 * The terminal of Claude Code 2.1.332, as recorded in November 2026: between two rules the input line, which begins with
 * the prompt sign; the upper rule may carry the session's name. Below stand at most a few lines. In a turn
 * one of them says how to interrupt, unless the input line holds a draft; a clock runs above the box in any case. Dialogs
 * take the place of all of it.
 */

import type { Screen } from '../host.ts'

const RULE = /^─{3}/
const SIGN = '❯'
/** Lines below the box: the status line a person may have set up, and the host's own. */
const BELOW = 6
/** Lines above the box among which the clock is: hints and what waits to be sent stand between. */
const ABOVE = 8
const CLOCK = /^[·✢✳✶✻✽*] \S.*…/
const DIALOG = /^\s*❯|\b(?:esc|enter) to (?:cancel|confirm)\b/i

export const screen: Screen = {
  read({ lines, bright }) {
    const bottom = lines.findLastIndex((line) => RULE.test(line))
    const below = lines.slice(bottom + 1)
    if (bottom < 2 || below.length > BELOW || below.some((line) => DIALOG.test(line))) return undefined
    const top = lines.findLastIndex((line, at) => at < bottom && RULE.test(line))
    // In a dialog, which a rule closes as well, the sign is indented.
    if (top === -1 || lines[top + 1]?.startsWith(SIGN) !== true) return undefined
    if (lines.slice(top + 2, bottom).some((line) => DIALOG.test(line))) return undefined
    const input = bright
      .slice(top + 1, bottom)
      .join('\n')
      .slice(SIGN.length)
      .trim()
    const isTicking = lines.slice(Math.max(0, top - ABOVE), top).some((line) => CLOCK.test(line))
    return { input, isWorking: isTicking || below.some((line) => /\besc to interrupt\b/.test(line)) }
  },
  rename: {
    line: (name) => `/rename ${name}`,
    said: (name) => `Session renamed to: ${name}`,
  },
  setModel: (model) =>
    `In its tab type: /model ${model} (the host asks again in a conversation that has begun, and makes it the default of new sessions too)`,
}
