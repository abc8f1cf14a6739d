/** The parts of a status line as one line that fits a terminal. */

import { GIVES_WAY, PART_ORDER, type PartName, type StatusParts, type StatusTone } from '../../core/status-line.ts'
import { clip } from '../../core/text.ts'
import type { Paint, Painter } from '../paint.ts'
import { oneLine } from '../safe-text.ts'
import { cut, widthOf } from '../width.ts'

const BETWEEN = ' | '
/** No name of a session is longer; what a host calls a model may be anything. */
const MOST_CHARACTERS = 200

/** Text that is safe and fits by itself: cleaning it costs milliseconds of a process that lives for fifty. */
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/

/** @param columns Infinity where the width is not known. */
export function statusLine(parts: StatusParts, columns: number, paint: Paint): string {
  const taken: Partial<Record<PartName, number>> = {}
  const texts = () =>
    PART_ORDER.flatMap((name) => {
      const part = parts[name]
      const text = part === undefined ? '' : formOf(part.forms, taken[name] ?? 0)
      return part === undefined || text === '' ? [] : [{ text, tone: part.tone }]
    })
  let line = texts()
  const width = () => widthOf(line.map(({ text }) => text).join(BETWEEN))
  for (const name of GIVES_WAY) {
    if (width() <= columns) break
    taken[name] = Math.min((taken[name] ?? 0) + 1, (parts[name]?.forms.length ?? 1) - 1)
    line = texts()
  }
  if (width() > columns) return cut(line.map(({ text }) => text).join(BETWEEN), columns)
  return line.map(({ text, tone }) => painterOf(tone, paint)(text)).join(paint.faint(BETWEEN))
}

function formOf(forms: readonly (string | number)[], at: number): string {
  const form = forms[at] ?? ''
  if (typeof form === 'number') return cut(safe(String(forms[0])), form)
  return safe(form)
}

function safe(text: string): string {
  const short = clip(text, MOST_CHARACTERS)
  return PLAIN.test(short) ? short : oneLine(short)
}

function painterOf(tone: StatusTone, paint: Paint): Painter {
  return tone === 'plain' ? paint.faint : paint[tone]
}
