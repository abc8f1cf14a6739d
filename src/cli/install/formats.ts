/** Which format a file is in: hosts name their files after it. */

import type { Format } from './format.ts'
import { jsonFormat } from './json-wire.ts'
import { tomlFormat } from './toml-wire.ts'

export function formatOf({ path }: { readonly path: string }): Format {
  return path.toLowerCase().endsWith('.toml') ? tomlFormat : jsonFormat
}
