/** What a file of a host is to hold: its own text with our entries, or a copy of ours. */

import fs from 'node:fs'
import type { WiredFile } from '../../hosts/wiring.ts'
import { unifiedDiff } from './diff.ts'
import { formatOf } from './formats.ts'
import type { Change } from './host-file.ts'

/** @throws Unfit where the text is not what the host reads. */
export function wantedText(text: string, file: WiredFile): string {
  return file.copy === undefined ? formatOf(file).putIn(text, file) : fs.readFileSync(file.copy.from, 'utf8')
}

/** Of a copy only its name: a whole program is nothing to read in a terminal. */
export function diffOf({ path, text, next }: Change, { copy }: WiredFile): string {
  if (copy === undefined || text === next) return unifiedDiff(path, text, next)
  const side = (content: string | undefined) => (content === undefined ? '/dev/null' : path)
  return [`--- ${side(text)}`, `+++ ${side(next)}`, `@@ ${copy.label}: a copy of ${copy.from} @@`].join('\n')
}
