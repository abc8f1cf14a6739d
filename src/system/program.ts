/** Programs of the system: what PATH leads to, and what can be started. */

import fs from 'node:fs'
import path from 'node:path'

/**
 * The absolute path of the first of `names` on PATH. Relative entries do not count: a project could bring a program of that
 * name.
 */
export function onPath(
  env: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): string | undefined {
  for (const folder of (env['PATH'] ?? env['Path'] ?? '').split(path.delimiter)) {
    if (!path.isAbsolute(folder)) continue
    const found = names.map((name) => path.join(folder, name)).find(isProgram)
    if (found !== undefined) return found
  }
  return undefined
}

/** What the system would start. */
export function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK)
    return fs.statSync(file).isFile()
  } catch {
    return false // not there, or not ours to run: which is not the question
  }
}
