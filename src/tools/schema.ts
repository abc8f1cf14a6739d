/** JSON schemas every client accepts: plain objects, nothing combined, nothing referenced, no boolean in place of a schema. */

import * as z from 'zod'

export interface JsonSchema {
  readonly type?: string
  readonly description?: string
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: unknown
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
}

export interface ObjectSchema extends JsonSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, JsonSchema>>
}

const inputs = new WeakMap<z.ZodRawShape, ObjectSchema>()

export function inputSchema(shape: z.ZodRawShape): ObjectSchema {
  const known = inputs.get(shape)
  if (known !== undefined) return known
  const raw = z.toJSONSchema(z.object(shape), { io: 'input', unrepresentable: 'any' })
  const schema = clean(raw, true) as ObjectSchema
  inputs.set(shape, schema)
  return schema
}

/** The same for an answer. Nothing is required: clients check refusals against it too. */
export function outputSchema(shape: z.ZodRawShape): ObjectSchema {
  return clean(z.toJSONSchema(z.object(shape), { unrepresentable: 'any' }), false) as ObjectSchema
}

/** Keeps the fields named in {@link JsonSchema}; what else zod writes is what some client chokes on. */
function clean(node: z.core.JSONSchema.JSONSchema, keepsRequired: boolean): JsonSchema {
  const { type, description, enum: values, minimum, maximum, items, properties, required } = node
  const inner = (schema: unknown) => clean(schema as z.core.JSONSchema.JSONSchema, keepsRequired)
  return {
    ...(typeof type === 'string' && { type }),
    ...(description !== undefined && { description }),
    ...(values !== undefined && { enum: values as readonly string[] }),
    ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
    ...('default' in node && { default: node.default }),
    ...(items !== undefined && { items: inner(items) }),
    ...(type === 'object' && {
      properties: Object.fromEntries(Object.entries(properties ?? {}).map(([name, schema]) => [name, inner(schema)])),
    }),
    ...(keepsRequired && required !== undefined && required.length > 0 && { required }),
  }
}
