/** How many columns of a terminal a text takes, and how it is cut to fit. Expects safe text (safe-text.ts). */

/** Built at first use: the server loads this file too and never measures anything, and this takes milliseconds. */
const tables = lazily(() => ({
  /** Two columns: East Asian wide and fullwidth characters, and emoji shown as pictures. */
  wide: /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6]|[\u{16fe0}-\u{18cff}\u{1aff0}-\u{1b2fb}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u,
  zero: /^[\p{Mn}\p{Me}\p{Cf}]+$/u,
  graphemes: new Intl.Segmenter(undefined, { granularity: 'grapheme' }),
}))
const PLAIN = /^[\u0020-\u007e]*$/

function lazily<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length
  let width = 0
  for (const { segment } of tables().graphemes.segment(text)) width += columnsOf(segment)
  return width
}

function columnsOf(grapheme: string): number {
  if (tables().wide.test(grapheme)) return 2
  return tables().zero.test(grapheme) ? 0 : 1
}

/** At most `columns` wide; where something was cut, the last column is an ellipsis. */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  const segments = [...tables().graphemes.segment(text)].map(({ segment }) => segment)
  return `${take(segments, columns - 1).join('')}…`
}

/** The same, keeping the end: of a path, its last directories say most. */
export function cutStart(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  const reversed = [...tables().graphemes.segment(text)].map(({ segment }) => segment).reverse()
  return `…${take(reversed, columns - 1)
    .reverse()
    .join('')}`
}

function take(segments: readonly string[], columns: number): string[] {
  const taken: string[] = []
  let width = 0
  for (const segment of segments) {
    width += columnsOf(segment)
    if (width > columns) break
    taken.push(segment)
  }
  return taken
}

/** Lines of at most `columns`: broken at a space where there is one, else inside the word. What a line begins with stays. */
export function wrap(text: string, columns: number): string[] {
  return text
    .replaceAll('\t', '    ')
    .split('\n')
    .flatMap((line) => (widthOf(line) <= columns ? [line] : wrapLine(line, Math.max(2, columns))))
}

function wrapLine(text: string, columns: number): string[] {
  const lines: string[] = []
  let line = ''
  let width = 0
  for (const { segment } of tables().graphemes.segment(text)) {
    const wide = columnsOf(segment)
    if (width + wide > columns) {
      const space = segment === ' ' ? -1 : line.lastIndexOf(' ')
      const isBroken = space > 0 && line.slice(0, space).trim() !== ''
      lines.push((isBroken ? line.slice(0, space) : line).trimEnd())
      line = isBroken ? line.slice(space + 1) : ''
      width = widthOf(line)
      if (segment === ' ') continue
    }
    line += segment
    width += wide
  }
  return line === '' ? lines : [...lines, line]
}

export function pad(text: string, columns: number, align: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, columns - widthOf(text)))
  return align === 'left' ? text + space : space + text
}
