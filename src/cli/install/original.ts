/** A host's file as it would be without us: what `uninstall` writes, and what `install` remembers. */

import type { WiredFile } from '../../hosts/wiring.ts'
import { formatOf } from './formats.ts'
import type { HostFile } from './host-file.ts'
import { type FileRecord, undone } from './record.ts'

/**
 * To the byte what was there before, as long as nobody else wrote to the file; else the file of now without our entries.
 * Undefined where there would be no file.
 */
export function originalOf({ text }: HostFile, file: WiredFile, record: FileRecord | undefined): string | undefined {
  if (text === undefined) return undefined
  const exact = record && undone(text, record)
  if (record !== undefined && exact !== undefined) return record.existed ? exact : undefined
  // A copy that somebody changed is theirs by now.
  if (file.copy !== undefined) return file.copy.isOurs(text) ? undefined : text
  const without = formatOf(file).takeOut(text, file, record)
  return record?.existed === false && /^\ufeff?\s*(\{\s*\})?\s*$/.test(without) ? undefined : without
}
