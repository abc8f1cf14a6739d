/**
 * The tools as clients see them, one snapshot each in __schemas__/. A change of contract is made on purpose:
 * `UPDATE_SCHEMAS=1 npx vitest run test/tools/schemas.test.ts`, and reviewed as a diff.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { listing, listTools, TOOLS } from '../../src/tools/registry.ts'
import { resolveToolsets, TOOLSETS } from '../../src/tools/toolsets.ts'

const folder = new URL('./__schemas__/', import.meta.url)
const updates = process.env['UPDATE_SCHEMAS'] === '1'
const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
const all = listTools(resolveToolsets(undefined))

test.each(TOOLS)('the contract of $name is what its snapshot says', (tool) => {
  const file = new URL(`${tool.name}.json`, folder)
  const text = `${JSON.stringify(listing(tool), null, 2)}\n`
  if (updates) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(file, text)
  }
  expect(existsSync(file), `${tool.name} has no snapshot; see the head of this file`).toBe(true)
  expect(text).toBe(readFileSync(file, 'utf8'))
})

test('there is no snapshot of a tool that is gone', () => {
  expect(readdirSync(folder).sort()).toEqual(TOOLS.map((tool) => `${tool.name}.json`).sort())
})

describe('what a model pays for the tools', () => {
  test('name, description and input schema of all tools stay under 8 KB', () => {
    expect(bytes(all.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })))).toBeLessThan(
      8192,
    )
  })

  test('the whole list stays under 14 KB', () => {
    expect(bytes({ tools: all })).toBeLessThan(14 * 1024)
  })

  test('the list is sorted, so that it is the same at every start', () => {
    const names = all.map((tool) => tool.name)
    expect(names).toEqual([...names].sort())
  })

  test('every tool belongs to a toolset that exists', () => {
    const ids = TOOLSETS.map(({ id }) => id)
    for (const tool of TOOLS) expect(ids).toContain(tool.toolset)
  })
})

test('output schemas are few and require nothing, because clients check refusals against them too', () => {
  const promised = all.filter((tool) => tool.outputSchema !== undefined)
  expect(promised.map((tool) => tool.name)).toEqual([
    'list_sessions',
    'read_inbox',
    'send_message',
    'wait_for_sessions',
  ])
  for (const { outputSchema } of promised) walk(outputSchema, (node) => expect(node).not.toHaveProperty('required'))
})

test('what hosts fill in by themselves is not listed', () => {
  for (const tool of all) expect(tool.inputSchema.properties).not.toHaveProperty('_session')
  const listed = all.filter((tool) => Object.hasOwn(tool.inputSchema.properties, 'sessionId')).map((tool) => tool.name)
  expect(listed).toEqual(['read_inbox', 'update_session'])
})

describe('schemas every client accepts', () => {
  test('C186: nothing is referenced or combined, arrays have items, objects have properties', () => {
    const forbidden = ['$ref', '$defs', 'definitions', '$schema', 'allOf', 'oneOf', 'anyOf', 'not']
    for (const tool of all) {
      walk([tool.inputSchema, tool.outputSchema], (node) => {
        for (const word of forbidden) expect(node).not.toHaveProperty([word])
        if (node['type'] === 'array') expect(node['items']).toBeTypeOf('object')
        if (node['type'] === 'object') expect(node['properties']).toBeTypeOf('object')
      })
    }
  })

  test('C188: every input schema is exactly an object', () => {
    for (const tool of all) expect(tool.inputSchema.type).toBe('object')
  })

  test('C190: no sub-schema is a boolean', () => {
    for (const tool of all) {
      walk([tool.inputSchema, tool.outputSchema], (node) => {
        expect(node['items']).not.toBeTypeOf('boolean')
        expect(node).not.toHaveProperty('additionalProperties')
        const properties = node['properties'] ?? {}
        for (const schema of Object.values(properties)) expect(schema).not.toBeTypeOf('boolean')
      })
    }
  })

  test('C192: names are lower case and stay within 64 characters behind the prefixes hosts put before them', () => {
    const prefixes = ['mcp__session-mcp__', 'mcp_session_mcp_', `${'a'.repeat(30)}__`]
    for (const { name } of all) {
      expect(name).toMatch(/^[a-z][a-z0-9_]*$/)
      for (const prefix of prefixes) expect(prefix.length + name.length).toBeLessThanOrEqual(64)
    }
  })
})

test('every annotation is stated, since a hint left out reads as true', () => {
  for (const { annotations } of all) {
    expect(annotations).toEqual({
      readOnlyHint: expect.any(Boolean),
      destructiveHint: expect.any(Boolean),
      idempotentHint: expect.any(Boolean),
      openWorldHint: false,
    })
  }
})

/** Visits every schema in `value`: not the maps of properties, whose keys are names. */
function walk(value: unknown, visit: (node: Readonly<Record<string, unknown>>) => void): void {
  if (Array.isArray(value)) for (const item of value) walk(item, visit)
  else if (typeof value === 'object' && value !== null) {
    const node = value as Readonly<Record<string, unknown>>
    visit(node)
    walk(node['items'], visit)
    walk(Object.values(node['properties'] ?? {}), visit)
  }
}
