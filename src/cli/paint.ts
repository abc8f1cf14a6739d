/** Colours by meaning. Where colour is off every painter returns its text unchanged. */

import { styleText } from 'node:util'

export type Painter = (text: string) => string
type Role = 'strong' | 'faint' | 'good' | 'warn' | 'bad' | 'name' | 'selected'
export type Paint = Readonly<Record<Role, Painter>>

const STYLES = {
  strong: 'bold',
  faint: 'dim',
  good: 'green',
  warn: 'yellow',
  bad: 'red',
  name: 'cyan',
  selected: 'inverse',
} as const

export function createPaint(color: boolean): Paint {
  const painter =
    (role: Role): Painter =>
    (text) =>
      // Whether to colour was decided by the caller; newer versions of Node would decide again by themselves.
      color && text !== '' ? styleText(STYLES[role], text, { validateStream: false }) : text
  return {
    strong: painter('strong'),
    faint: painter('faint'),
    good: painter('good'),
    warn: painter('warn'),
    bad: painter('bad'),
    name: painter('name'),
    selected: painter('selected'),
  }
}

/** A line without the colours of a {@link Painter}. */
export function withoutPaint(line: string): string {
  return line.replace(/\u001b\[\d+m/g, '')
}
