/** From what a model wrote to what a tool takes. Every problem of a call is told at once, in plain sentences. */

import { BusError } from '../core/errors.ts'
import { quote } from '../core/ids.ts'
import { nearest } from '../core/name.ts'
import type { Tool } from './define.ts'
import { inputSchema, type JsonSchema } from './schema.ts'

export interface Arguments {
  /** What the tool's `run` gets: checked, and with nothing in it that the tool does not know. */
  readonly values: Readonly<Record<string, unknown>>
  /** The caller's own id, as an argument. */
  readonly sessionId?: string
  /** The caller's id, as a host's hook wrote it into the call. */
  readonly hookSession?: string
  /** Set by the same hook where a subagent calls. */
  readonly isSubagent?: boolean
}

/** Accepted by every tool whether listed or not: hosts' hooks and shared servers fill them in. */
const EVERYWHERE: Readonly<Record<string, JsonSchema>> = {
  sessionId: { type: 'string' },
  _session: { type: 'string' },
  _agent: { type: 'string' },
}

/** @throws BusError BAD_INPUT, one sentence per parameter that is wrong. */
export function readArguments(tool: Tool, raw: unknown): Arguments {
  const { properties, required = [] } = inputSchema(tool.input)
  const { accepted, bySnake } = spellingsOf(tool)
  const values = new Map<string, unknown>()
  const problems: string[] = []

  for (const [written, value] of entriesOf(tool, raw)) {
    const name = accepted.has(written) ? written : bySnake.get(written)
    const schema = name === undefined ? undefined : accepted.get(name)
    if (value === null || value === undefined) continue // how some hosts spell "left out"
    if (name === undefined || schema === undefined) problems.push(unknownParameter(tool, written, properties))
    else if (values.has(name)) problems.push(`${quote(name)} was given twice, in two spellings.`)
    else {
      const checked = check(schema, value)
      if (checked.problem !== undefined) problems.push(sentence(tool, name, schema, value, checked.problem))
      values.set(name, checked.value)
    }
  }
  for (const name of required) {
    if (!values.has(name)) problems.push(`${quote(name)} is missing; it takes ${accepts(properties[name] ?? {})}.`)
  }
  if (problems.length > 0) throw refusal(tool, problems, Object.keys(properties))

  const { sessionId, _session, _agent } = Object.fromEntries(values)
  return {
    values: Object.fromEntries([...values].filter(([name]) => Object.hasOwn(properties, name))),
    ...(typeof sessionId === 'string' && sessionId !== '' && { sessionId }),
    ...(typeof _session === 'string' && _session !== '' && { hookSession: _session }),
    ...(typeof _agent === 'string' && _agent !== '' && { isSubagent: true }),
  }
}

interface Spellings {
  readonly accepted: ReadonlyMap<string, JsonSchema>
  readonly bySnake: ReadonlyMap<string, string>
}

const spellings = new WeakMap<Tool, Spellings>()

function spellingsOf(tool: Tool): Spellings {
  const known = spellings.get(tool)
  if (known !== undefined) return known
  const accepted = new Map([...Object.entries(EVERYWHERE), ...Object.entries(inputSchema(tool.input).properties)])
  const bySnake = new Map([...accepted.keys()].map((name) => [snakeCase(name), name]))
  const made = { accepted, bySnake }
  spellings.set(tool, made)
  return made
}

function entriesOf(tool: Tool, raw: unknown): [string, unknown][] {
  if (raw === undefined || raw === null) return []
  if (typeof raw === 'object' && !Array.isArray(raw)) return Object.entries(raw)
  const names = Object.keys(tool.input)
  throw refusal(tool, [`The arguments must be an object, not ${show(raw)}.`], names)
}

/** The value as the tool takes it, or what is wrong with it: the words after "must be ...". */
function check(schema: JsonSchema, given: unknown): { value?: unknown; problem?: string } {
  const value = schema.type === 'array' && typeof given === 'string' && !/^\s*\[/.test(given) ? [given] : given
  switch (schema.type) {
    case 'string':
      if (typeof value === 'string' && (schema.enum?.includes(value) ?? true)) return { value }
      return { problem: show(value) }
    case 'boolean':
      if (typeof value === 'boolean') return { value }
      return { problem: typeof value === 'string' ? `${show(value)}; send it without quotes` : show(value) }
    case 'integer':
      if (typeof value === 'number' && Number.isSafeInteger(value) && inRange(schema, value)) return { value }
      return { problem: typeof value === 'string' ? `${show(value)}; send it without quotes` : show(value) }
    case 'array':
      return checkList(schema, value)
    default:
      if (typeof value === 'object' && !Array.isArray(value)) return { value }
      return { problem: typeof value === 'string' ? 'text; send a real JSON object' : show(value) }
  }
}

function checkList(schema: JsonSchema, value: unknown): { value?: unknown; problem?: string } {
  if (typeof value === 'string') return { problem: 'text that looks like one; send a real array, such as ["a","b"]' }
  if (!Array.isArray(value)) return { problem: show(value) }
  const wrong = value.findIndex((item) => check(schema.items ?? {}, item).problem !== undefined)
  return wrong === -1 ? { value } : { problem: `a list whose item ${wrong + 1} is ${show(value[wrong])}` }
}

function inRange(schema: JsonSchema, value: number): boolean {
  return value >= (schema.minimum ?? value) && value <= (schema.maximum ?? value)
}

function sentence(tool: Tool, name: string, schema: JsonSchema, value: unknown, problem: string): string {
  const advice = Object.hasOwn(tool.advice ?? {}, name) ? tool.advice?.[name] : undefined
  const instead = advice !== undefined && typeof value === 'string' && Object.hasOwn(advice, value) ? advice[value] : ''
  return `${quote(name)} must be ${accepts(schema)}, not ${problem}.${instead ? ` ${instead}` : ''}`
}

/** What a parameter takes, in words. */
export function accepts(schema: JsonSchema): string {
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`
  const { minimum, maximum } = schema
  switch (schema.type) {
    case 'string':
      return 'text'
    case 'boolean':
      return 'true or false'
    case 'integer':
      if (minimum === undefined) return 'a whole number'
      return maximum === undefined
        ? `a whole number of at least ${minimum}`
        : `a whole number from ${minimum} to ${maximum}`
    case 'array':
      return schema.items?.type === 'string' ? 'a list of texts' : 'a list'
    default:
      return 'an object'
  }
}

function show(value: unknown): string {
  if (typeof value === 'string') return `the text ${quote(value)}`
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  return typeof value === 'number' ? `the number ${value}` : String(value)
}

function unknownParameter(tool: Tool, written: string, properties: object): string {
  const names = Object.keys(properties)
  const near = nearest(written, names)
  const rest = names.filter((name) => !near.includes(name))
  return `${quote(written)} is not a parameter of ${tool.name}; it takes ${[...near, ...rest].join(', ')}.`
}

function refusal(tool: Tool, problems: readonly string[], names: readonly string[]): BusError {
  const again = `Call ${tool.name} again with ${problems.length === 1 ? 'this' : 'these'} corrected; nothing was changed.`
  return new BusError('BAD_INPUT', problems.join(' '), names.length === 0 ? `${again} It takes no parameters.` : again)
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
