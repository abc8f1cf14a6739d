export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

let encoder: InstanceType<typeof TextEncoder> | undefined

/** Length in UTF-8, the unit of every size limit. */
export function utf8Bytes(text: string): number {
  // Made at first use: most hooks never measure anything.
  encoder ??= new TextEncoder()
  return encoder.encode(text).length
}
