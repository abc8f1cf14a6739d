export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

const encoder = new TextEncoder()

/** Length in UTF-8, the unit of every size limit. */
export function utf8Bytes(text: string): number {
  return encoder.encode(text).length
}
