/** Folders for sockets: the whole path of one has to fit into 104 bytes (macOS) or 108 (Linux). */

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** Beyond this, `/sm-`, six letters and what tests put below it may not fit any more. */
const MOST_BYTES = 60

/** A new folder in the temporary directory, or in /tmp where the path of that one is too long for sockets. */
export function makeSocketFolder(): string {
  const usual = fs.realpathSync(os.tmpdir())
  const base = Buffer.byteLength(usual) <= MOST_BYTES ? usual : fs.realpathSync('/tmp')
  return fs.mkdtempSync(path.join(base, 'sm-'))
}
