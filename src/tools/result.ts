/** What goes back to a client: one JSON object, the same as structured content and as text, since hosts show one or the other. */

import { BusError, type Refusal, refusal } from '../core/errors.ts'

export interface ToolResult {
  readonly content: readonly [{ readonly type: 'text'; readonly text: string }]
  readonly structuredContent: Readonly<Record<string, unknown>>
  readonly isError?: true
}

export function success(answer: object): ToolResult {
  return result(answer)
}

export function failure(refused: Refusal): ToolResult {
  return { ...result(refused), isError: true }
}

/** A refusal in its own words. Of a fault of our own only the kind is told: its text may hold paths of this machine. */
export function refuse(fault: unknown): Refusal {
  if (fault instanceof BusError) return refusal(fault)
  const code = fault instanceof Error && 'code' in fault ? String(fault.code) : ''
  const kind = /^E[A-Z]{2,20}$/.test(code) ? code : fault instanceof Error ? fault.name : 'unknown fault'
  return refusal(new Error(kind))
}

/**
 * JSON on one line, without halves of surrogate pairs: strict parsers refuse the whole line for one of them.
 * (`JSON.stringify` escapes exactly those halves, so any such escape it wrote is one.)
 */
export function jsonLine(value: unknown): string {
  return withoutHalves(JSON.stringify(value))
}

function withoutHalves(text: string): string {
  if (!text.includes('\\ud')) return text
  return text.replace(/\\(?:(ud[89a-f][0-9a-f]{2})|.)/g, (escaped, half) => (half === undefined ? escaped : '\\ufffd'))
}

function result(data: object): ToolResult {
  const plain = JSON.stringify(data)
  const text = withoutHalves(plain)
  // The same object both times; only text that had to be mended is read back.
  const structuredContent = text === plain ? (data as Readonly<Record<string, unknown>>) : JSON.parse(text)
  return { content: [{ type: 'text', text }], structuredContent }
}
