/** What a pane shows, read as its host's screen. */

import type { Reading, Screen, Shown } from '../host.ts'
import type { Place } from './place.ts'

/** @returns the reason where no input line is to be seen. */
export async function readScreen({ tmux, pane }: Place, screen: Screen): Promise<Reading | string> {
  const said = await tmux(['capture-pane', '-e', '-p', '-t', pane])
  if (!said.ok) return said.why
  return screen.read(shownIn(said.out)) ?? 'its screen shows no input line: a dialog or another view may own the keys'
}

/** Everything on the screen, as one text. */
export async function textOn({ tmux, pane }: Place): Promise<string> {
  const said = await tmux(['capture-pane', '-p', '-J', '-t', pane])
  return said.ok ? said.out : ''
}

/** The output of `capture-pane -e`. */
export function shownIn(captured: string): Shown {
  const bright = trimmed(withoutEscapes(withoutDim(captured)))
  const lines = trimmed(withoutEscapes(captured))
  return { lines, bright: [...bright, ...Array<string>(Math.max(0, lines.length - bright.length)).fill('')] }
}

function trimmed(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trimEnd())
  return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1)
}

const STYLE = /\u001b\[([0-9;:]*)m/

/** Dim letters are suggestions, not text. A style goes on over the ends of lines. */
function withoutDim(text: string): string {
  let isDim = false
  return text
    .split(STYLE)
    .map((piece, n) => {
      if (n % 2 === 0) return isDim ? piece.replace(/[^\n]/g, '') : piece
      isDim = dimAfter(piece, isDim)
      return ''
    })
    .join('')
}

function dimAfter(style: string, before: boolean): boolean {
  let isDim = before
  const codes = style.split(';')
  for (let n = 0; n < codes.length; n++) {
    const code = codes[n]
    if (code === '' || code === '0' || code === '22') isDim = false
    else if (code === '2') isDim = true
    // The numbers of a colour are no styles: 5 and its index, or 2 and three of them.
    else if (code === '38' || code === '48' || code === '58') n += codes[n + 1] === '5' ? 2 : 4
  }
  return isDim
}

function withoutEscapes(text: string): string {
  // Styles, links (OSC 8) and changes of the character set: all that capture-pane writes.
  return text.replace(/\u001b\[[0-9;:]*m|\u001b\][^\u001b\u0007]*(?:\u001b\\|\u0007)|[\u000e\u000f]/g, '')
}
