/** Which format a file is in. */

import type { Format } from './format.ts'
import { jsonFormat } from './json-wire.ts'

export function formatOf({ path }: { readonly path: string }): Format {
  if (path === '') throw new Error('a file has a name')
  return jsonFormat
}
