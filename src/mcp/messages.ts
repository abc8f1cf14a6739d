/** One line of input is one JSON-RPC message, or something that deserves an answer saying why it is not. */

import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js'
import { refuse } from '../tools/result.ts'

/** JSON-RPC 2.0, section 5.1. */
export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** MCP, resources. */
  resourceNotFound: -32002,
} as const

/** An answer to something that was no proper request. `id` is null where it could not be told. */
export interface RpcError {
  readonly jsonrpc: '2.0'
  readonly id: RequestId | null
  readonly error: { readonly code: number; readonly message: string }
}

export type Parsed =
  | { readonly kind: 'message'; readonly message: JSONRPCMessage }
  | { readonly kind: 'bad'; readonly answer: RpcError }
  /** Nothing to do: an empty line, or a notification that makes no sense, which JSON-RPC does not answer. */
  | { readonly kind: 'ignored'; readonly why?: string }

export function rpcError(id: RequestId | null, code: number, message: string): RpcError {
  return { jsonrpc: '2.0', id, error: { code, message } }
}

/** An error that the SDK answers with this code. */
export function rpcFault(code: number, message: string, data?: unknown): Error {
  return Object.assign(new Error(message), { code, ...(data !== undefined && { data }) })
}

/** A refusal of the bus, as the answer to a request that has no other place for it. */
export function rpcFaultOf(fault: unknown, data: object = {}): Error {
  const { error } = refuse(fault)
  const code = NOT_FOUND.includes(error.code)
    ? RPC.resourceNotFound
    : error.code.startsWith('BAD_')
      ? RPC.invalidParams
      : RPC.internalError
  return rpcFault(code, `${error.message} ${error.hint}`, { ...data, code: error.code })
}

const NOT_FOUND: readonly string[] = ['SESSION_NOT_FOUND', 'NOT_REGISTERED', 'BAD_ID']

export function parseLine(bytes: Buffer): Parsed {
  let text: string
  let raw: unknown
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (text.trim() === '') return { kind: 'ignored' }
    raw = JSON.parse(text)
  } catch (fault) {
    const why = fault instanceof SyntaxError ? 'is not JSON' : 'is not valid UTF-8'
    return bad(null, RPC.parseError, `Parse error: the line ${why}. Send one JSON-RPC message per line.`)
  }
  if (Array.isArray(raw)) {
    return bad(null, RPC.invalidRequest, 'Invalid request: batches are not accepted. Send one message per line.')
  }
  if (typeof raw !== 'object' || raw === null) {
    return bad(null, RPC.invalidRequest, 'Invalid request: a message is a JSON object.')
  }
  return admit(raw as Readonly<Record<string, unknown>>)
}

/**
 * A proper message is rebuilt from the members JSON-RPC knows, because the SDK silently drops one with any other;
 * `params: null` counts as left out. Everything inside `params` is passed on as it came.
 */
function admit(raw: Readonly<Record<string, unknown>>): Parsed {
  const { jsonrpc, id, method, params, result, error } = raw
  const hasId = id !== undefined
  const known = isRequestId(id) ? id : null
  const isResponse = method === undefined && (result !== undefined || error !== undefined)
  const candidate = {
    jsonrpc,
    ...(hasId && { id }),
    ...(isResponse ? (error !== undefined ? { error } : { result }) : { method, ...(params != null && { params }) }),
  }
  if (isMessage(candidate)) return { kind: 'message', message: candidate as JSONRPCMessage }
  if (isResponse || (!hasId && typeof method === 'string')) return { kind: 'ignored', why: 'not a valid message' }
  if (jsonrpc !== '2.0') return bad(known, RPC.invalidRequest, 'Invalid request: "jsonrpc" must be "2.0".')
  if (known === null) return bad(null, RPC.invalidRequest, 'Invalid request: "id" must be text or a whole number.')
  if (typeof method !== 'string') return bad(known, RPC.invalidRequest, 'Invalid request: "method" must be text.')
  return bad(known, RPC.invalidParams, 'Invalid params: they must be an object, and "_meta" in them one too.')
}

/** What the SDK's own schema asks for, which it checks again; here a look is enough to know what to answer. */
function isMessage({ jsonrpc, id, method, params, result, error }: Readonly<Record<string, unknown>>): boolean {
  if (jsonrpc !== '2.0' || (id !== undefined && !isRequestId(id))) return false
  if (method !== undefined) return typeof method === 'string' && (params === undefined || isParams(params))
  if (id === undefined) return false
  if (error === undefined) return isRecord(result) && isParams(result)
  return isRecord(error) && Number.isSafeInteger(error['code']) && typeof error['message'] === 'string'
}

function isParams(value: unknown): boolean {
  return isRecord(value) && (value['_meta'] === undefined || isRecord(value['_meta']))
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function bad(id: RequestId | null, code: number, message: string): Parsed {
  return { kind: 'bad', answer: rpcError(id, code, message) }
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || (typeof value === 'number' && Number.isSafeInteger(value))
}

const ID = String.raw`"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)`
const PLAIN = String.raw`"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"`
/** Only members before `params`, so what is found is the message's own id and not something inside. */
const ID_IN_HEAD = new RegExp(String.raw`^\s*\{\s*(?:${PLAIN}\s*,\s*)*${ID}\s*,`)
/** The same after `params`: nothing but plain members up to the closing brace. */
const ID_IN_TAIL = new RegExp(String.raw`[}\]"0-9a-z]\s*,\s*(?:${PLAIN}\s*,\s*)*${ID}\s*(?:,\s*${PLAIN}\s*)*\}\s*$`)

/** The id of a request of which only the first and the last bytes were kept. */
export function idFromEnds(head: Buffer, tail: Buffer): RequestId | null {
  const found = ID_IN_HEAD.exec(head.toString('utf8'))?.[1] ?? ID_IN_TAIL.exec(tail.toString('utf8'))?.[1]
  if (found === undefined) return null
  try {
    const id: unknown = JSON.parse(found)
    return isRequestId(id) ? id : null
  } catch {
    return null // an escape that JSON does not know: the line would not have parsed either
  }
}
