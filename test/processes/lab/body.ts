/** Message bodies that prove they are whole. */

import { createHash } from 'node:crypto'

/** Up to `most` bytes of padding, so that messages differ in size; the hash covers all of it. */
export function bodyOf(sender: number, n: number, most = 700): string {
  const padding = `${sender}.${n} ü ` // two bytes in UTF-8: a cut in the middle would show
  const text = `${sender}:${n}:${padding.repeat(1 + ((n * 7 + sender) % Math.ceil(most / padding.length)))}`
  return `${hash(text)}:${text}`
}

/** Undefined when the body is not one that {@link bodyOf} made. */
export function readBody(body: string): { sender: number; n: number } | undefined {
  const [sum = '', sender, n] = body.split(':')
  if (hash(body.slice(sum.length + 1)) !== sum) return undefined
  return { sender: Number(sender), n: Number(n) }
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
